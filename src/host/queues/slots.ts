// Decides which jobs start next: organisations share the slots, and slow keys get few of them.
import { openShares } from '../../fair/shares.ts'
import { freeMs, type Key, type Loaded } from './keys.ts'

/** Attempts that are recorded and started together, with their payloads in memory. */
export const START_MAX = 256
/** Concurrent attempts, including those whose outcome is not written yet; one organisation may use half of what is left. */
const AT_ONCE_MAX = 1_024
/** Additional slots, one for each organisation that would have none: the attempts of others may take up to 10 s. */
const RESERVED_MAX = 1_024
/** A key whose last attempt took this long and failed gets one at a time, so that it uses few slots. */
const STUCK_MS = 5_000
const STUCK_MAX = 20_000

/** A job whose attempt starts, and whether it uses the reserved slot of its organisation. */
export type Taken = { key: Key; job: Loaded; isReserved: boolean }

export type Slots = {
  /** The next jobs of keys that may start some, by organisation in turn, and by key within an organisation.
   *  `mayHaveMore`: whether an organisation that already has attempts may start another one. */
  take(keys: Iterable<Key>, nowMs: number, max: number, mayHaveMore?: () => boolean): Taken[]
  /** The attempt ended after `ms`. */
  end(taken: Taken, isOk: boolean, durationMs: number): void
  /** The outcome of the attempt was written, or the attempt was not made. */
  give(taken: Taken): void
}

export function openSlots(atOnce = AT_ONCE_MAX): Slots {
  const shares = openShares(atOnce)
  const reserved = new Set<string>()
  const stuck = new Set<string>()

  /** Null if there is no slot for this organisation. */
  function slotOf(org: string): { isReserved: boolean } | null {
    if (shares.take(org, 1)) return { isReserved: false }
    if (reserved.has(org) || reserved.size >= Math.min(RESERVED_MAX, atOnce)) return null
    reserved.add(org)
    return { isReserved: true }
  }

  /** In an ordered queue, nothing starts before the outcome of the last attempt is written: the job may be retried. */
  function mayBegin({ queue, key, loaded, running, unended, limits, starts, blockedMs }: Key, nowMs: number): boolean {
    const { concurrency, rate } = limits
    const busy = queue.isOrdered ? unended : running
    if (loaded.length === 0 || busy >= (stuck.has(key) ? 1 : concurrency) || blockedMs > nowMs) return false
    return rate === null || freeMs(rate, starts, nowMs) <= nowMs
  }

  function begin(key: Key, slot: { isReserved: boolean }, nowMs: number): Taken {
    const { rate } = key.limits
    if (rate !== null) {
      key.starts.push(nowMs)
      // The rate may have been lowered.
      key.starts = key.starts.slice(-rate.count)
    }
    key.running++
    key.unended++
    return { key, job: key.loaded.shift() as Loaded, ...slot }
  }

  /** The next job of an organisation. A key that may start no more is removed. */
  function takeOne(org: string, own: Key[], nowMs: number): Taken | null {
    for (let key = own.shift(); key; key = own.shift()) {
      if (!mayBegin(key, nowMs)) continue
      const slot = slotOf(org)
      if (slot === null) return null
      own.push(key)
      return begin(key, slot, nowMs)
    }
    return null
  }

  return {
    take: (keys, nowMs, max, mayHaveMore = () => true) => {
      const byOrg = new Map<string, Key[]>()
      const busy = new Set<string>()
      for (const key of keys) {
        if (key.unended > 0) busy.add(key.org)
        if (!mayBegin(key, nowMs)) continue
        const own = byOrg.get(key.org)
        if (own) own.push(key)
        else byOrg.set(key.org, [key])
      }
      const all: Taken[] = []
      while (byOrg.size > 0 && all.length < max) {
        for (const [org, own] of byOrg) {
          if (all.length === max) break
          const taken = busy.has(org) && !mayHaveMore() ? null : takeOne(org, own, nowMs)
          busy.add(org)
          if (taken) all.push(taken)
          else byOrg.delete(org)
        }
      }
      return all
    },
    end: ({ key }, isOk, durationMs) => {
      key.running--
      if (!isOk && durationMs >= STUCK_MS && stuck.size < STUCK_MAX) stuck.add(key.key)
      else stuck.delete(key.key)
    },
    give: ({ key, isReserved }) => {
      if (isReserved) reserved.delete(key.org)
      else shares.give(key.org, 1)
      key.unended--
    },
  }
}
