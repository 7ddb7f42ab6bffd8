import type { Clock } from '../engines.ts'

export const systemClock: Clock = { now: () => new Date(), elapsedMs: () => performance.now() }

/** Stands still until it is moved. */
export function manualClock(start: string): Clock & { advance(ms: number): void } {
  let now = Date.parse(start)
  return {
    now: () => new Date(now),
    elapsedMs: () => now,
    advance: ms => {
      now += ms
    },
  }
}
