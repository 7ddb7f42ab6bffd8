// Limits wrong passwords per account and per address within a time window. A browser that has signed in to the account
// before has its own count, so that an attacker cannot lock the owner out.
import type { Clock } from '../engines/engines.ts'
import { clientNetwork } from '../fair/address.ts'
import { openAttempts } from '../fair/attempts.ts'

const WINDOW_MS = 15 * 60_000
const PER_ACCOUNT = 10
const PER_BROWSER = 10
const PER_ADDRESS = 100

/** Counts a started sign-in of a client address; returns the seconds until the next one is allowed, 0 if it is now. */
export type StartLimiter = (client: string) => number

/** Every started sign-in is stored for a while, before anybody has proved who they are. */
export function startLimiter(clock: Clock, perMinute: number): StartLimiter {
  const attempts = openAttempts(60_000, clock.elapsedMs)
  return client => {
    const waitS = Math.ceil(attempts.waitMs(client, perMinute) / 1000)
    if (waitS === 0) attempts.count(client)
    return waitS
  }
}

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
  const attempts = openAttempts(WINDOW_MS, clock.elapsedMs)
  const limits = ({ account, address, knownBrowser }: Attempt): [name: string, max: number][] =>
    knownBrowser === null
      ? [
          [`account ${account}`, PER_ACCOUNT],
          [`address ${clientNetwork(address)}`, PER_ADDRESS],
        ]
      : [[`browser ${knownBrowser} ${account}`, PER_BROWSER]]
  return {
    waitS: attempt => {
      const waits = limits(attempt).map(([name, max]) => attempts.waitMs(name, max))
      return Math.ceil(Math.max(...waits) / 1000)
    },
    count: attempt => {
      for (const [name] of limits(attempt)) attempts.count(name)
    },
    forget: attempt => {
      for (const [name] of limits(attempt)) attempts.forget(name)
    },
  }
}
