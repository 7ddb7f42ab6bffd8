// Caches database look-ups for a short time. A notification of a change drops the entry immediately; the lifetime bounds
// how stale an entry can be if a notification is lost. An entry in use is renewed before it expires. While notifications
// are not received, nothing is answered from the cache.
import { EngineUnavailable } from '../engines/engines.ts'
import { inTurn, openFairQueue, QueueFull } from '../fair/queue.ts'

const LIFETIME_MS = 30_000
const RENEW_AFTER_MS = 20_000
/** The pause after a failed renewal. */
const RENEW_AGAIN_MS = 1_000
const MB = 1_000_000
/** More than 100,000 entries, if they are small. The oldest is dropped first. */
const BYTES_MAX = 64 * MB
/** A caller with its aliases and its place in the maps. */
const ENTRY_BYTES = 500
/** Anyone can cause look-ups of unknown names, so only a few run at the same time and leave database connections for
 *  others. Renewals have their own queue, so unknown names do not delay them. */
const LOOK_UPS = { width: 4, waitingMax: 2_000, waitMs: 5_000 }
const RENEWALS = { width: 2, waitingMax: BYTES_MAX / ENTRY_BYTES, waitMs: 5_000 }
/** How often a look-up is repeated if its result changed in the meantime. */
const TRIES_MAX = 3
/** The number of changes remembered while look-ups run. Beyond it, the results of all of them count as stale. */
const CHANGES_MAX = 10_000

/** `aliases` are the names by which `drop` finds the entry; several entries may share one. `bytes` is the approximate
 *  size of values that clients can make large. */
export type Found<T> = { value: T; aliases: readonly string[]; bytes?: number }
export type LookUp<T> = () => Promise<Found<T> | null>

export type Cache<T> = {
  /** The cached value, if any. Renews it with the look-up if it will expire soon. */
  get(name: string, nowMs: number, lookUp: LookUp<T>): T | undefined
  /** Looks up and caches the value, unless nothing is found (null). `user` causes the look-up, an organisation or a
   *  client address: users are served in turn. */
  load(name: string, nowMs: number, user: string, lookUp: LookUp<T>): Promise<T | null>
  drop(alias: string): void
  clear(): void
}

/** `isListening`: whether notifications of changes arrive. */
export function openCache<T>(isListening: () => boolean, { megabytes = BYTES_MAX / MB } = {}): Cache<T> {
  const entries = openEntries<T>(megabytes * MB)
  const running = new Map<string, Promise<T | null>>()
  const [lookUps, renewals] = [openFairQueue(LOOK_UPS), openFairQueue(RENEWALS)]
  const changes = openChanges()

  async function fill(name: string, nowMs: number, lookUp: LookUp<T>): Promise<T | null> {
    for (let tries = 1; ; tries++) {
      const since = changes.begin()
      try {
        const found = await lookUp()
        if (found === null) return null
        if (!changes.concern(found.aliases, since)) {
          if (isListening()) entries.add(name, nowMs, found)
          return found.value
        }
        if (tries === TRIES_MAX) throw new EngineUnavailable('db', 'busy')
      } finally {
        changes.end()
      }
    }
  }

  /** Concurrent look-ups of one name share a promise, unless a change since its start could go unnoticed. */
  function share(name: string, start: () => Promise<T | null>): Promise<T | null> {
    if (!isListening()) return start()
    const before = running.get(name)
    if (before) return before
    const mine = start().finally(() => running.delete(name))
    running.set(name, mine)
    return mine
  }

  function renew(name: string, nowMs: number, entry: Entry<T>, lookUp: LookUp<T>): void {
    entry.renewMs = nowMs + RENEW_AGAIN_MS
    const renewal = share(name, () => inTurn(renewals, name, () => fill(name, nowMs, lookUp)).catch(busyIfFull))
    renewal.then(
      value => void (value === null && entries.get(name) === entry && entries.remove(name)),
      () => {}, // The entry is still valid, and the next use tries again.
    )
  }

  return {
    get: (name, nowMs, lookUp) => {
      const entry = isListening() ? entries.get(name) : undefined
      if (!entry || entry.untilMs <= nowMs) return undefined
      if (entry.renewMs <= nowMs) renew(name, nowMs, entry, lookUp)
      return entry.value
    },
    load: (name, nowMs, user, lookUp) =>
      share(name, () => inTurn(lookUps, user, () => fill(name, nowMs, lookUp)).catch(busyIfFull)),
    drop: alias => {
      changes.note(alias)
      entries.drop(alias)
    },
    clear: () => {
      changes.noteAll()
      entries.clear()
    },
  }
}

type Entry<T> = Required<Found<T>> & { untilMs: number; renewMs: number }

/** The entries by name, and their names by alias. A value larger than the whole cache is not stored. */
function openEntries<T>(bytesMax: number) {
  const entries = new Map<string, Entry<T>>()
  const namesOf = new Map<string, Set<string>>()
  let total = 0

  function remove(name: string): void {
    const entry = entries.get(name)
    if (!entry) return
    total -= entry.bytes
    for (const alias of entry.aliases) {
      const names = namesOf.get(alias)
      names?.delete(name)
      if (names?.size === 0) namesOf.delete(alias)
    }
    entries.delete(name)
  }

  /** All entries have the same lifetime, so the oldest are first in the map. */
  function removeOld(nowMs: number, bytes: number): void {
    for (const [name, { untilMs }] of entries) {
      if (untilMs > nowMs && total + bytes <= bytesMax) break
      remove(name)
    }
  }

  return {
    get: (name: string) => entries.get(name),
    remove,
    add: (name: string, nowMs: number, found: Found<T>) => {
      const bytes = ENTRY_BYTES + name.length + (found.bytes ?? 0)
      remove(name)
      if (bytes > bytesMax) return
      removeOld(nowMs, bytes)
      total += bytes
      entries.set(name, { ...found, bytes, untilMs: nowMs + LIFETIME_MS, renewMs: nowMs + RENEW_AFTER_MS })
      for (const alias of found.aliases) namesOf.set(alias, (namesOf.get(alias) ?? new Set()).add(name))
    },
    drop: (alias: string) => {
      for (const name of [...(namesOf.get(alias) ?? [])]) remove(name)
    },
    clear: () => {
      total = 0
      entries.clear()
      namesOf.clear()
    },
  }
}

function busyIfFull(error: unknown): never {
  throw error instanceof QueueFull ? new EngineUnavailable('db', 'busy', error) : error
}

/** Remembers changes while look-ups run. A look-up's result is stale if its name changed. */
function openChanges() {
  const changed = new Map<string, number>()
  let [now, allChanged, running] = [0, 0, 0]
  return {
    /** Returns the moment at which a look-up begins. */
    begin: () => {
      running++
      return now
    },
    end: () => {
      if (--running === 0) changed.clear()
    },
    note: (alias: string) => {
      if (running === 0) return
      changed.set(alias, ++now)
      if (changed.size > CHANGES_MAX) {
        changed.clear()
        allChanged = now
      }
    },
    noteAll: () => {
      allChanged = ++now
    },
    concern: (aliases: readonly string[], since: number) =>
      allChanged > since || aliases.some(alias => (changed.get(alias) ?? 0) > since),
  }
}
