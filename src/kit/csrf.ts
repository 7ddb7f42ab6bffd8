// The token a browser session sends with every write, which another site's page cannot know. It is the time it was made
// and a MAC over it, keyed by what only the session and the server have: any process can check it, and none keeps it.
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Credential } from './caller.ts'

export const CSRF_LIFETIME_S = 12 * 60 * 60
/** How far the clocks of two processes may be apart. */
const SKEW_S = 60

export function csrfToken(credential: Credential, now: Date): string {
  const made = Math.floor(now.getTime() / 1000)
  return `${made}.${mac(credential, made).toString('base64url')}`
}

export function isCsrfToken(text: string, credential: Credential, now: Date): boolean {
  const [made, digits] = text.match(/^([1-9]\d{0,10})\.([\w-]{43})$/)?.slice(1) ?? []
  if (!made || !digits) return false
  const ageS = now.getTime() / 1000 - Number(made)
  if (ageS < -SKEW_S || ageS >= CSRF_LIFETIME_S) return false
  return timingSafeEqual(Buffer.from(digits, 'base64url'), mac(credential, Number(made)))
}

const mac = ({ digest }: Credential, made: number) => createHmac('sha256', digest).update(`csrf ${made}`).digest()
