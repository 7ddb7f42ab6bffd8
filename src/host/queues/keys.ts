// The keys of queues that this process works on, with what is due there.
import type { Clock, Database } from '../../engines/engines.ts'
import type { KeyLimits } from '../../kit/queue.ts'
import * as store from '../../kit/queues/store.ts'
import { openHolder } from './holder.ts'
import type { DeclaredQueue } from './jobs.ts'
import type { Waker } from './waker.ts'

/** Keys of one process: each takes a few hundred bytes. */
const KEYS_MAX = 20_000
/** More of them, for organisations that have none. */
const RESERVED_MAX = 1_000
const CLAIM_MAX = 1_000
/** How soon those are found of which this process was not told: what is tried later, and what others left. */
const CLAIM_EVERY_MS = 1_000
/** Jobs that a key has in memory, without what they carry. */
const LOADED_MAX = 32
/** A key stays with its process while a retry is due soon, so that it begins on time, and for a while after its last job: to
 *  claim and release it for each would cost more than the job. */
const KEPT_MS = 10_000
const IDLE_MS = 5_000

export type Loaded = { id: string }

export type Key = {
  queue: DeclaredQueue
  key: string
  org: string
  limits: KeyLimits
  loaded: Loaded[]
  running: number
  /** Attempts whose outcome is not written yet, running or not. */
  unended: number
  /** When it last had something to do. */
  usedMs: number
  /** When there is something to load, in the time of the clock; NEVER if nothing is known of. */
  dueMs: number
  /** When attempts are to be made again. */
  retriesMs: number[]
  /** Of an ordered queue: when its first job is tried again. */
  blockedMs: number
  /** When its last attempts began, if it has a rate. */
  starts: number[]
}

/** An attempt that has begun and is nobody's. */
export type Interrupted = { key: Key; id: string }

const NEVER = Number.POSITIVE_INFINITY

export type Keys = ReturnType<typeof openQueueKeys>

export type KeysOptions = {
  db: Database
  clock: Clock
  /** The name of this process. */
  me: string
  queues: ReadonlyMap<string, DeclaredQueue>
  /** Whether no other process uses this database. */
  isAlone: boolean
  /** Whether an attempt of this job is made here, or its outcome is not written yet. */
  isOurs: (id: string) => boolean
  takeNotes: Waker['takeNotes']
}

export function openQueueKeys(options: KeysOptions) {
  const { db, clock, me, queues, isAlone, takeNotes } = options
  const keys = new Map<string, Key>()
  /** Whether keys may have been claimed of which this process does not know: the answer was lost. */
  let isUnsure = false
  /** When it was last looked for keys that nobody has. */
  let claimedMs = -NEVER
  const served = [...queues.values()].filter(({ isPulled }) => !isPulled).map(({ id }) => id)
  const renew = openHolder({ db, clock, me, isAlone, lost: () => forgetAll(keys) })
  const nowMs = () => clock.now().getTime()
  const now = () => clock.now().toISOString()

  /** Also those that this process has, when something was added there. If it has too many, only organisations that have none
   *  get more. */
  async function claim(): Promise<boolean> {
    const isFull = keys.size >= KEYS_MAX
    const without = isFull ? [...new Set([...keys.values()].map(({ org }) => org))] : []
    const count = Math.min(CLAIM_MAX, (isFull ? KEYS_MAX + RESERVED_MAX : KEYS_MAX) - keys.size)
    if (count <= 0) return false
    const atMs = clock.elapsedMs()
    isUnsure = true
    const claimed = await store.claimKeys(db.autocommit, me, served, now(), count, without)
    isUnsure = false
    // There may be more.
    claimedMs = claimed.length < count ? atMs : -NEVER
    for (const one of claimed) {
      const name = nameOf(one)
      const key = keys.get(name) ?? newKey(queues.get(one.queue) as DeclaredQueue, one)
      key.limits = limitsOf(key.queue, one)
      key.dueMs = 0
      keys.set(name, key)
    }
    return claimed.length > 0
  }

  /** Returns whether other keys have something new. Of one that this process does not have any more, the database says what is
   *  due. */
  function note(): boolean {
    const { notes, isElsewhere } = takeNotes()
    for (const { dueMs, ...one } of notes) {
      const key = keys.get(nameOf(one))
      if (key) key.dueMs = Math.min(key.dueMs, dueMs)
    }
    return isElsewhere
  }

  async function release(given: readonly Key[]): Promise<void> {
    for (const one of await releaseAll(db, me, given)) keys.delete(nameOf(one))
  }

  return {
    /** Loads what is due, of keys that no other process has. */
    fill: async (): Promise<Interrupted[]> => {
      const hasFreed = await renew(isUnsure)
      isUnsure = false
      const isDue = note() || hasFreed || clock.elapsedMs() - claimedMs >= CLAIM_EVERY_MS
      const [hasClaimed, found] = await Promise.all([isDue && claim(), load(options, keys)])
      return hasClaimed ? [...found, ...(await load(options, keys))] : found
    },
    all: () => keys.values(),
    /** The last one to be served again. */
    moveToEnd: (key: Key) => {
      const name = nameOf(heldOf(key))
      if (keys.delete(name)) keys.set(name, key)
    },
    /** Gives up the keys for which there is nothing to do. */
    releaseIdle: () => {
      const atMs = nowMs()
      const idleMs = keys.size < KEYS_MAX / 2 ? IDLE_MS : 0
      return release([...keys.values()].filter(key => isIdle(key, atMs, idleMs)))
    },
    close: () => release([...keys.values()]),
    /** When there is something to load, or to begin. */
    nextMs: (atMs: number): number => {
      let nextMs = NEVER
      for (const key of keys.values()) nextMs = Math.min(nextMs, nextOf(key, atMs))
      return nextMs
    },
  }
}

