// One transaction of a consumer on one lane: reads the next events, has them handled, and moves the consumer's position.
import { type BusConsumer, type Database, EngineUnavailable, type Envelope, type Tx } from '../engines.ts'
import * as store from './store.ts'
import { expressionOf } from './subjects.ts'

/** How many events one transaction reads. */
export const BATCH_MAX = 500
/** How often a batch is tried with one failed organisation less; then all its events are tried apart from each other. */
const ATTEMPTS_MAX = 3

export type ReaderOptions = {
  db: Database
  now: () => Date
  signal: AbortSignal
  /** How long the events of one organisation in a batch may take: all readers wait for a transaction that writes. */
  handleMs: number
  /** Told of failed events. */
  failed: (consumer: string, tenant: string, error: unknown) => void
}

/** `taken`: another process reads this lane. `later`: there are events after a transaction that has not ended. */
export type ReadOutcome = 'more' | 'empty' | 'later' | 'taken'

export async function readLane(options: ReaderOptions, consumer: BusConsumer, lane: number): Promise<ReadOutcome> {
  const failed = new Set<string>()
  for (let attempt = 0; ; attempt++) {
    const current: { tenant: string | null } = { tenant: null }
    const isHeld = (tenant: string) => attempt >= ATTEMPTS_MAX || failed.has(tenant)
    try {
      return await options.db.transaction(db => readOnce(options, consumer, lane, db, isHeld, current))
    } catch (error) {
      if (current.tenant === null || isNotOfTheEvent(error) || options.signal.aborted) throw error
      failed.add(current.tenant)
      options.failed(consumer.name, current.tenant, error)
    }
  }
}

async function readOnce(
  options: ReaderOptions,
  consumer: BusConsumer,
  lane: number,
  db: Tx,
  isHeld: (tenant: string) => boolean,
  current: { tenant: string | null },
): Promise<ReadOutcome> {
  if (!(await store.tryLock(db, consumer.name, lane))) return 'taken'
  const after = await store.selectPosition(db, consumer.name, lane)
  const rows = await store.selectEvents(db, lane, after, expressionOf(consumer.subjects), BATCH_MAX)
  const last = rows.at(-1)
  if (!last) return laterOrEmpty(db, lane, after)
  const matching = rows.filter((row): row is store.LoggedEvent => row.envelope !== null)
  const byTenant = Map.groupBy(matching, ({ tenant }) => tenant)
  const held = byTenant.size > 0 ? await store.lockHeld(db, consumer.name, [...byTenant.keys()]) : new Set()
  const left = new Map<string, store.LoggedEvent[]>()
  for (const [tenant, events] of byTenant) {
    let handled = 0
    if (!held.has(tenant) && !isHeld(tenant)) {
      current.tenant = tenant
      handled = await handleEvents(options, consumer, db, events)
      current.tenant = null
    }
    if (handled < events.length) left.set(tenant, events.slice(handled))
  }
  for (const [tenant, events] of left) {
    if (!held.has(tenant)) await store.insertHeld(db, consumer.name, tenant, options.now().toISOString(), '')
    await store.insertWaiting(db, consumer.name, events)
  }
  await store.updatePosition(db, consumer.name, lane, last)
  return rows.length === BATCH_MAX ? 'more' : laterOrEmpty(db, lane, last)
}

const laterOrEmpty = async (db: Tx, lane: number, after: store.Place): Promise<ReadOutcome> =>
  (await store.hasLaterEvents(db, lane, after)) ? 'later' : 'empty'

/** In batches of the consumer's size, until it has enough; returns how many were handled. What takes too long fails, and its
 *  transaction is rolled back. */
export async function handleEvents(
  { signal: stopped, handleMs }: ReaderOptions,
  consumer: BusConsumer,
  db: Tx,
  events: readonly store.LoggedEvent[],
): Promise<number> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`took longer than ${handleMs} ms`)), handleMs)
  const signal = AbortSignal.any([stopped, AbortSignal.timeout(handleMs)])
  try {
    for (let at = 0; at < events.length; at += consumer.batchMax) {
      const batch = events.slice(at, at + consumer.batchMax).map(({ envelope }) => JSON.parse(envelope) as Envelope)
      const handled = (await Promise.race([consumer.handle(db, batch, signal), late])) ?? batch.length
      if (handled < batch.length) return at + handled
    }
    return events.length
  } finally {
    clearTimeout(timer)
  }
}

/** The database, not the event, is why it failed. */
export const isNotOfTheEvent = (error: unknown): boolean =>
  error instanceof EngineUnavailable && error.engine === 'db' && error.state !== 'conflict'
