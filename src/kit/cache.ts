// Caches database look-ups for a short time. A notification of a change drops the entry at once; the lifetime bounds
// how long an entry can be stale if a notification is lost.
import { EngineUnavailable } from '../engines/engines.ts'

const LIFETIME_MS = 30_000
/** About 50 MB of callers; the oldest entry is dropped first. */
const ENTRIES_MAX = 100_000
/** How many look-ups run at once. Anyone can cause look-ups of unknown names; together they must leave database
 *  connections for callers that are already cached. */
const LOOK_UPS_MAX = 4
/** How many look-ups may wait; further ones are refused. */
const WAITING_MAX = 2_000

/** `aliases` are the names under which `drop` finds the entry; several entries may share one. */
export type Found<T> = { value: T; aliases: readonly string[] }

export type Cache<T> = {
  get(name: string, nowMs: number): T | undefined
  /** Looks up and caches, unless nothing is found (null) or `drop` or `clear` ran meanwhile. */
  load(name: string, nowMs: number, lookUp: () => Promise<Found<T> | null>): Promise<T | null>
  drop(alias: string): void
  clear(): void
}

export function openCache<T>(): Cache<T> {
  const entries = new Map<string, Found<T> & { untilMs: number }>()
  const namesOf = new Map<string, Set<string>>()
  const limiter = openLimiter()
  const share = openSharing<T | null>()
  /** Counts changes, so that a look-up that raced with one is not cached. */
  let changes = 0

  function remove(name: string): void {
    for (const alias of entries.get(name)?.aliases ?? []) {
      const names = namesOf.get(alias)
      names?.delete(name)
      if (names?.size === 0) namesOf.delete(alias)
    }
    entries.delete(name)
  }

  /** All entries have the same lifetime, so the oldest are first in the map. */
  function removeOld(nowMs: number): void {
    for (const [name, { untilMs }] of entries) {
      if (untilMs > nowMs && entries.size < ENTRIES_MAX) break
      remove(name)
    }
  }

  async function fill(name: string, nowMs: number, lookUp: () => Promise<Found<T> | null>): Promise<T | null> {
    await limiter.acquire()
    const before = changes
    const found = await lookUp().finally(limiter.release)
    if (found === null || changes !== before) return found?.value ?? null
    remove(name)
    removeOld(nowMs)
    entries.set(name, { ...found, untilMs: nowMs + LIFETIME_MS })
    for (const alias of found.aliases) namesOf.set(alias, (namesOf.get(alias) ?? new Set()).add(name))
    return found.value
  }

  return {
    get: (name, nowMs) => {
      const entry = entries.get(name)
      return entry && entry.untilMs > nowMs ? entry.value : undefined
    },
    load: (name, nowMs, lookUp) => share(name, changes, () => fill(name, nowMs, lookUp)),
    drop: alias => {
      changes++
      for (const name of [...(namesOf.get(alias) ?? [])]) remove(name)
    },
    clear: () => {
      changes++
      entries.clear()
      namesOf.clear()
    },
  }
}

/** Concurrent look-ups of one name share one promise, unless something changed since it began. */
function openSharing<V>() {
  const running = new Map<string, { changes: number; found: Promise<V> }>()
  return (name: string, changes: number, lookUp: () => Promise<V>): Promise<V> => {
    const before = running.get(name)
    if (before?.changes === changes) return before.found
    const mine = { changes, found: lookUp() }
    running.set(name, mine)
    const end = () => void (running.get(name) === mine && running.delete(name))
    mine.found.then(end, end)
    return mine.found
  }
}

/** At most LOOK_UPS_MAX at once; the rest wait in a queue. */
function openLimiter() {
  let running = 0
  const waiting: (() => void)[] = []
  return {
    acquire: async () => {
      if (waiting.length >= WAITING_MAX) throw new EngineUnavailable('db', 'busy')
      if (running >= LOOK_UPS_MAX) return new Promise<void>(resolve => waiting.push(resolve))
      running++
    },
    /** Passes the slot to the next in the queue. */
    release: () => {
      const next = waiting.shift()
      if (next) next()
      else running--
    },
  }
}
