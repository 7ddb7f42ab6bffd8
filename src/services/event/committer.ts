// Group commit: requests that arrive while others are being written share the next transaction. Their events, the ids for
// deduplication and the envelopes are committed together, and only then is a request answered.
import { ConstraintViolated, type Database, EngineUnavailable, type Log, type Tx } from '../../engines/engines.ts'
import { openShares } from '../../fair/shares.ts'
import { Fault } from '../../kit/fault.ts'
import type { Accepted } from './accept.ts'
import * as store from './store.ts'

/** Concurrent transactions: while one waits for the disk, the next is prepared. */
const COMMITS_MAX = 4
/** In characters of JSON. Only a group of this size is committed while others are being committed; smaller groups wait and
 *  share the next commit. */
const BESIDE_CHARACTERS_MIN = 256 * 1024
/** Most events are new, and are written without a check. After a duplicate, ids are looked up first, because a sender that
 *  repeats events repeats many. */
const CAREFUL_MS = 1_000
/** Events per transaction. Other requests wait meanwhile, so a larger transaction has no benefit. */
const GROUP_MAX = 1_000
/** The same in characters of JSON: a thousand large events would take seconds. */
const GROUP_CHARACTERS_MAX = 2 * 1024 * 1024
/** Characters of events that wait or are being written; one organisation may use at most as much as stays free for others.
 *  Bodies are not counted while they are decoded, so that this also bounds the memory. */
const WAITING_CHARACTERS_MAX = 64 * 1024 * 1024
/** What an event takes besides its properties. */
const EVENT_CHARACTERS = 1_000

export type Committer = {
  /** The positions of events that the database rejected; usually none. Duplicates are not among them. */
  commit(org: string, events: readonly Accepted[]): Promise<number[]>
  close(): Promise<void>
}

export type CommitterOptions = {
  db: Database
  log: Log
  now: () => Date
  warn: (error: unknown) => void
}

type Waiting = {
  org: string
  events: readonly Accepted[]
  size: number
  done: (refused: number[]) => void
  fail: (error: unknown) => void
}

export function openCommitter(options: CommitterOptions): Committer {
  const writer = openWriter(options)
  const shares = openShares(WAITING_CHARACTERS_MAX)
  const waiting = openQueue()
  let running = 0
  let isScheduled = false
  const idle = new Set<() => void>()

  const mayRun = () =>
    running === 0 ? !waiting.isEmpty() : running < COMMITS_MAX && waiting.size() >= BESIDE_CHARACTERS_MIN

  /** Requests of the same turn of the event loop join one group. */
  function schedule(): void {
    if (isScheduled) return
    isScheduled = true
    setImmediate(() => {
      isScheduled = false
      while (mayRun()) void run(waiting.takeGroup())
    })
  }

  async function run(group: Waiting[]): Promise<void> {
    running++
    await writer.writeGroup(group)
    running--
    if (!waiting.isEmpty()) schedule()
    else if (running === 0) for (const resolve of idle) resolve()
  }

  return {
    commit: async (org, events) => {
      const size = sizeOf(events)
      if (!shares.take(org, size)) throw tooMany()
      try {
        return await new Promise<number[]>((done, fail) => {
          waiting.add({ org, events, size, done, fail: error => fail(failureOf(error)) })
          schedule()
        })
      } finally {
        shares.give(org, size)
      }
    },
    close: async () => {
      if (running > 0 || !waiting.isEmpty()) await new Promise<void>(resolve => idle.add(resolve))
    },
  }
}

const sizeOf = (events: readonly Accepted[]): number =>
  events.reduce((sum, { characters }) => sum + characters + EVENT_CHARACTERS, 0)

/** Requests by organisation, so that each gets its turn in every group. */
function openQueue() {
  const waiting = new Map<string, Waiting[]>()
  let waitingSize = 0
  return {
    isEmpty: () => waiting.size === 0,
    size: () => waitingSize,
    add: (request: Waiting) => {
      waitingSize += request.size
      const own = waiting.get(request.org) ?? []
      own.push(request)
      waiting.set(request.org, own)
    },
    takeGroup: (): Waiting[] => {
      const group: Waiting[] = []
      let [count, size] = [0, 0]
      // An organisation that had its turn moves to the end, which this loop reaches too.
      for (const [org, requests] of waiting) {
        if (count >= GROUP_MAX || size >= GROUP_CHARACTERS_MAX) break
        const request = requests.shift() as Waiting
        waiting.delete(org)
        if (requests.length > 0) waiting.set(org, requests)
        group.push(request)
        count += request.events.length
        size += request.size
      }
      waitingSize -= size
      return group
    },
  }
}

