// One transaction of a consumer on one lane: reads the next events, lets the consumer handle them, and moves its position.

import type { Clock } from '../../engines/engines.ts'
import {
  type Database,
  EngineUnavailable,
  type Envelope,
  type Log,
  type LogEntry,
  type LogRead,
  type Subjects,
  type Tx,
} from '../../engines/engines.ts'
import * as store from '../../kit/host/consumers.store.ts'

/** How many events one transaction reads. */
export const BATCH_MAX = 500
/** How often a batch is retried with one failed organisation less; after that, all its events are tried separately. */
const ATTEMPTS_MAX = 3

/** A consumer as the runtime calls it. `handle` gets events of one organisation in order, at most `batchMax`. It
 *  resolves to the number it handled if that was enough for one transaction. */
export type Handler = {
  id: string
  formerIds: readonly string[]
  subjects: Subjects
  batchMax: number
  /** `ingested` is what ingest recorded of each event. */
  handle(
    db: Tx,
    events: readonly Envelope[],
    ingested: readonly (string | null)[],
    signal: AbortSignal,
  ): Promise<number | undefined>
}

/** Tests shorten them. The server ends a transaction that does nothing for 10 s, and a statement after 30 s: both would look
 *  like a failure of the database. */
export type Limits = {
  /** After this time a transaction starts no further call; what was handled is committed. */
  budgetMs: number
  /** A call fails if it has not ended by this time of its transaction. */
  lateMs: number
  /** How often this process polls for events without a notification. */
  pollMs: number
  /** The backoff after the first failure of a single event. It doubles with each further one. */
  backoffMs: number
  backoffMaxMs: number
}

export type ReaderOptions = {
  db: Database
  log: Log
  clock: Clock
  limits: Limits
  signal: AbortSignal
  /** Called with failed events. */
  failed: (consumer: string, tenant: string, error: unknown) => void
}

/** `taken`: another process is reading this lane. `hasHeld`: some events were held, to be tried separately. */
export type ReadOutcome = { rest: LogRead['rest'] | 'taken'; hasHeld: boolean }

/** The failure: how many events of the batch were handled before it, and how many were in the failed call. */
export type Failure = { handled: number; size: number; error: unknown }

export async function readLane(options: ReaderOptions, consumer: Handler, lane: number): Promise<ReadOutcome> {
  const failures = new Map<string, Failure>()
  for (let attempt = 0; ; attempt++) {
    const turn = openTurn(options, consumer)
    try {
      const isHeld = (tenant: string) => attempt >= ATTEMPTS_MAX || failures.has(tenant)
      return await options.db.transaction(db => readOnce(options, turn, lane, db, isHeld, failures))
    } catch (error) {
      const failure = turn.failureOf(error)
      if (!failure) throw error
      failures.set(failure.tenant, failure)
      options.failed(consumer.id, failure.tenant, error)
    }
  }
}

async function readOnce(
  { log, clock, limits }: ReaderOptions,
  turn: Turn,
  lane: number,
  db: Tx,
  isHeld: (tenant: string) => boolean,
  failures: ReadonlyMap<string, Failure>,
): Promise<ReadOutcome> {
  const { id, subjects } = turn.consumer
  // Two statements, so that the second one sees what the last holder of the lock has committed.
  const [isLocked, after] = await Promise.all([
    store.tryLock(db, id, lane, limits.lateMs),
    store.selectPosition(db, id, lane),
  ])
  if (!isLocked) return { rest: 'taken', hasHeld: false }
  const { entries, position, rest } = await log.read(db, lane, after, subjects, BATCH_MAX)
  if (position === after) return { rest, hasHeld: false }
  const byTenant = Map.groupBy(entries, ({ tenant }) => tenant)
  const held = byTenant.size > 0 ? await store.lockHeld(db, id, [...byTenant.keys()]) : new Set()
  let hasHeld = false
  for (const [tenant, events] of byTenant) {
    const isSkipped = held.has(tenant) || isHeld(tenant)
    const handled = isSkipped ? 0 : await turn.handle(db, events)
    if (handled === events.length) continue
    if (!held.has(tenant)) {
      hasHeld = true
      const failure = failures.get(tenant)
      const size = failure ? sizeAfter(failure) : BATCH_MAX
      const error = failure ? errorMessage(failure.error) : ''
      await store.insertHeld(db, id, { tenant, size, tries: 0, due: clock.now().toISOString(), error })
    }
    await store.insertWaiting(db, id, events.slice(handled))
  }
  db.beforeCommit(() => store.updatePosition(db, id, lane, position))
  return { rest, hasHeld }
}

