// A random id for each browser, in a `__Host-` cookie. It proves that a sign-in is finished by the browser that started
// it. The cookies of oidc-provider cannot prove that: they are bound to a path, so sibling hosts can set them.
import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { cookieIn, hostCookie } from '../kit/host/cookies.ts'

const COOKIE = '__Host-stoa-id-browser'
const MAX_AGE_S = 400 * 24 * 60 * 60

/** The digest of this browser's id. Sets the cookie if the browser has none. */
export function ensureBrowserId(request: IncomingMessage, response: ServerResponse, newId: () => string): string {
  const existing = browserIdIn(request)
  const id = existing ?? newId()
  if (existing === null) response.appendHeader('set-cookie', hostCookie(COOKIE, id, MAX_AGE_S))
  return digestOf(id)
}

/** Whether the id of this browser has that digest. */
export function isSameBrowser(request: IncomingMessage, digest: unknown): boolean {
  const id = browserIdIn(request)
  return id !== null && digestOf(id) === digest
}

function browserIdIn({ headers }: IncomingMessage): string | null {
  const id = cookieIn(headers.cookie ?? '', COOKIE)
  return id !== null && /^\w{20}$/.test(id) ? id : null
}

const digestOf = (id: string) => createHash('sha256').update(id).digest('base64url')
