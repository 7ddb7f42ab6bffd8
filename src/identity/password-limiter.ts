// Limits wrong passwords per account and per client address, and mails and codes per client network, within a time window and
// across all processes on the database. A browser that has signed in to the account before has its own count, so that an
// attacker cannot lock the owner out.
import type { Clock, Engines } from '../engines/engines.ts'
import { clientNetwork } from '../fair/address.ts'
import { openAttempts } from '../fair/attempts.ts'
import { guesses, limits } from '../services/iam/public.ts'

const WINDOW_MS = 15 * 60_000
const PER_ACCOUNT = 10
const PER_BROWSER = 10
const PER_ADDRESS = 100

/** Counts a started sign-in of a client address; returns the seconds until the next one is allowed, 0 if it is now. */
export type StartLimiter = (client: string) => number

/** Limits started sign-ins: each is stored for a while, although the client is not authenticated yet. */
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
  /** Counts an attempt unless it is refused. Called before the password is checked, so that parallel attempts cannot
   *  exceed the limit. */
  count(attempt: Attempt): Promise<CountedAttempt>
}

export type CountedAttempt = {
  /** Seconds until the next attempt is allowed; 0 if this one is. */
  waitS: number
  /** Undoes the count after the right password. */
  forget(): Promise<void>
}

export function openPasswordLimiter({ db, clock }: Pick<Engines, 'db' | 'clock'>): PasswordLimiter {
  return {
    count: async attempt => {
      const { network, account } = countersOf(attempt)
      const nowMs = clock.now().getTime()
      const [at, ends] = [timeOf(nowMs), timeOf(nowMs + WINDOW_MS)]
      const counted = await guesses.countGuess(db.autocommit, network, account, at, ends)
      const forget = async () => {
        if (network && counted.network) await guesses.uncountGuess(db.autocommit, network.name, counted.network)
        if (counted.account) await guesses.uncountGuess(db.autocommit, account.name, counted.account)
      }
      if (counted.account !== null) return { waitS: 0, forget }
      await forget()
      const fullUntil = await guesses.selectEnd(db, network ? [network, account] : [account], at)
      // Null if another attempt was undone in the meantime.
      const waitMs = fullUntil === null ? 0 : Date.parse(fullUntil) - nowMs
      return { waitS: Math.max(1, Math.ceil(waitMs / 1000)), forget: async () => {} }
    },
  }
}

const HOUR_MS = 60 * 60_000
const MAILS_PER_NETWORK = { windowMs: HOUR_MS, max: 10 }
/** Counts correct codes too. Each code allows five attempts; without this limit, a network could guess codes of many people. */
const CODES_PER_NETWORK = { windowMs: HOUR_MS, max: 100 }

/** Counts a mail requested from a network; returns the seconds until the next one is allowed, 0 if this one is. */
export const openMailLimiter =
  ({ db, clock }: Pick<Engines, 'db' | 'clock'>) =>
  (network: string): Promise<number> =>
    limits.countWithin({ db: db.autocommit, clock }, `mails ${network}`, MAILS_PER_NETWORK)

/** The same for an entered code. */
export const openCodeLimiter =
  ({ db, clock }: Pick<Engines, 'db' | 'clock'>) =>
  (network: string): Promise<number> =>
    limits.countWithin({ db: db.autocommit, clock }, `codes ${network}`, CODES_PER_NETWORK)

function countersOf({ account, address, knownBrowser }: Attempt) {
  if (knownBrowser !== null)
    return { network: null, account: limits.counterOf(`browser ${knownBrowser} ${account}`, PER_BROWSER) }
  return {
    network: limits.counterOf(`address ${clientNetwork(address)}`, PER_ADDRESS),
    account: limits.counterOf(`account ${account}`, PER_ACCOUNT),
  }
}

const timeOf = (ms: number) => new Date(ms).toISOString()
