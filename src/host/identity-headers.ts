// Services behind the host trust the headers that say who is calling, so a client's own must never arrive.
import type { IncomingMessage } from 'node:http'

/** Words by which gateways and proxies pass an identity on: `X-Org-Id`, `x_user_email`, `Remote-User`, `X-OrgId`. */
const CLAIM =
  /^(org|organi[sz]ation|user|tenant|owner|account|workspace|role|group|email|mail|identity|principal|subject|sub|login|admin)(s|id|name|email|slug)?$/
/** Headers of the web itself that have such a word in their name. */
const INNOCENT = new Set(['user-agent', 'sec-fetch-user'])

/** Names are as various as clients make them, so what is remembered of them is bounded. */
const known = new Map<string, boolean>()
const KNOWN_MAX = 1_000

export function isIdentityClaim(name: string): boolean {
  const remembered = known.get(name)
  if (remembered !== undefined) return remembered
  const lower = name.toLowerCase()
  // Many servers fold `_` and `.` into `-`, so whatever is not a letter or a digit parts the words.
  const words = lower.split(/[^a-z0-9]+/)
  const claim = words.length > 1 && !INNOCENT.has(lower) && words.some(word => CLAIM.test(word))
  if (known.size < KNOWN_MAX) known.set(name, claim)
  return claim
}

/** Removes them from every form in which Node keeps a request's headers. */
export function removeIdentityClaims(request: IncomingMessage): void {
  const raw = request.rawHeaders
  for (let at = raw.length - 2; at >= 0; at -= 2) {
    const name = raw[at] as string
    if (!isIdentityClaim(name)) continue
    raw.splice(at, 2)
    delete request.headers[name.toLowerCase()]
  }
}
