// CORS: pages of this host's own origins may read answers with credentials; pages of host names that an organisation
// verified may read them without. Other origins get no CORS headers.
import { EngineUnavailable } from '../engines/engines.ts'

export type Origins = {
  /** The origins of this host, such as `https://api.example.com`. */
  own: ReadonlySet<string>
  /** Whether an organisation attached this host name and verified it; `address` is the client's. */
  isVerified(host: string, address: string): boolean | Promise<boolean>
}

type Headers = Record<string, string>

/** Headers that pages may read. WWW-Authenticate tells MCP clients where people sign in. */
const EXPOSED = 'X-Request-Id, X-Max-Tokens, Link, Retry-After, RateLimit, RateLimit-Policy, WWW-Authenticate'
/** Content-Encoding, X-Write-Key and AnonymousId are sent by event SDKs. */
const ACCEPTED =
  'Authorization, Content-Type, Content-Encoding, X-Write-Key, AnonymousId, Idempotency-Key, X-CSRF-Token, X-Project-Id, X-Service-Ingest-Key, MCP-Protocol-Version, Mcp-Method, Mcp-Name'
const PREFLIGHT_S = 600

/** A host name as browsers write it, without a port: verification covers only the site at the default port. */
const PUBLIC_SITE = /^https:\/\/([a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})+)$/

/** `address` is that of the client. */
export function corsHeaders(
  origin: string,
  address: string,
  { own, isVerified }: Origins,
): Headers | null | Promise<Headers | null> {
  const headers = { 'access-control-allow-origin': origin, 'access-control-expose-headers': EXPOSED }
  if (own.has(origin)) return { ...headers, 'access-control-allow-credentials': 'true' }
  const host = origin.length > 262 ? undefined : origin.match(PUBLIC_SITE)?.[1]
  if (host === undefined) return null
  const verified = isVerified(host, address)
  if (typeof verified === 'boolean') return verified ? headers : null
  return verified.then(
    is => (is ? headers : null),
    error => {
      // If the look-up fails, no access is granted. An operation that needs the same engine answers 503 itself.
      if (error instanceof EngineUnavailable) return null
      throw error
    },
  )
}

/** The answer to a preflight request. */
export const preflightHeaders = (methods: string): Headers => ({
  'access-control-allow-methods': methods,
  'access-control-allow-headers': ACCEPTED,
  'access-control-max-age': String(PREFLIGHT_S),
})
