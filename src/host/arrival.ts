// What is looked at before anything else: whether a request came in encrypted, from where, and whether its head is one.
import type { IncomingMessage } from 'node:http'
import { type BlockList, isIP } from 'node:net'
import type { Fault } from '../kit/fault.ts'
import { isMethod, malformed, methodUnknown } from './faults.ts'
import { httpsRequired, isTrusted } from './listener.ts'

const HOST = /^[A-Za-z0-9._~%:[\]-]*$/

/** Why a request is refused at the door, if it is. */
export function arrivalFault(request: IncomingMessage, trusted: BlockList | null): Fault | null {
  if (cameInPlain(request, trusted)) return httpsRequired()
  const { host, 'transfer-encoding': coding } = request.headers
  const { method = '', url = '' } = request
  if (!isMethod(method)) return methodUnknown(method)
  if (request.httpVersionMajor !== 1) return malformed('This host speaks HTTP/1.1.')
  if (host === undefined ? request.httpVersionMinor === 1 : !HOST.test(host) || count(request.rawHeaders, 'host') > 1) {
    return malformed('An HTTP/1.1 request carries one Host header, a name or an address.')
  }
  if (coding !== undefined && coding.toLowerCase() !== 'chunked')
    return malformed('The only transfer coding here is chunked.')
  if (url.includes('#')) return malformed('A fragment (#) is not part of a request.')
  return null
}

/** Only the word of a trusted proxy counts, and of several the one it added itself, the last. */
function cameInPlain(request: IncomingMessage, trusted: BlockList | null): boolean {
  const encrypted = 'encrypted' in request.socket
  if (!trusted || !isTrusted(trusted, request.socket.remoteAddress)) return !encrypted
  const said = listed(request.headers['x-forwarded-proto']).at(-1)
  return encrypted ? said === 'http' : said !== 'https'
}

/** Where a request comes from: the peer, or where the trusted proxies it came through say, the last of them first. What
 *  they say counts if it is an address, with a port or without. */
export function clientAddress(request: IncomingMessage, trusted: BlockList | null): string {
  let address = request.socket.remoteAddress ?? ''
  if (!trusted) return address
  const said = listed(request.headers['x-forwarded-for'])
  while (isTrusted(trusted, address)) {
    const next = (said.pop() ?? '').replace(/^\[(.*)\](:\d+)?$/, '$1').replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1')
    if (!isIP(next)) break
    address = next
  }
  return address
}

/** A target may be a whole URL (RFC 9112, 3.2.2). Whose it says it is does not matter here. */
export function originForm(target: string): string {
  const after = target.match(/^https?:\/\/[^/?#]*(.*)$/is)?.[1]
  if (after === undefined) return target
  return after.startsWith('/') ? after : `/${after}`
}

/** How often a header was sent: Node drops or joins all but the first. */
export function count(rawHeaders: string[], wanted: string): number {
  let found = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string
    if (name.length === wanted.length && name.toLowerCase() === wanted) found++
  }
  return found
}

function listed(header: string | string[] | undefined): string[] {
  return String(header ?? '')
    .split(',')
    .map(part => part.trim())
}
