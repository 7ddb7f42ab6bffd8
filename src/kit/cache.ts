// Keeps for a short while what was looked up in the database. Whoever is notified of a change drops it at once; the while
// bounds how long a change could go unnoticed if that notification were lost.
import { EngineUnavailable } from '../engines/engines.ts'

const KEPT_MS = 30_000
/** About 50 MB of callers; the oldest is dropped first. */
const KEPT_MAX = 100_000
/** How many look-ups run at once. Anybody can ask for what is not known, and all of them together must leave connections
 *  for those who are known. */
const LOOK_UPS_MAX = 4
/** How many may wait; the next one is refused. */
const WAITING_MAX = 2_000

/** `aliases` are the names that changes call it by; several entries may share one. */
export type Found<T> = { value: T; aliases: readonly string[] }

export type Cache<T> = {
  get(name: string, nowMs: number): T | undefined
  /** Looks up and keeps, unless there is nothing (null) or something changed meanwhile. */
  load(name: string, nowMs: number, look: () => Promise<Found<T> | null>): Promise<T | null>
  drop(alias: string): void
  clear(): void
}

export function openCache<T>(): Cache<T> {
  const entries = new Map<string, Found<T> & { untilMs: number }>()
  const namesOf = new Map<string, Set<string>>()
  const limiter = openLimiter()
  const share = openSharing<T | null>()
  /** Counts changes, so that a look-up that raced one is not kept. */
  let changes = 0

  function remove(name: string): void {
    for (const alias of entries.get(name)?.aliases ?? []) {
      const names = namesOf.get(alias)
      names?.delete(name)
      if (names?.size === 0) namesOf.delete(alias)
    }
    entries.delete(name)
  }

  /** All live equally long, so the oldest stand first. */
  function removeOld(nowMs: number): void {
    for (const [name, { untilMs }] of entries) {
      if (untilMs > nowMs && entries.size < KEPT_MAX) break
      remove(name)
    }
  }

  async function lookUp(name: string, nowMs: number, look: () => Promise<Found<T> | null>): Promise<T | null> {
    await limiter.acquire()
    const before = changes
    const found = await look().finally(limiter.release)
    if (found === null || changes !== before) return found?.value ?? null
    remove(name)
    removeOld(nowMs)
    entries.set(name, { ...found, untilMs: nowMs + KEPT_MS })
    for (const alias of found.aliases) namesOf.set(alias, (namesOf.get(alias) ?? new Set()).add(name))
    return found.value
  }

  return {
    get: (name, nowMs) => {
      const known = entries.get(name)
      return known && known.untilMs > nowMs ? known.value : undefined
    },
    load: (name, nowMs, look) => share(name, changes, () => lookUp(name, nowMs, look)),
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

/** Whoever asks the same while it is looked up gets the same answer, unless something changed since. */
function openSharing<V>() {
  const running = new Map<string, { changes: number; found: Promise<V> }>()
  return (name: string, changes: number, look: () => Promise<V>): Promise<V> => {
    const before = running.get(name)
    if (before?.changes === changes) return before.found
    const mine = { changes, found: look() }
    running.set(name, mine)
    const end = () => void (running.get(name) === mine && running.delete(name))
    mine.found.then(end, end)
    return mine.found
  }
}

/** So many at once, and a queue for the rest. */
function openLimiter() {
  let running = 0
  const waiting: (() => void)[] = []
  return {
    acquire: async () => {
      if (waiting.length >= WAITING_MAX) throw new EngineUnavailable('db', 'busy')
      if (running >= LOOK_UPS_MAX) return new Promise<void>(resolve => waiting.push(resolve))
      running++
    },
    /** Whoever waits is next. */
    release: () => {
      const next = waiting.shift()
      if (next) next()
      else running--
    },
  }
}
