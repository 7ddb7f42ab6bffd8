// Checks a password within the limits on wrong ones. A browser that signed in to the account before has its own limit.
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { cookieIn, hostCookie } from '../kit/host/cookies.ts'
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
  /** The proof of the account's present password; null if there is no such account or it has no password. */
  proofOf: (email: string) => Promise<string | null>
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

/** What looks like an address: forms repeat only such input. */
export const ADDRESS = /^[^\s<>"][^\s<>"@]*@[^\s<>"]+$/

export const addressIn = (fields: URLSearchParams | null): string =>
  (fields?.get('email') ?? '').replaceAll('\0', '').trim().toLowerCase().slice(0, 254)

const WRONG = 'The e-mail address or the password is wrong.'

export async function tryPassword(
  options: PasswordOptions,
  request: IncomingMessage,
  email: string,
  password: string,
): Promise<VerifiedUser | Refusal> {
  const { limiter, checkPassword, address } = options
  const attempt = { account: email, address, knownBrowser: await knownBrowser(options, request, email) }
  const { waitS, forget } = await limiter.count(attempt)
  if (waitS > 0) {
    const minutes = Math.ceil(waitS / 60)
    const duration = minutes === 1 ? '1 minute' : `${minutes} minutes`
    return { status: 429, waitS, says: `Too many wrong passwords. Wait ${duration}, then try again.` }
  }
  const verified = await checkPassword(email, password).catch(async error => {
    // The check failed, so the password was not wrong. If this fails too, the attempt stays counted, which is safe.
    await forget().catch(() => {})
    throw error
  })
  if (verified === null) return { status: 401, says: WRONG }
  await forget()
  return verified
}

/** A new random id for this browser with a MAC over the id and the account, so that it cannot be forged for an account that the
 *  browser has not signed in to. Each browser has its own attempts. The entry is void when the password changes: a person who
 *  knew the old password must not get extra attempts at the new one. Entries for other accounts are preserved. */
export function knownCookie(
  { cookieKey, newBrowserId }: Pick<PasswordOptions, 'cookieKey' | 'newBrowserId'>,
  request: IncomingMessage,
  email: string,
  proof: string,
): string {
  const id = newBrowserId()
  const others = knownIn(request).filter(entry => !isFor(cookieKey, entry, email, proof))
  const all = [{ id, mac: macOf(cookieKey, id, email, proof) }, ...others].slice(0, KNOWN_ACCOUNTS_MAX)
  return hostCookie(KNOWN_COOKIE, all.map(({ id, mac }) => `${id}.${mac}`).join('~'), KNOWN_MAX_AGE_S)
}

const macOf = (cookieKey: string, id: string, email: string, proof: string) =>
  createHmac('sha256', cookieKey).update(`known ${id} ${proof} ${email}`).digest('base64url')

/** As long as the proof of an account. */
const NO_PROOF = '0'.repeat(64)

type Known = { id: string; mac: string }

const knownIn = ({ headers }: IncomingMessage): Known[] =>
  (cookieIn(headers.cookie ?? '', KNOWN_COOKIE) ?? '').split('~', KNOWN_ACCOUNTS_MAX).flatMap(entry => {
    const [, id, mac] = entry.match(/^(\w{20})\.([\w-]{43})$/) ?? []
    return id && mac ? [{ id, mac }] : []
  })

const isFor = (cookieKey: string, { id, mac }: Known, email: string, proof: string): boolean =>
  timingSafeEqual(Buffer.from(mac), Buffer.from(macOf(cookieKey, id, email, proof)))

/** The id of this browser, if it was signed in to the account before; null otherwise. */
export async function knownBrowser(
  { cookieKey, proofOf }: Pick<PasswordOptions, 'cookieKey' | 'proofOf'>,
  request: IncomingMessage,
  email: string,
): Promise<string | null> {
  const entries = knownIn(request)
  if (entries.length === 0) return null
  const proof = await proofOf(email)
  // All are computed even without an account: otherwise the response time would reveal whether there is one.
  const found = entries.filter(entry => isFor(cookieKey, entry, email, proof ?? NO_PROOF))
  return proof === null ? null : (found[0]?.id ?? null)
}
