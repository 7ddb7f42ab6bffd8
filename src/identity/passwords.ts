// How a password is tried: slowed down where it was wrong too often, but not for a browser that signed in before.
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { cookieIn, hostCookie } from '../kit/cookies.ts'
import type { Guesses } from './guesses.ts'

/** Says that this browser has signed in to an account before. It opens nothing. */
const KNOWN_COOKIE = '__Host-stoa-id-known'
const KNOWN_S = 400 * 24 * 60 * 60
/** How many accounts of one browser. */
const KNOWN_MAX = 5

export type PasswordOptions = {
  guesses: Guesses
  /** Whose password it is, and what tells whether it still is. Takes equally long when there is no such person. */
  checkPassword: (email: string, password: string) => Promise<Proved | null>
  cookieKey: string
  /** Draws 20 letters and digits. */
  newMark: () => string
  /** Where the request comes from. */
  address: string
}

export type Proved = { user: string; proof: string }
/** What is told to who may not go on. */
export type Refusal = { status: number; says: string; waitS?: number }

const WRONG = 'This e-mail address and password do not go together.'

export async function tryPassword(
  options: PasswordOptions,
  request: IncomingMessage,
  email: string,
  password: string,
): Promise<Proved | Refusal> {
  const { guesses, checkPassword, address } = options
  const who = { account: email, address, knownBrowser: knownBrowser(options, request, email) }
  const waitS = guesses.waitS(who)
  if (waitS > 0) {
    const minutes = Math.ceil(waitS / 60)
    return { status: 429, waitS, says: `Too many wrong passwords. Wait ${minutes} minutes and try again.` }
  }
  guesses.count(who)
  const proved = await checkPassword(email, password)
  if (proved === null) return { status: 401, says: WRONG }
  guesses.forget(who)
  return proved
}

/** A browser's own mark, and our word that it signed in to that account: nobody can make one for an account they have not
 *  signed in to, and no browser uses up the tries of another. Those of other accounts are kept beside it. */
export function knownCookie(options: PasswordOptions, request: IncomingMessage, email: string): string {
  const mark = options.newMark()
  const others = knownIn(request).filter(one => !isFor(options, one, email))
  const all = [{ mark, word: vouch(options.cookieKey, mark, email) }, ...others].slice(0, KNOWN_MAX)
  return hostCookie(KNOWN_COOKIE, all.map(one => `${one.mark}.${one.word}`).join('~'), KNOWN_S)
}

const vouch = (cookieKey: string, mark: string, email: string) =>
  createHmac('sha256', cookieKey).update(`known ${mark} ${email}`).digest('base64url')

type Known = { mark: string; word: string }

const knownIn = ({ headers }: IncomingMessage): Known[] =>
  [...(cookieIn(headers.cookie ?? '', KNOWN_COOKIE) ?? '').matchAll(/(\w{20})\.([\w-]{43})(?:~|$)/g)].map(
    ([, mark, word]) => ({ mark: mark as string, word: word as string }),
  )

const isFor = ({ cookieKey }: PasswordOptions, { mark, word }: Known, email: string): boolean =>
  timingSafeEqual(Buffer.from(word), Buffer.from(vouch(cookieKey, mark, email)))

const knownBrowser = (options: PasswordOptions, request: IncomingMessage, email: string): string | null =>
  knownIn(request).find(one => isFor(options, one, email))?.mark ?? null
