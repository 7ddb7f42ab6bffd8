// A mark that each browser has, by which it is known again at the end of a sign-in that it began. The cookies of
// oidc-provider cannot do that: they are for one path each, and pages of neighbouring hosts can set such.
import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { cookieIn, hostCookie } from '../kit/cookies.ts'

const COOKIE = '__Host-stoa-id-browser'
const LASTS_S = 400 * 24 * 60 * 60

/** The digest of this browser's mark, which it is given if it has none. */
export function markBrowser(request: IncomingMessage, response: ServerResponse, newMark: () => string): string {
  const known = markIn(request)
  const mark = known ?? newMark()
  if (known === null) response.appendHeader('set-cookie', hostCookie(COOKIE, mark, LASTS_S))
  return digestOf(mark)
}

/** Whether this browser is the one whose mark has that digest. */
export function isBrowser(request: IncomingMessage, digest: unknown): boolean {
  const mark = markIn(request)
  return mark !== null && digestOf(mark) === digest
}

function markIn({ headers }: IncomingMessage): string | null {
  const mark = cookieIn(headers.cookie ?? '', COOKIE)
  return mark !== null && /^\w{20}$/.test(mark) ? mark : null
}

const digestOf = (mark: string) => createHash('sha256').update(mark).digest('base64url')
