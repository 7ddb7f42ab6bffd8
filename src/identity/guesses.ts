// Slows down who guesses passwords: so many wrong ones per account and per address, and then a pause. A browser that has
// signed in to the account before is counted by itself, so that nobody can lock its owner out by guessing.
import type { Clock } from '../engines/engines.ts'

const WINDOW_MS = 15 * 60_000
const PER_ACCOUNT = 10
const PER_BROWSER = 10
const PER_ADDRESS = 100

export type Guesser = { account: string; address: string; knownBrowser: string | null }

export type Guesses = {
  /** How many seconds to wait before the next try; 0 when there is none. */
  waitS(who: Guesser): number
  /** Counts a try; before the password is looked at, so that many at once are no way around. */
  count(who: Guesser): void
  /** Takes the try back: it was the right one. */
  forget(who: Guesser): void
}

export function openGuesses(clock: Clock): Guesses {
  const counts = new Map<string, { wrong: number; untilMs: number }>()
  let sweptMs = clock.elapsedMs()

  const bounds = ({ account, address, knownBrowser }: Guesser): [key: string, max: number][] =>
    knownBrowser === null
      ? [
          [`account ${account}`, PER_ACCOUNT],
          [`address ${networkOf(address)}`, PER_ADDRESS],
        ]
      : [[`browser ${knownBrowser} ${account}`, PER_BROWSER]]

  function sweep(nowMs: number): void {
    for (const [key, { untilMs }] of counts) if (untilMs <= nowMs) counts.delete(key)
    sweptMs = nowMs
  }

  return {
    waitS: who => {
      const nowMs = clock.elapsedMs()
      const waits = bounds(who).map(([key, max]) => {
        const count = counts.get(key)
        return count && count.untilMs > nowMs && count.wrong >= max ? count.untilMs - nowMs : 0
      })
      return Math.ceil(Math.max(...waits) / 1000)
    },
    forget: who => {
      for (const [key] of bounds(who)) {
        const count = counts.get(key)
        if (count) count.wrong--
      }
    },
    count: who => {
      const nowMs = clock.elapsedMs()
      if (nowMs - sweptMs > WINDOW_MS) sweep(nowMs)
      for (const [key] of bounds(who)) {
        const count = counts.get(key)
        if (count && count.untilMs > nowMs) count.wrong++
        else counts.set(key, { wrong: 1, untilMs: nowMs + WINDOW_MS })
      }
    },
  }
}

/** Of an IPv6 address its first half: the other one is its owner's to choose, anew for every try. */
function networkOf(address: string): string {
  if (!address.includes(':') || address.includes('.')) return address
  const [before = '', after] = address.split('::')
  const groups = before === '' ? [] : before.split(':')
  const omitted = after === undefined ? 0 : 8 - groups.length - (after === '' ? 0 : after.split(':').length)
  const whole = [...groups, ...Array<string>(omitted).fill('0'), ...(after ?? '').split(':')]
  return whole
    .slice(0, 4)
    .map(group => Number.parseInt(group, 16))
    .join(':')
}
