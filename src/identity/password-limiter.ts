// Limits wrong passwords per account and per address, and mails per address, within a time window, over all processes on the database. A browser
// that has signed in to the account before has its own count, so that an attacker cannot lock the owner out.
import { createHash } from 'node:crypto'
import type { Clock, Engines } from '../engines/engines.ts'
import { clientNetwork } from '../fair/address.ts'
import { openAttempts } from '../fair/attempts.ts'
import { guesses } from '../services/iam/public.ts'

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

const MAILS_WINDOW_MS = 60 * 60_000
const MAILS_PER_NETWORK = 10

/** Counts a mail that a network asks for; returns the seconds until the next one is allowed, 0 if this one is. */
export function openMailLimiter({ db, clock }: Pick<Engines, 'db' | 'clock'>) {
  return async (network: string): Promise<number> => {
    const nowMs = clock.now().getTime()
    const counter = counterOf(`mails ${network}`, MAILS_PER_NETWORK)
    const { account } = await guesses.countGuess(
      db.autocommit,
      null,
      counter,
      timeOf(nowMs),
      timeOf(nowMs + MAILS_WINDOW_MS),
    )
    if (account !== null) return 0
    const fullUntil = await guesses.selectEnd(db, [counter], timeOf(nowMs))
    return Math.max(1, Math.ceil((fullUntil === null ? 0 : Date.parse(fullUntil) - nowMs) / 1000))
  }
}

const DAY_MS = 24 * MAILS_WINDOW_MS

/** What is counted of mails to customers: to an address, so that nobody's mailbox is flooded and codes cannot be guessed; from a
 *  network; and for an organisation, because the mail server is that of all. */
const CUSTOMER_MAILS = [
  { windowMs: MAILS_WINDOW_MS, max: 60, of: (_org: string, _email: string, network: string) => `from ${network}` },
  { windowMs: 15 * 60_000, max: 3, of: (org: string, email: string) => `now to ${org} ${email}` },
  { windowMs: DAY_MS, max: 12, of: (org: string, email: string) => `today to ${org} ${email}` },
  { windowMs: DAY_MS, max: 40, of: (_org: string, email: string) => `today of all to ${email}` },
  { windowMs: MAILS_WINDOW_MS, max: 10_000, of: (org: string) => `for ${org}` },
]

/** Counts a mail to a customer; returns the seconds until the next one is allowed, 0 if this one is. */
export function openCustomerMailLimiter({ db, clock }: Pick<Engines, 'db' | 'clock'>) {
  return async (org: string, email: string, network: string): Promise<number> => {
    const nowMs = clock.now().getTime()
    for (const { windowMs, max, of } of CUSTOMER_MAILS) {
      const counter = counterOf(`customer mails ${of(org, email, network)}`, max)
      const ends = timeOf(nowMs + windowMs)
      const { account } = await guesses.countGuess(db.autocommit, null, counter, timeOf(nowMs), ends)
      if (account !== null) continue
      const fullUntil = await guesses.selectEnd(db, [counter], timeOf(nowMs))
      return Math.max(1, Math.ceil((fullUntil === null ? 0 : Date.parse(fullUntil) - nowMs) / 1000))
    }
    return 0
  }
}

const counterOf = (text: string, max: number) => ({ name: createHash('sha256').update(text).digest(), max })

function countersOf({ account, address, knownBrowser }: Attempt) {
  if (knownBrowser !== null)
    return { network: null, account: counterOf(`browser ${knownBrowser} ${account}`, PER_BROWSER) }
  return {
    network: counterOf(`address ${clientNetwork(address)}`, PER_ADDRESS),
    account: counterOf(`account ${account}`, PER_ACCOUNT),
  }
}

const timeOf = (ms: number) => new Date(ms).toISOString()
