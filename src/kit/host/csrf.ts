// The token a browser session sends with every write; pages of other sites cannot read it. It is its time of issue and
// a MAC over that, keyed by the session's digest: any process can check it without storing it.
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Credential } from '../caller.ts'

export const CSRF_LIFETIME_S = 12 * 60 * 60
/** The tolerated difference between the clocks of two processes. */
const SKEW_S = 60

export function csrfToken(credential: Credential, now: Date): string {
  const issued = Math.floor(now.getTime() / 1000)
  return `${issued}.${mac(credential, issued).toString('base64url')}`
}

export function isCsrfToken(text: string, credential: Credential, now: Date): boolean {
  const [issued, tag] = text.match(/^([1-9]\d{0,10})\.([\w-]{43})$/)?.slice(1) ?? []
  if (!issued || !tag) return false
  const ageS = now.getTime() / 1000 - Number(issued)
  if (ageS < -SKEW_S || ageS >= CSRF_LIFETIME_S) return false
  return timingSafeEqual(Buffer.from(tag, 'base64url'), mac(credential, Number(issued)))
}

const mac = ({ digest }: Credential, issued: number) => createHmac('sha256', digest).update(`csrf ${issued}`).digest()
