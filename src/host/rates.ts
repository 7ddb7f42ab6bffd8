// A key's rate: at most so many requests in any 60 seconds, exactly. The moments of the admitted ones are kept for a
// minute, so what this takes grows with the requests there were and not with the rates that were set.
import type { Clock } from '../engines/engines.ts'
import { Fault } from '../kit/fault.ts'

const WINDOW_MS = 60_000
const WINDOW_S = WINDOW_MS / 1000

/** A ring: the oldest moment stands at `first`. */
type Window = { moments: Float64Array; first: number; count: number }

export type Rates = {
  /** Counts a request of that key, or refuses it. Answers the RateLimit header, which tells how much is left. */
  consume(key: string, rate: number): string
}

export function openRates(clock: Clock): Rates {
  const windows = new Map<string, Window>()
  let sweptMs = clock.elapsedMs()

  function sweep(nowMs: number): void {
    for (const [key, window] of windows) if (leave(window, nowMs) === 0) windows.delete(key)
    sweptMs = nowMs
  }

  function open(key: string): Window {
    const window = { moments: new Float64Array(16), first: 0, count: 0 }
    windows.set(key, window)
    return window
  }

  return {
    consume: (key, rate) => {
      const nowMs = clock.elapsedMs()
      if (nowMs - sweptMs > WINDOW_MS) sweep(nowMs)
      const window = windows.get(key) ?? open(key)
      leave(window, nowMs)
      if (window.count >= rate) throw exceeded(rate, (momentAt(window, window.count - rate) + WINDOW_MS - nowMs) / 1000)
      add(window, nowMs)
      return rateStatus(rate - window.count, (momentAt(window, 0) + WINDOW_MS - nowMs) / 1000)
    },
  }
}

/** Drops what is a whole window old, and answers how many are left. */
function leave(window: Window, nowMs: number): number {
  while (window.count > 0 && momentAt(window, 0) + WINDOW_MS <= nowMs) {
    window.first = (window.first + 1) % window.moments.length
    window.count--
  }
  return window.count
}

function add(window: Window, nowMs: number): void {
  if (window.count === window.moments.length) {
    const larger = new Float64Array(window.count * 2)
    for (let at = 0; at < window.count; at++) larger[at] = momentAt(window, at)
    window.moments = larger
    window.first = 0
  }
  window.moments[(window.first + window.count) % window.moments.length] = nowMs
  window.count++
}

const momentAt = ({ moments, first }: Window, at: number) => moments[(first + at) % moments.length] as number

/** As draft-ietf-httpapi-ratelimit-headers has it. */
const rateStatus = (left: number, resetS: number) => `"key";r=${left};t=${Math.ceil(resetS)}`

function exceeded(rate: number, waitS: number): Fault {
  const retryAfterS = Math.ceil(waitS)
  return new Fault('key_rate', {
    message: `This key may make ${rate} requests a minute; the next one is admitted in ${retryAfterS} s.`,
    retryAfterS,
    headers: { ratelimit: rateStatus(0, waitS), 'ratelimit-policy': `"key";q=${rate};w=${WINDOW_S}` },
  })
}
