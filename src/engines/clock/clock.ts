import { setTimeout as wait } from 'node:timers/promises'
import type { Clock } from '../engines.ts'

export const systemClock: Clock = {
  now: () => new Date(),
  elapsedMs: () => performance.now(),
  // Unreferenced: a sleep does not keep the process alive. An abort resolves it too.
  sleep: (ms, signal) => wait(ms, undefined, { ref: false, ...(signal && { signal }) }).catch(() => {}),
}

/** For tests: time changes only through `advance`. */
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