/** How many events to try next: those before the failed call, or half of that call. An event that always fails is found
 *  after trying about twice as many events as the batch has. */
export const sizeAfter = ({ handled, size }: Failure): number =>
  handled > 0 ? handled : Math.max(1, Math.ceil(size / 2))

/** The calls of a consumer in one transaction. */
export type Turn = {
  consumer: Handler
  /** Calls the consumer in batches until it has enough or the time is used up; returns how many events were handled. */
  handle(db: Tx, events: readonly LogEntry[]): Promise<number>
  /** The failed call, if this error of the transaction was caused by one. */
  failureOf(error: unknown): (Failure & { tenant: string }) | null
}

export function openTurn({ signal: stopped, limits: { budgetMs, lateMs } }: ReaderOptions, consumer: Handler): Turn {
  let startMs: number | null = null
  let current: { tenant: string; handled: number; size: number } | null = null
  /** Measured from the first call, because the transaction may have waited for a connection before. */
  const elapsedMs = () => {
    startMs ??= performance.now()
    return performance.now() - startMs
  }

  async function call(db: Tx, events: readonly LogEntry[]): Promise<number> {
    const over = new AbortController()
    const { promise: late, reject } = Promise.withResolvers<never>()
    const timer = setTimeout(() => {
      reject(tookTooLong(lateMs))
      over.abort()
    }, lateMs - elapsedMs())
    try {
      const envelopes = events.map(({ envelope }) => JSON.parse(envelope) as Envelope)
      const ingested = events.map(one => one.ingested)
      const handling = consumer.handle(db, envelopes, ingested, AbortSignal.any([stopped, over.signal]))
      const handled = (await Promise.race([handling, late])) ?? events.length
      if (handled === 0) throw new Error('none of the events was handled')
      return handled
    } finally {
      clearTimeout(timer)
    }
  }

  return {
    consumer,
    handle: async (db, events) => {
      for (let at = 0; at < events.length; ) {
        if (elapsedMs() >= budgetMs) return at
        const batch = events.slice(at, at + consumer.batchMax)
        current = { tenant: batch[0]?.tenant as string, handled: at, size: batch.length }
        const blamed = current
        const handled = await call(db, batch)
        current = null
        // Work deferred to the commit may fail too.
        db.beforeCommit(async () => {
          current = blamed
        })
        at += handled
        if (handled < batch.length) return at
      }
      return events.length
    },
    failureOf: error => {
      if (current === null || stopped.aborted) return null
      // A call that blocks the process or its connection for this long caused the loss of the connection.
      const isOfEngine = error instanceof EngineUnavailable && error.state !== 'conflict'
      if (!isOfEngine) return { ...current, error }
      return elapsedMs() < lateMs ? null : { ...current, error: tookTooLong(lateMs, error) }
    },
  }
}

const tookTooLong = (lateMs: number, cause?: unknown) => new Error(`took longer than ${lateMs} ms`, { cause })

const ERROR_CHARACTERS_MAX = 2_000

export const errorMessage = (error: unknown) =>
  (error instanceof Error ? error.message : String(error))
    .slice(0, ERROR_CHARACTERS_MAX)
    .replaceAll('\0', '')
    .toWellFormed()
