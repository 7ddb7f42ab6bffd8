// Removes identity headers sent by clients, because relayed services trust those of the host.
import type { IncomingMessage } from 'node:http'

/** Name parts that gateways and proxies use to pass on an identity: `X-Org-Id`, `x_user_email`, `Remote-User`. */
const CLAIM =
  /^(org|organi[sz]ation|user|tenant|owner|account|workspace|role|group|email|mail|identity|principal|subject|sub|login|admin)(s|id|name|email|slug)?$/
/** The same written as one word: `X-RemoteUser`, `xorgid`. */
const JOINED_CLAIM =
  /^x?(is|has|remote|auth|authenticated|current|request)?(org|organi[sz]ation|user|tenant|owner|account|workspace|role|group|email|identity|principal|subject|login|admin|uid|superadmin)(s|id|ids|name|email|slug|info|key|data)?$/
/** Standard headers that match but carry no identity. */
const EXCEPTIONS = new Set(['user-agent', 'sec-fetch-user'])

/** Results by header name. Clients choose the names, so the cache is bounded. */
const cache = new Map<string, boolean>()
const CACHE_MAX = 1_000

export function isIdentityClaim(name: string): boolean {
  const cached = cache.get(name)
  if (cached !== undefined) return cached
  const lower = name.toLowerCase()
  // Many servers fold `_` and `.` into `-`, so any character but a letter or a digit is a separator.
  const words = lower.split(/[^a-z0-9]+/)
  const isClaim = (words.length > 1 && words.some(word => CLAIM.test(word))) || JOINED_CLAIM.test(words.join(''))
  const claim = isClaim && !EXCEPTIONS.has(lower)
  if (cache.size < CACHE_MAX) cache.set(name, claim)
  return claim
}

/** Removes them from `headers` and `rawHeaders`. */
export function removeIdentityClaims(request: IncomingMessage): void {
  const raw = request.rawHeaders
  for (let at = raw.length - 2; at >= 0; at -= 2) {
    const name = raw[at] as string
    if (!isIdentityClaim(name)) continue
    raw.splice(at, 2)
    delete request.headers[name.toLowerCase()]
  }
}