function openWriter({ db: whole, log, now, warn }: CommitterOptions) {
  const db = whole.for('events')

  let seenAgainMs = Number.NEGATIVE_INFINITY

  const append = (tx: Tx, events: readonly Accepted[]) =>
    log.append(
      tx,
      events.map(({ envelope }) => envelope),
      events.map(({ ingested }) => JSON.stringify(ingested)),
    )

  /** Returns false if one of the events was sent before; nothing was written then. */
  async function writeNew(events: readonly Accepted[], at: string): Promise<boolean> {
    const ids = events.flatMap(({ dedupe }) => dedupe ?? [])
    try {
      await db.atOnce(tx => Promise.all([store.insertNewIds(tx, ids, at), append(tx, events)]))
      return true
    } catch (error) {
      if (error instanceof ConstraintViolated) return false
      throw error
    }
  }

  async function write(events: readonly Accepted[]): Promise<void> {
    const at = now()
    if (at.getTime() - seenAgainMs > CAREFUL_MS && (await writeNew(events, at.toISOString()))) return
    await db.transaction(async tx => {
      const fresh = await withoutDuplicates(tx, events, at.toISOString())
      if (fresh.length < events.length) seenAgainMs = at.getTime()
      if (fresh.length > 0) await append(tx, fresh)
    })
  }

  async function isWritten(event: Accepted): Promise<boolean> {
    try {
      await write([event])
      return true
    } catch (error) {
      if (!isOfEvent(error)) throw error
      return false
    }
  }

  /** If one of them cannot be written, the others must not fail with it. */
  async function oneByOne({ events, done, fail }: Waiting): Promise<void> {
    try {
      const refused: number[] = []
      for (const [at, event] of events.entries()) if (!(await isWritten(event))) refused.push(at)
      done(refused)
    } catch (error) {
      fail(error)
    }
  }

  return {
    /** Tells each request its outcome. */
    writeGroup: async (group: readonly Waiting[]): Promise<void> => {
      try {
        await write(group.flatMap(({ events }) => events))
        for (const { done } of group) done([])
      } catch (error) {
        if (error instanceof EngineUnavailable) for (const { fail } of group) fail(error)
        else {
          warn(error)
          for (const request of group) await oneByOne(request)
        }
      }
    },
  }
}

const tooMany = () =>
  new Fault('overloaded', {
    message:
      'Too many events of your organisation are waiting to be written; none of these were stored. Send them again.',
    retryAfterS: 1,
  })

/** The error for the client. It cannot check what was saved, so it is not asked to. */
function failureOf(error: unknown): unknown {
  if (!(error instanceof EngineUnavailable) || error.state !== 'unknown') return error
  const message =
    'The database connection was lost while these events were saved. Send them again; events with an id are stored only once.'
  return new Fault('database_unreachable', { message, retryAfterS: 2, cause: error })
}

/** Errors of PostgreSQL that values of a statement can cause: those of data, of constraints, and of what is too large. */
const OF_VALUES = /^(22|23|54)/

/** Whether the event caused the error. If not, the sender must send it again; senders discard events that cannot be
 *  stored. */
function isOfEvent(error: unknown): boolean {
  if (error instanceof EngineUnavailable) return false
  const { code } = (error ?? {}) as { code?: unknown }
  return typeof code !== 'string' || OF_VALUES.test(code)
}

/** Of events with the same id the first one, if the id is new. */
async function withoutDuplicates(db: Tx, events: readonly Accepted[], at: string): Promise<readonly Accepted[]> {
  const byId = new Map<string, Accepted>()
  for (const event of events) {
    const { dedupe } = event
    if (dedupe !== null && !byId.has(keyOf(dedupe))) byId.set(keyOf(dedupe), event)
  }
  if (byId.size === 0) return events
  const ids = [...byId.values()].map(({ dedupe }) => dedupe as store.EventId)
  const fresh = await store.insertIds(db, ids, at)
  if (fresh.length === byId.size && ids.length === events.length) return events
  const isFresh = new Set(fresh.map(keyOf))
  return events.filter(event => {
    const { dedupe } = event
    if (dedupe === null) return true
    const key = keyOf(dedupe)
    return isFresh.has(key) && byId.get(key) === event
  })
}

const keyOf = ({ org, id }: store.EventId) => `${org} ${id}`
