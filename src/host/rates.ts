// The rate of a key: at most so many requests in any 60 seconds (a sliding-window log). It keeps the times of admitted
// requests for a minute, so memory grows with the number of requests, not with the configured rates.
import type { Clock } from '../engines/engines.ts'
import { Fault } from '../kit/fault.ts'

const WINDOW_MS = 60_000
const WINDOW_S = WINDOW_MS / 1000

/** A ring buffer; the oldest time is at `first`. */
type Window = { times: Float64Array; first: number; count: number }

export type Rates = {
  /** Counts a request of that key and returns the RateLimit header with the remaining number, or refuses it. */
  consume(key: string, rate: number): string
}

export function openRates(clock: Clock): Rates {
  const windows = new Map<string, Window>()
  let sweptMs = clock.elapsedMs()

  function sweep(nowMs: number): void {
    for (const [key, window] of windows) if (dropExpired(window, nowMs) === 0) windows.delete(key)
    sweptMs = nowMs
  }

  function open(key: string): Window {
    const window = { times: new Float64Array(16), first: 0, count: 0 }
    windows.set(key, window)
    return window
  }

  return {
    consume: (key, rate) => {
      const nowMs = clock.elapsedMs()
      if (nowMs - sweptMs > WINDOW_MS) sweep(nowMs)
      const window = windows.get(key) ?? open(key)
      dropExpired(window, nowMs)
      if (window.count >= rate) throw exceeded(rate, (timeAt(window, window.count - rate) + WINDOW_MS - nowMs) / 1000)
      add(window, nowMs)
      return rateStatus(rate - window.count, (timeAt(window, 0) + WINDOW_MS - nowMs) / 1000)
    },
  }
}

/** Drops the times outside the window and returns how many remain. */
function dropExpired(window: Window, nowMs: number): number {
  while (window.count > 0 && timeAt(window, 0) + WINDOW_MS <= nowMs) {
    window.first = (window.first + 1) % window.times.length
    window.count--
  }
  return window.count
}

function add(window: Window, nowMs: number): void {
  if (window.count === window.times.length) {
    const larger = new Float64Array(window.count * 2)
    for (let at = 0; at < window.count; at++) larger[at] = timeAt(window, at)
    window.times = larger
    window.first = 0
  }
  window.times[(window.first + window.count) % window.times.length] = nowMs
  window.count++
}

const timeAt = ({ times, first }: Window, at: number) => times[(first + at) % times.length] as number

/** The format of draft-ietf-httpapi-ratelimit-headers. */
const rateStatus = (remaining: number, resetS: number) => `"key";r=${remaining};t=${Math.ceil(resetS)}`

function exceeded(rate: number, waitS: number): Fault {
  const retryAfterS = Math.ceil(waitS)
  return new Fault('key_rate', {
    message: `This key may make ${rate} requests a minute; the next one is admitted in ${retryAfterS} s.`,
    retryAfterS,
    headers: { ratelimit: rateStatus(0, waitS), 'ratelimit-policy': `"key";q=${rate};w=${WINDOW_S}` },
  })
}
