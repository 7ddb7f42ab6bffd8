// Which pages of other origins may read answers: those of the service's own hosts, with credentials, and those of hosts
// that an organisation attached and verified, without. Everybody else gets no such header at all.
import { EngineUnavailable } from '../engines/engines.ts'

export type Origins = {
  /** This service's own, `https://api.example.com`. */
  own: ReadonlySet<string>
  /** Whether an organisation attached this host and proved that it is its own. */
  isVerified(host: string): boolean | Promise<boolean>
}

type Headers = Record<string, string>

/** What a page may read beside the body. */
const EXPOSED = 'X-Request-Id, Retry-After, RateLimit, RateLimit-Policy'
const ACCEPTED = 'Authorization, Content-Type, X-CSRF-Token, X-Project-Id, X-Service-Ingest-Key'
const PREFLIGHT_S = 600

/** A host name as browsers write it, without a port: what was verified is the site at the usual one. */
const PUBLIC_SITE = /^https:\/\/([a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})+)$/

export function corsHeaders(origin: string, { own, isVerified }: Origins): Headers | null | Promise<Headers | null> {
  const headers = { 'access-control-allow-origin': origin, 'access-control-expose-headers': EXPOSED }
  if (own.has(origin)) return { ...headers, 'access-control-allow-credentials': 'true' }
  const host = origin.length > 262 ? undefined : origin.match(PUBLIC_SITE)?.[1]
  if (host === undefined) return null
  const verified = isVerified(host)
  if (typeof verified === 'boolean') return verified ? headers : null
  return verified.then(
    is => (is ? headers : null),
    error => {
      // Whoever cannot be looked up is not let in; the request itself will meet the same engine and say so.
      if (error instanceof EngineUnavailable) return null
      throw error
    },
  )
}

/** What a browser asks before it sends a request that a form could not. */
export const preflightHeaders = (methods: string): Headers => ({
  'access-control-allow-methods': methods,
  'access-control-allow-headers': ACCEPTED,
  'access-control-max-age': String(PREFLIGHT_S),
})
