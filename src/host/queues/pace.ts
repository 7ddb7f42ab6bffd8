// Controls how fast attempts start. A single organisation may use the whole event loop. While others have attempts too,
// some of it is kept free: each delivery takes a dozen steps, and a large sender would delay every one of them.

/** The share of the event loop to use. */
const BUSY = 0.6
/** Attempts per second, for organisations that have some already. */
const RATE_START = 1_000
const RATE_MIN = 200
const RATE_MAX = 50_000
const LOOK_MS = 25
/** Attempts that are due within this time start together: a few at a time would cost as many statements each. */
const BATCH_MS = 15
/** An organisation with an attempt within this time may have the next one at any moment. */
const ACTIVE_MS = 10_000

export type Pace = {
  /** Whether an organisation that already has attempts may start another one. */
  mayHaveMore(): boolean
  /** Records that this organisation started an attempt. */
  begun(org: string): void
  /** Whether more attempts would have started since the last call. */
  wasShort(): boolean
}

/** `utilization`: the share of the time since the last call in which the event loop was busy. */
export function openPace(nowMs = () => performance.now(), utilization = openUtilization()): Pace {
  /** When each organisation last started an attempt, oldest first. */
  const active = new Map<string, number>()
  let [rate, spare, filledMs, lookedMs] = [RATE_START, 0, nowMs(), nowMs()]
  let [isShort, wasShort] = [false, false]

  function look(atMs: number): void {
    if (atMs - lookedMs < LOOK_MS) return
    lookedMs = atMs
    const busy = utilization()
    if (busy > BUSY) rate = Math.max(RATE_MIN, rate * (busy > (1 + BUSY) / 2 ? 0.8 : 0.9))
    else if (wasShort) rate = Math.min(RATE_MAX, rate * 1.1)
    wasShort = false
  }

  function fill(atMs: number): void {
    if (atMs - filledMs < BATCH_MS) return
    spare = (rate * Math.min(atMs - filledMs, 2 * BATCH_MS)) / 1_000
    filledMs = atMs
  }

  function forget(atMs: number): void {
    for (const [org, ms] of active) {
      if (ms + ACTIVE_MS > atMs) break
      active.delete(org)
    }
  }

  return {
    mayHaveMore: () => {
      const atMs = nowMs()
      forget(atMs)
      if (active.size < 2) return true
      look(atMs)
      fill(atMs)
      if (spare >= 1) {
        spare--
        return true
      }
      isShort = wasShort = true
      return false
    },
    begun: org => {
      const atMs = nowMs()
      forget(atMs)
      active.delete(org)
      active.set(org, atMs)
    },
    wasShort: () => {
      const was = isShort
      isShort = false
      return was
    },
  }
}

function openUtilization(): () => number {
  let last = performance.eventLoopUtilization()
  return () => {
    const before = last
    last = performance.eventLoopUtilization()
    return performance.eventLoopUtilization(last, before).utilization
  }
}
