// The queue keys that this process works on, with their due jobs.
import type { Clock, Database } from '../../engines/engines.ts'
import type { KeyLimits } from '../../kit/queue.ts'
import * as store from '../../kit/queues/store.ts'
import { openHolder } from './holder.ts'
import type { DeclaredQueue } from './jobs.ts'
import type { Waker } from './waker.ts'

/** Keys of one process: each takes a few hundred bytes. */
const KEYS_MAX = 20_000
/** Additional keys, for organisations that have none. */
const RESERVED_MAX = 1_000
const CLAIM_MAX = 1_000
/** How often this process looks for keys that it was not notified of: later retries, and what other processes left. */
const CLAIM_EVERY_MS = 1_000
/** Limit on a key's jobs in memory, without their payloads. */
const LOADED_MAX = 32
/** A key stays with its process while a retry is due soon, so that the retry starts on time, and for a while after its
 *  last job: claiming and releasing it for each job would cost more than the job. */
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
  /** When it last had work. */
  usedMs: number
  /** When there is something to load, by the clock's time; NEVER if nothing is known. */
  dueMs: number
  /** When retries are due. */
  retriesMs: number[]
  /** For an ordered queue: when its first job is retried. */
  blockedMs: number
  /** The start times of its last attempts, if it has a rate. */
  starts: number[]
}

/** A started attempt that no process owns. */
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
  /** Whether an attempt of this job runs here, or its outcome is not written yet. */
  isOurs: (id: string) => boolean
  takeNotes: Waker['takeNotes']
}

export function openQueueKeys(options: KeysOptions) {
  const { db, clock, me, queues, isAlone, takeNotes } = options
  const keys = new Map<string, Key>()
  /** Whether keys may have been claimed that this process does not know of, because the answer was lost. */
  let isUnsure = false
  /** When this process last looked for keys without a holder. */
  let claimedMs = -NEVER
  const served = [...queues.values()].filter(({ isPulled }) => !isPulled).map(({ id }) => id)
  const renew = openHolder({ db, clock, me, isAlone, lost: () => forgetAll(keys) })
  const nowMs = () => clock.now().getTime()
  const now = () => clock.now().toISOString()

  /** Claims keys, and refreshes keys of this process that got new jobs. If it has too many, only organisations that have
   *  none get more. */
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

  /** Returns whether other keys have new work. For a key that this process no longer holds, the database knows what is
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
    /** Loads due jobs of keys that no other process holds. */
    fill: async (): Promise<Interrupted[]> => {
      const hasFreed = await renew(isUnsure)
      isUnsure = false
      const isDue = note() || hasFreed || clock.elapsedMs() - claimedMs >= CLAIM_EVERY_MS
      const [hasClaimed, found] = await Promise.all([isDue && claim(), load(options, keys)])
      return hasClaimed ? [...found, ...(await load(options, keys))] : found
    },
    all: () => keys.values(),
    /** Moves the key to the end of the order. */
    moveToEnd: (key: Key) => {
      const name = nameOf(heldOf(key))
      if (keys.delete(name)) keys.set(name, key)
    },
    /** Releases keys without work. */
    releaseIdle: () => {
      const atMs = nowMs()
      const idleMs = keys.size < KEYS_MAX / 2 ? IDLE_MS : 0
      return release([...keys.values()].filter(key => isIdle(key, atMs, idleMs)))
    },
    close: () => release([...keys.values()]),
    /** When there is something to load or to start. */
    nextMs: (atMs: number): number => {
      let nextMs = NEVER
      for (const key of keys.values()) nextMs = Math.min(nextMs, nextOf(key, atMs))
      return nextMs
    },
  }
}

/** In an ordered queue, the next job is known when the outcome of the last attempt is written. */
const mustWait = ({ queue, unended }: Key) => queue.isOrdered && unended > 0

/** Reads due jobs. Returns interrupted attempts. */
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
    // In an ordered queue, an interrupted job is retried before all others.
    const most = key.queue.isOrdered ? (interrupted.length > 0 ? 0 : 1) : LOADED_MAX
    key.loaded = waiting.slice(0, most)
    if (own.length >= (asked[at]?.each ?? 0) || waiting.length > key.loaded.length) key.dueMs = 0
    return interrupted.map(({ id }) => ({ key, id }))
  })
}

/** When the next attempt may start. If the clock was set back, the last start times are meaningless. */
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
  // It already has a job to start, which waits for its time or for a slot.
  for (const ms of [blockedMs, rate === null ? 0 : freeMs(rate, starts, atMs)])
    if (ms > atMs) nextMs = Math.min(nextMs, ms)
  return nextMs
}

/** Drops keys that belong to other processes now. Running attempts end, and count unless they were restarted elsewhere;
 *  until then they count for the key. */
function forgetAll(keys: Map<string, Key>): void {
  for (const [name, key] of keys) {
    Object.assign(key, { loaded: [], retriesMs: [], dueMs: NEVER })
    if (key.unended === 0) keys.delete(name)
  }
}

/** Returns the keys that this process no longer holds. The others are locked for a moment. */
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

/** A rate is counted in memory, so the key is kept until its start times no longer matter. */
function isIdle(
  { usedMs, unended, loaded, dueMs, retriesMs, limits: { rate }, starts }: Key,
  atMs: number,
  idleMs: number,
): boolean {
  if (unended > 0 || loaded.length > 0 || dueMs <= atMs || usedMs + idleMs > atMs) return false
  if (rate !== null && (starts.at(-1) ?? -NEVER) + rate.perMs > atMs) return false
  return retriesMs.every(ms => ms > atMs + KEPT_MS)
}
