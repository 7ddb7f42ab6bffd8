// Which deliveries are sent next: places are shared by organisations, and few of them are taken by endpoints that hang.
import { openShares } from '../../../fair/shares.ts'
import type { Queue } from './queues.ts'
import type { DueDelivery } from './store.ts'

/** Attempts that are recorded together, with their bodies in memory. */
export const START_MAX = 256
/** Attempts at once, with those whose outcome is not written yet; one organisation may have half of what is left. */
const AT_ONCE_MAX = 1_024
/** More of them, one for each organisation that would have none: others may hang for 10 s. */
const RESERVED_MAX = 1_024
/** An endpoint whose last attempt failed after so long gets one at a time, so that it takes few places. */
const STUCK_MS = 5_000
const STUCK_MAX = 20_000

/** A delivery whose attempt begins, and whether its place is the reserved one of its organisation. */
export type Taken = { queue: Queue; due: DueDelivery; isReserved: boolean }

export type Places = {
  /** The next deliveries of endpoints that have places left, one of each in turn. */
  take(queues: Iterable<Queue>): Taken[]
  /** The attempt is over, after so long. */
  end(taken: Taken, isOk: boolean, durationMs: number): void
  /** The outcome of the attempt is written, or it was not made. */
  give(taken: Taken): void
}

/** `concurrency` counts the attempts of an endpoint at once. */
export function openPlaces(concurrency: number): Places {
  const shares = openShares(AT_ONCE_MAX)
  const reserved = new Set<string>()
  const stuck = new Set<string>()

  /** Null if there is no place for this organisation. */
  function placeOf(org: string): { isReserved: boolean } | null {
    if (shares.take(org, 1)) return { isReserved: false }
    if (reserved.has(org) || reserved.size >= RESERVED_MAX) return null
    reserved.add(org)
    return { isReserved: true }
  }

  function takeOne(queue: Queue): Taken | null {
    const runningMax = stuck.has(queue.webhook) ? 1 : concurrency
    const place = queue.loaded.length > 0 && queue.running < runningMax ? placeOf(queue.org) : null
    if (place === null) return null
    queue.running++
    queue.unended++
    return { queue, due: queue.loaded.shift() as DueDelivery, ...place }
  }

  return {
    take: queues => {
      const all: Taken[] = []
      let ready = [...queues]
      while (ready.length > 0 && all.length < START_MAX) {
        ready = ready.filter(queue => {
          const taken = all.length < START_MAX ? takeOne(queue) : null
          if (taken) all.push(taken)
          return taken !== null
        })
      }
      return all
    },
    end: ({ queue }, isOk, durationMs) => {
      queue.running--
      if (!isOk && durationMs >= STUCK_MS && stuck.size < STUCK_MAX) stuck.add(queue.webhook)
      else stuck.delete(queue.webhook)
    },
    give: ({ queue, isReserved }) => {
      if (isReserved) reserved.delete(queue.org)
      else shares.give(queue.org, 1)
      queue.unended--
    },
  }
}
