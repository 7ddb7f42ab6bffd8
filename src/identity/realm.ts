// Each organisation's customers have their own browser session, separate from the team's and from other organisations':
// signing in to one shop neither reveals nor ends a session at another. oidc-provider supports one session cookie name, so the
// cookie is renamed in requests and responses.
import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { decodeJwt } from 'jose'
import type { OrgId } from '../kit/caller.ts'
import { PATHS, SESSION_COOKIE } from './provider.ts'

/** Null for the team. */
export type Realm = OrgId | null

/** A hash instead of the name, because cookies have a limited length. */
const cookieOf = (org: OrgId) => `${SESSION_COOKIE}-${createHash('sha256').update(org).digest('hex').slice(0, 16)}`

/** Presents the realm's session cookie to the library under the name it expects. */
export function enterRealm(request: IncomingMessage, response: ServerResponse, realm: Realm): void {
  if (realm === null) return
  const own = cookieOf(realm)
  request.headers.cookie = (request.headers.cookie ?? '')
    .split(/; */)
    .filter(pair => !isNamed(pair, SESSION_COOKIE))
    .map(pair => (isNamed(pair, own) ? SESSION_COOKIE + pair.slice(own.length) : pair))
    .join('; ')
  const setHeader = response.setHeader.bind(response)
  response.setHeader = (name, value) => {
    if (name.toLowerCase() !== 'set-cookie') return setHeader(name, value)
    const lines = [value].flat().map(String)
    return setHeader(
      name,
      lines.map(line => (isNamed(line, SESSION_COOKIE) ? own + line.slice(SESSION_COOKIE.length) : line)),
    )
  }
}

/** Whether the pair is the cookie of that name or its signature. */
const isNamed = (pair: string, name: string) => pair.startsWith(`${name}=`) || pair.startsWith(`${name}.sig=`)

/** The app that a browser's request is for: named by `client_id`, or at sign-out by the ID token hint. */
export function clientNamed(path: string, query: string): string | null {
  const parameters = new URLSearchParams(query)
  const named = parameters.get('client_id')
  const isByToken = named === null && path.startsWith(PATHS.logout)
  const client = isByToken ? audienceIn(parameters.get('id_token_hint')) : named
  return client?.includes('\0') ? null : client // PostgreSQL cannot store NUL characters.
}

/** Not verified: it only selects which of the browser's sessions is used. */
function audienceIn(idToken: string | null): string | null {
  if (idToken === null) return null
  try {
    const { aud } = decodeJwt(idToken)
    return typeof aud === 'string' ? aud : null
  } catch {
    return null // Not a token; the library reports that.
  }
}
