import { setTimeout as wait } from 'node:timers/promises'
import type { Clock } from '../engines.ts'

export const systemClock: Clock = {
  now: () => new Date(),
  elapsedMs: () => performance.now(),
  // A process with nothing left to do but wait may end.
  sleep: async (ms, signal) => {
    await wait(ms, undefined, { ref: false, ...(signal && { signal }) }).catch(() => {}) // Aborted: that is an answer too.
  },
}

/** Stands still until it is moved. */
export function manualClock(start: string): Clock & { advance(ms: number): void } {
  let now = Date.parse(start)
  const sleepers = new Set<{ untilMs: number; wake: () => void }>()
  return {
    now: () => new Date(now),
    elapsedMs: () => now,
    sleep: (ms, signal) =>
      new Promise<void>(resolve => {
        if (signal?.aborted || ms <= 0) return resolve()
        const wake = () => {
          sleepers.delete(sleeper)
          resolve()
        }
        const sleeper = { untilMs: now + ms, wake }
        sleepers.add(sleeper)
        signal?.addEventListener('abort', wake, { once: true })
      }),
    advance: ms => {
      now += ms
      for (const { untilMs, wake } of [...sleepers]) if (untilMs <= now) wake()
    },
  }
}
