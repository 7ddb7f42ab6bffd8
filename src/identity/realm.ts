// Customers of an organisation have a browser session apart from the team's and from those of other organisations: signing
// in to one shop neither shows nor ends what the same browser does in another. oidc-provider has one name for the cookie of
// a session, so the cookie is renamed on the way in and out.
import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { decodeJwt } from 'jose'
import type { OrgId } from '../kit/caller.ts'
import { PATHS, SESSION_COOKIE } from './provider.ts'

/** Null for the team. */
export type Realm = OrgId | null

/** A tag instead of the name: cookies have a limited length. */
const cookieOf = (org: OrgId) => `${SESSION_COOKIE}-${createHash('sha256').update(org).digest('hex').slice(0, 16)}`

/** Shows the library the session of the realm under the name that it knows. */
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

/** Whether it is a cookie of that name, or its signature. */
const isNamed = (pair: string, name: string) => pair.startsWith(`${name}=`) || pair.startsWith(`${name}.sig=`)

/** The app that a request of the browser is about: it names it, or has a token that was issued to it. */
export function clientNamed(path: string, query: string): string | null {
  const parameters = new URLSearchParams(query)
  const named = parameters.get('client_id')
  const isByToken = named === null && path.startsWith(PATHS.logout)
  const client = isByToken ? audienceIn(parameters.get('id_token_hint')) : named
  return client?.includes('\0') ? null : client // The database stores no such text.
}

/** Not verified: it only selects which session the browser shows. */
function audienceIn(idToken: string | null): string | null {
  if (idToken === null) return null
  try {
    const { aud } = decodeJwt(idToken)
    return typeof aud === 'string' ? aud : null
  } catch {
    return null // Not a token; the library says so.
  }
}
