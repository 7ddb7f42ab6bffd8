// Counts attempts by name within a time window, such as refused keys of an address.

/** The oldest names are forgotten first. */
const NAMES_MAX = 100_000

export type Attempts = {
  /** Milliseconds until another attempt is allowed; 0 if it is allowed now. */
  waitMs(name: string, max: number): number
  /** `share` of an attempt, if it is less than one. */
  count(name: string, share?: number): void
}

/** `elapsedMs` is a monotonic clock. */
export function openAttempts(windowMs: number, elapsedMs: () => number): Attempts {
  /** All windows have the same length, so those that end first are first in the map. */
  const windows = new Map<string, { count: number; untilMs: number }>()
  return {
    waitMs: (name, max) => {
      const window = windows.get(name)
      if (!window || window.count < max) return 0
      return Math.max(0, window.untilMs - elapsedMs())
    },
    count: (name, share = 1) => {
      const nowMs = elapsedMs()
      const window = windows.get(name)
      if (window && window.untilMs > nowMs) {
        window.count += share
        return
      }
      windows.delete(name)
      for (const [oldest, { untilMs }] of windows) {
        if (untilMs > nowMs && windows.size < NAMES_MAX) break
        windows.delete(oldest)
      }
      windows.set(name, { count: share, untilMs: nowMs + windowMs })
    },
  }
}
