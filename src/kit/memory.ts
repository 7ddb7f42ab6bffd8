// Remembers for a short while what was looked up in the database. Whoever hears of a change makes it forget at once;
// the while is the bound on how long a change could go unnoticed if that message were lost.
import { EngineUnavailable } from '../engines/engines.ts'

const REMEMBERED_MS = 30_000
/** About 50 MB of callers; the oldest is forgotten first. */
const REMEMBERED_MAX = 100_000
/** How many look-ups run at once. Anybody can ask for what is not known, and all of them together must leave connections
 *  for those who are known. */
const LOOK_UPS_MAX = 4
/** How many may wait; the next one is refused. */
const WAITING_MAX = 2_000

export type Memory<T> = {
  get(name: string, nowMs: number): T | undefined
  /** Looks up and remembers, unless there is nothing (null) or a change was heard of meanwhile. `alias` is what changes
   *  call it by; several may share one. */
  learn(name: string, alias: string, nowMs: number, look: () => Promise<T | null>): Promise<T | null>
  forget(alias: string): void
  clear(): void
}

export function openMemory<T>(): Memory<T> {
  const entries = new Map<string, { value: T; untilMs: number; alias: string }>()
  const namesOf = new Map<string, Set<string>>()
  const places = openPlaces()
  const share = openSharing<T | null>()
  /** Counts changes, so that a look-up that raced one is not remembered. */
  let changes = 0

  function drop(name: string, alias: string): void {
    entries.delete(name)
    const names = namesOf.get(alias)
    names?.delete(name)
    if (names?.size === 0) namesOf.delete(alias)
  }

  /** All live equally long, so the oldest stand first. */
  function dropOld(nowMs: number): void {
    for (const [name, { untilMs, alias }] of entries) {
      if (untilMs > nowMs && entries.size < REMEMBERED_MAX) break
      drop(name, alias)
    }
  }

  async function lookUp(name: string, alias: string, nowMs: number, look: () => Promise<T | null>): Promise<T | null> {
    await places.take()
    const before = changes
    const value = await look().finally(places.leave)
    if (value === null || changes !== before) return value
    drop(name, alias)
    dropOld(nowMs)
    entries.set(name, { value, untilMs: nowMs + REMEMBERED_MS, alias })
    namesOf.set(alias, (namesOf.get(alias) ?? new Set()).add(name))
    return value
  }

  return {
    get: (name, nowMs) => {
      const known = entries.get(name)
      return known && known.untilMs > nowMs ? known.value : undefined
    },
    learn: (name, alias, nowMs, look) => share(name, changes, () => lookUp(name, alias, nowMs, look)),
    forget: alias => {
      changes++
      for (const name of namesOf.get(alias) ?? []) entries.delete(name)
      namesOf.delete(alias)
    },
    clear: () => {
      changes++
      entries.clear()
      namesOf.clear()
    },
  }
}

/** Whoever asks the same while it is looked up gets the same answer, unless a change was heard of since. */
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

/** So many places, and a queue for them. */
function openPlaces() {
  let taken = 0
  const waiting: (() => void)[] = []
  return {
    take: async () => {
      if (waiting.length >= WAITING_MAX) throw new EngineUnavailable('db', 'busy')
      if (taken >= LOOK_UPS_MAX) return new Promise<void>(resolve => waiting.push(resolve))
      taken++
    },
    /** Whoever waits takes the place over. */
    leave: () => {
      const next = waiting.shift()
      if (next) next()
      else taken--
    },
  }
}
