import type { Clock } from '../engines.ts'

export const systemClock: Clock = {
  now: () => new Date(),
  elapsedMs: () => performance.now(),
  // Unreferenced: a sleep does not keep the process alive. An abort resolves it too.
  sleep: (ms, signal) =>
    new Promise(resolve => {
      if (signal?.aborted) return resolve()
      const end = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', end)
        resolve()
      }
      const timer = setTimeout(end, ms).unref()
      signal?.addEventListener('abort', end)
    }),
}

/** For tests: time changes only through `advance`, or also follows the system's clock if no start is given. */
export function manualClock(start?: string): Clock & { advance(ms: number): void } {
  let advancedMs = 0
  const nowMs = () => (start === undefined ? Date.now() : Date.parse(start)) + advancedMs
  const sleepers = new Set<{ untilMs: number; wake: () => void }>()
  return {
    now: () => new Date(nowMs()),
    elapsedMs: nowMs,
    sleep: (ms, signal) =>
      new Promise<void>(resolve => {
        if (signal?.aborted || ms <= 0) return resolve()
        const wake = () => {
          sleepers.delete(sleeper)
          resolve()
        }
        const sleeper = { untilMs: nowMs() + ms, wake }
        sleepers.add(sleeper)
        signal?.addEventListener('abort', wake, { once: true })
      }),
    advance: ms => {
      advancedMs += ms
      for (const { untilMs, wake } of [...sleepers]) if (untilMs <= nowMs()) wake()
    },
  }
}
