// Checks a password within the limits on wrong ones. A browser that signed in to the account before has its own limit.
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { cookieIn, hostCookie } from '../kit/cookies.ts'
import type { PasswordLimiter } from './password-limiter.ts'

/** Proves that this browser has signed in to an account before. It grants no access. */
const KNOWN_COOKIE = '__Host-stoa-id-known'
const KNOWN_MAX_AGE_S = 400 * 24 * 60 * 60
/** The number of accounts per browser. */
const KNOWN_ACCOUNTS_MAX = 5

export type PasswordOptions = {
  limiter: PasswordLimiter
  /** Null if the password is wrong. Takes equally long if there is no such account. */
  checkPassword: (email: string, password: string) => Promise<VerifiedUser | null>
  cookieKey: string
  /** Returns 20 random letters and digits. */
  newBrowserId: () => string
  /** The address of the client. */
  address: string
}

/** `proof` is a digest of the stored password hash, to check later that the password has not changed. */
export type VerifiedUser = { user: string; proof: string }
/** Shown to a person who is not signed in. */
export type Refusal = { status: number; says: string; waitS?: number }

const WRONG = 'The e-mail address or the password is wrong.'

export async function tryPassword(
  options: PasswordOptions,
  request: IncomingMessage,
  email: string,
  password: string,
): Promise<VerifiedUser | Refusal> {
  const { limiter, checkPassword, address } = options
  const attempt = { account: email, address, knownBrowser: knownBrowser(options, request, email) }
  const waitS = limiter.waitS(attempt)
  if (waitS > 0) {
    const minutes = Math.ceil(waitS / 60)
    const duration = minutes === 1 ? '1 minute' : `${minutes} minutes`
    return { status: 429, waitS, says: `Too many wrong passwords. Wait ${duration}, then try again.` }
  }
  limiter.count(attempt)
  const verified = await checkPassword(email, password)
  if (verified === null) return { status: 401, says: WRONG }
  limiter.forget(attempt)
  return verified
}

/** A new random id for this browser with a MAC over the id and the account: it cannot be forged for an account that the
 *  browser has not signed in to, and each browser has its own attempts. Entries of other accounts are preserved. */
export function knownCookie(options: PasswordOptions, request: IncomingMessage, email: string): string {
  const id = options.newBrowserId()
  const others = knownIn(request).filter(entry => !isFor(options, entry, email))
  const all = [{ id, mac: macOf(options.cookieKey, id, email) }, ...others].slice(0, KNOWN_ACCOUNTS_MAX)
  return hostCookie(KNOWN_COOKIE, all.map(({ id, mac }) => `${id}.${mac}`).join('~'), KNOWN_MAX_AGE_S)
}

const macOf = (cookieKey: string, id: string, email: string) =>
  createHmac('sha256', cookieKey).update(`known ${id} ${email}`).digest('base64url')

type Known = { id: string; mac: string }

const knownIn = ({ headers }: IncomingMessage): Known[] =>
  (cookieIn(headers.cookie ?? '', KNOWN_COOKIE) ?? '').split('~').flatMap(entry => {
    const [, id, mac] = entry.match(/^(\w{20})\.([\w-]{43})$/) ?? []
    return id && mac ? [{ id, mac }] : []
  })

const isFor = ({ cookieKey }: PasswordOptions, { id, mac }: Known, email: string): boolean =>
  timingSafeEqual(Buffer.from(mac), Buffer.from(macOf(cookieKey, id, email)))

const knownBrowser = (options: PasswordOptions, request: IncomingMessage, email: string): string | null =>
  knownIn(request).find(entry => isFor(options, entry, email))?.id ?? null
