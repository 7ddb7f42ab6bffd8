// From what a request presents to the caller it stands for, before a byte of the body is read.
import type { IncomingMessage } from 'node:http'
import type { Clock } from '../engines/engines.ts'
import { administers, isSuperadmin, type Writer } from '../kit/caller.ts'
import { cookieIn } from '../kit/cookies.ts'
import { type Credentials, SESSION_COOKIE } from '../kit/credentials.ts'
import { isCsrfToken } from '../kit/csrf.ts'
import { Fault } from '../kit/fault.ts'
import type { Access } from '../kit/operation.ts'
import { count } from './arrival.ts'
import { isSafe, malformed } from './faults.ts'

const CHALLENGE = { 'www-authenticate': 'Bearer' }
export const INGEST_HEADER = 'x-service-ingest-key'
/** For beacons, which cannot set headers. Taken out of the query before the operation sees it. */
export const INGEST_PARAMETER = 'ingest_key'

/** The first that is presented counts, be it good or not: a bearer, where events come in the header and the parameter of
 *  an ingest key, and last the session cookie, which a browser sends unasked. */
export function authenticate(
  request: IncomingMessage,
  query: Record<string, unknown>,
  access: Access,
  credentials: Credentials,
): Writer | Promise<Writer> {
  const header = request.headers.authorization
  // Node keeps the first of several and drops the rest; another server on the way may have read the other one.
  if (header !== undefined && count(request.rawHeaders, 'authorization') > 1) {
    throw malformed('Send one Authorization header, not several.')
  }
  if (access === 'ingest') return authenticateIngest(request, query, credentials)
  if (header === undefined) {
    const cookie = request.headers.cookie
    const session = cookie === undefined ? null : cookieIn(cookie, SESSION_COOKIE)
    if (session !== null) return credentials.session(session)
    const message = 'Send a key of your organisation as `Authorization: Bearer sk-…`.'
    throw new Fault('credential_required', { message, headers: CHALLENGE })
  }
  const text = bearerIn(header)
  if (text.startsWith('sk-')) return credentials.secretKey(text)
  if (text.startsWith('pk-') || isWorkspaceToken(text)) {
    throw new Fault('forbidden', {
      message:
        "A publishable key (pk-) or a workspace's token can write events and nothing else; use a secret key (sk-) here.",
    })
  }
  if (JWT.test(text)) return credentials.accessToken(text)
  throw new Fault('credential_refused', {
    message: 'The Authorization header must read `Bearer sk-…`, or carry an access token.',
    headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
  })
}

async function authenticateIngest(
  { headers, rawHeaders }: IncomingMessage,
  query: Record<string, unknown>,
  credentials: Credentials,
): Promise<Writer> {
  const bearer = headers.authorization === undefined ? undefined : bearerIn(headers.authorization)
  const text = bearer ?? headers[INGEST_HEADER] ?? query[INGEST_PARAMETER]
  if (text === undefined) {
    const session = cookieIn(headers.cookie ?? '', SESSION_COOKIE)
    if (session !== null) return credentials.session(session)
    const message = `Send a key as \`Authorization: Bearer\`, in the header ${INGEST_HEADER} or as ?${INGEST_PARAMETER}=.`
    throw new Fault('ingest_key_required', { message, headers: CHALLENGE })
  }
  if (typeof text !== 'string' || (bearer === undefined && count(rawHeaders, INGEST_HEADER) > 1)) {
    throw malformed('Send one ingest key, not several.')
  }
  try {
    if (text.startsWith('sk-')) return await credentials.secretKey(text)
    if (text.startsWith('pk-')) return await credentials.publishableKey(text)
    if (isWorkspaceToken(text)) return await credentials.workspaceToken(text)
    if (bearer !== undefined && JWT.test(text)) return await credentials.accessToken(text)
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'credential_refused') throw error
    throw new Fault('ingest_key_unknown', { message: error.message })
  }
  throw new Fault('ingest_key_unknown', { message: 'Events are written with a key that starts with pk- or sk-.' })
}

/** Three parts in base64url, the first of which begins a JSON object. */
const JWT = /^eyJ[\w-]{1,2000}\.[\w-]{1,6000}\.[\w-]{1,1000}$/

/** A JWT that says it is one; whether that is true is looked at where such a token is taken. */
function isWorkspaceToken(text: string): boolean {
  if (!JWT.test(text)) return false
  const head = Buffer.from(text.slice(0, text.indexOf('.')), 'base64url').toString()
  return /"typ"\s*:\s*"workspace\+jwt"/.test(head)
}

const bearerIn = (header: string) =>
  header.startsWith('Bearer ') || /^bearer /i.test(header) ? header.slice('Bearer '.length) : ''

/** A browser sends its cookie along whichever site's page makes it write, so what counts is a token no other site has. */
export function requireOwnPage({ method = '', headers }: IncomingMessage, { credential }: Writer, clock: Clock): void {
  if (isSafe(method)) return
  const token = headers['x-csrf-token']
  if (typeof token === 'string' && isCsrfToken(token, credential, clock.now())) return
  throw new Fault('csrf_token_required', {
    message: 'A browser session writes with the header X-CSRF-Token; get a fresh one from GET /v1/account/csrf.',
  })
}

export function authorise(access: Access, caller: Writer): void {
  if (access === 'admin' && !administers(caller)) {
    throw new Fault('forbidden', { message: 'Only an owner or admin of the organisation may do this.' })
  }
  if (access === 'superadmin' && !isSuperadmin(caller)) {
    throw new Fault('forbidden', { message: 'Only the operators of this platform may do this.' })
  }
}
