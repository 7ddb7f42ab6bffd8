// Services behind the host trust the headers that say who is calling, so a client's own must never arrive.
import type { IncomingMessage } from 'node:http'

/** Names by which gateways and proxies pass an identity on. `_` counts as `-`: many servers fold the two. */
const CLAIM =
  /^x-(org|user|tenant|owner|account|role|roles|auth-request|remote-user|forwarded-user|forwarded-email)(-|$)/

export const isIdentityClaim = (name: string): boolean => CLAIM.test(name.toLowerCase().replaceAll('_', '-'))

/** Removes them from every form in which Node keeps a request's headers. */
export function removeIdentityClaims(request: IncomingMessage): void {
  const raw = request.rawHeaders
  for (let at = raw.length - 2; at >= 0; at -= 2) {
    const name = raw[at] as string
    const first = name.charCodeAt(0)
    if (first !== 0x78 && first !== 0x58) continue // x, X
    if (!isIdentityClaim(name)) continue
    raw.splice(at, 2)
    delete request.headers[name.toLowerCase()]
  }
}