/** Of an ordered queue, what comes next is known when the outcome of the last attempt is written. */
const mustWait = ({ queue, unended }: Key) => queue.isOrdered && unended > 0

/** Reads what is due. Returns the attempts that were interrupted. */
async function load({ db, clock, me, isOurs }: KeysOptions, keys: ReadonlyMap<string, Key>): Promise<Interrupted[]> {
  const atMs = clock.now().getTime()
  const wanting = [...keys.values()].filter(key => {
    const { dueMs, loaded, retriesMs } = key
    return !mustWait(key) && ((dueMs <= atMs && loaded.length === 0) || retriesMs.some(ms => ms <= atMs))
  })
  if (wanting.length === 0) return []
  // Before the query, because an attempt may end during it.
  for (const key of wanting) {
    key.dueMs = NEVER
    key.usedMs = atMs
    key.retriesMs = key.retriesMs.filter(ms => ms > atMs)
  }
  const asked = wanting.map(key => ({ ...heldOf(key), ranks: key.queue.ranks, each: LOADED_MAX + key.unended }))
  const rows = await store.selectDueJobs(db, me, asked, new Date(atMs).toISOString()).catch(error => {
    for (const key of wanting) key.dueMs = 0
    throw error
  })
  const found = Map.groupBy(rows, ({ number }) => number)
  return wanting.flatMap((key, at) => {
    const all = found.get(at + 1) ?? []
    for (const { later } of all) if (later !== null) key.dueMs = Math.min(key.dueMs, Date.parse(later))
    const own = all.filter(({ later }) => later === null)
    const waiting = own.filter(({ id, started }) => started === null && !isOurs(id))
    const interrupted = own.filter(({ id, started }) => started !== null && !isOurs(id))
    // Of an ordered queue, one that was interrupted is tried again before all others.
    const most = key.queue.isOrdered ? (interrupted.length > 0 ? 0 : 1) : LOADED_MAX
    key.loaded = waiting.slice(0, most)
    if (own.length >= (asked[at]?.each ?? 0) || waiting.length > key.loaded.length) key.dueMs = 0
    return interrupted.map(({ id }) => ({ key, id }))
  })
}

/** When the next one may begin. A clock that was set back says nothing of when the last ones did. */
export function freeMs(
  { count, perMs }: NonNullable<KeyLimits['rate']>,
  starts: readonly number[],
  nowMs: number,
): number {
  const first = starts.at(-count)
  return first === undefined || first > nowMs ? 0 : first + perMs
}

function nextOf(key: Key, atMs: number): number {
  const { loaded, dueMs, retriesMs, blockedMs, starts } = key
  const { rate } = key.limits
  let nextMs = NEVER
  if (mustWait(key)) return nextMs
  for (const ms of retriesMs) nextMs = Math.min(nextMs, ms)
  if (loaded.length === 0) return Math.min(nextMs, dueMs)
  // It has something to begin already, and waits for its time or for a slot.
  for (const ms of [blockedMs, rate === null ? 0 : freeMs(rate, starts, atMs)])
    if (ms > atMs) nextMs = Math.min(nextMs, ms)
  return nextMs
}

/** They belong to others. What runs here ends, and counts if it was not begun again meanwhile; until then it counts for its
 *  key. */
function forgetAll(keys: Map<string, Key>): void {
  for (const [name, key] of keys) {
    Object.assign(key, { loaded: [], retriesMs: [], dueMs: NEVER })
    if (key.unended === 0) keys.delete(name)
  }
}

/** Returns those that this process does not have any more. The others are locked for a moment. */
async function releaseAll(db: Database, me: string, given: readonly Key[]): Promise<store.HeldKey[]> {
  if (given.length === 0) return []
  const asked = given.map(key => {
    return { ...heldOf(key), ranks: key.queue.ranks, notBefore: new Date(key.blockedMs).toISOString() }
  })
  const released = await db.transaction(tx => store.releaseKeys(tx, me, asked))
  if (released.length === given.length) return released
  const held = new Set((await store.selectHeldKeys(db, me, asked)).map(nameOf))
  return asked.filter(one => !held.has(nameOf(one)))
}

const nameOf = (one: store.HeldKey) => `${one.queue} ${one.key}`
const heldOf = ({ queue: { id: queue }, key }: Key): store.HeldKey => ({ queue, key })

const newKey = (queue: DeclaredQueue, { key, org }: store.ClaimedKey): Key => ({
  ...{ queue, key, org, limits: queue.limits, loaded: [], running: 0, unended: 0, usedMs: 0 },
  ...{ dueMs: 0, retriesMs: [], blockedMs: 0, starts: [] },
})

function limitsOf(queue: DeclaredQueue, { concurrency, rateCount, rateMs }: store.ClaimedKey): KeyLimits {
  const own = { concurrency, rate: rateCount === null ? null : { count: rateCount, perMs: rateMs as number } }
  const { concurrency: atOnce, rate } = concurrency === null ? queue.limits : (own as KeyLimits)
  return { concurrency: queue.isOrdered ? 1 : atOnce, rate }
}

/** A rate is counted in memory, so that the key stays until it says nothing any more. */
function isIdle(
  { usedMs, unended, loaded, dueMs, retriesMs, limits: { rate }, starts }: Key,
  atMs: number,
  idleMs: number,
): boolean {
  if (unended > 0 || loaded.length > 0 || dueMs <= atMs || usedMs + idleMs > atMs) return false
  if (rate !== null && (starts.at(-1) ?? -NEVER) + rate.perMs > atMs) return false
  return retriesMs.every(ms => ms > atMs + KEPT_MS)
}
