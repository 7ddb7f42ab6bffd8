// Limits wrong passwords per account and per address within a time window. A browser that has signed in to the account
// before has its own count, so that an attacker cannot lock the owner out.
import type { Clock } from '../engines/engines.ts'

const WINDOW_MS = 15 * 60_000
const PER_ACCOUNT = 10
const PER_BROWSER = 10
const PER_ADDRESS = 100

export type Attempt = { account: string; address: string; knownBrowser: string | null }

export type PasswordLimiter = {
  /** Seconds until the next attempt is allowed; 0 if it is allowed now. */
  waitS(attempt: Attempt): number
  /** Counts an attempt. Called before the password is checked, so that parallel attempts cannot exceed the limit. */
  count(attempt: Attempt): void
  /** Undoes `count` after the right password. */
  forget(attempt: Attempt): void
}

export function openPasswordLimiter(clock: Clock): PasswordLimiter {
  const counts = new Map<string, { wrong: number; untilMs: number }>()
  let sweptMs = clock.elapsedMs()

  const limits = ({ account, address, knownBrowser }: Attempt): [key: string, max: number][] =>
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
    waitS: attempt => {
      const nowMs = clock.elapsedMs()
      const waits = limits(attempt).map(([key, max]) => {
        const count = counts.get(key)
        return count && count.untilMs > nowMs && count.wrong >= max ? count.untilMs - nowMs : 0
      })
      return Math.ceil(Math.max(...waits) / 1000)
    },
    forget: attempt => {
      for (const [key] of limits(attempt)) {
        const count = counts.get(key)
        if (count) count.wrong--
      }
    },
    count: attempt => {
      const nowMs = clock.elapsedMs()
      if (nowMs - sweptMs > WINDOW_MS) sweep(nowMs)
      for (const [key] of limits(attempt)) {
        const count = counts.get(key)
        if (count && count.untilMs > nowMs) count.wrong++
        else counts.set(key, { wrong: 1, untilMs: nowMs + WINDOW_MS })
      }
    },
  }
}

/** The /64 network of an IPv6 address: its user can choose the other half freely for each attempt. */
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
