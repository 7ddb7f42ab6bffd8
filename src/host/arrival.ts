// Checks on every request before routing: encryption, client address, and a well-formed head.
import type { IncomingMessage } from 'node:http'
import { type BlockList, isIP } from 'node:net'
import { Fault } from '../kit/fault.ts'
import { isMethod, malformed, methodUnknown } from './faults.ts'
import { forwardedProtoRequired, httpsRequired } from './listener.ts'
import { isTrusted } from './trusted.ts'

const HOST = /^[A-Za-z0-9._~%:[\]-]*$/

/** The fault if the request is rejected before routing. */
export function arrivalFault(request: IncomingMessage, trusted: BlockList | null): Fault | null {
  if (isUnencrypted(request, trusted)) {
    const isProxy = trusted && isTrusted(trusted, request.socket.remoteAddress)
    return isProxy && request.headers['x-forwarded-proto'] === undefined ? forwardedProtoRequired() : httpsRequired()
  }
  const { host, expect, 'transfer-encoding': coding } = request.headers
  const { method = '', url = '' } = request
  if (!isMethod(method)) return methodUnknown(method)
  if (request.httpVersionMajor !== 1) return malformed('This host supports HTTP/1.1 only.')
  if (
    host === undefined
      ? request.httpVersionMinor === 1
      : !HOST.test(host) || countHeader(request.rawHeaders, 'host') > 1
  ) {
    return malformed('Send exactly one Host header with a host name or an address.')
  }
  if (expect !== undefined && expect.toLowerCase() !== '100-continue') return expectationFailed()
  if (coding !== undefined && coding.toLowerCase() !== 'chunked')
    return malformed('The only supported transfer coding is chunked.')
  if (url.includes('#')) return malformed('A request target must not contain a fragment (#).')
  return null
}

const expectationFailed = () =>
  new Fault('expectation_failed', { message: 'The only supported expectation is 100-continue.' })

/** X-Forwarded-Proto is used only if a trusted proxy sent it. Of several values the last counts, because that proxy
 *  added it. */
function isUnencrypted(request: IncomingMessage, trusted: BlockList | null): boolean {
  const encrypted = 'encrypted' in request.socket
  if (!trusted || !isTrusted(trusted, request.socket.remoteAddress)) return !encrypted
  const scheme = fromLast(request.headers['x-forwarded-proto']).next().value?.toLowerCase()
  return encrypted ? scheme === 'http' : scheme !== 'https'
}

/** The address of the client: the peer, or what trusted proxies put into X-Forwarded-For, read from the last entry. An
 *  entry counts if it is an address, with or without a port. */
export function clientAddress(request: IncomingMessage, trusted: BlockList | null): string {
  let address = request.socket.remoteAddress ?? ''
  if (!trusted) return address
  const forwarded = fromLast(request.headers['x-forwarded-for'])
  while (isTrusted(trusted, address)) {
    const next = (forwarded.next().value ?? '')
      .replace(/^\[(.*)\](:\d+)?$/, '$1')
      .replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1')
    if (!isIP(next)) break
    address = next
  }
  return address
}

/** A target may be a whole URL (RFC 9112, 3.2.2). Its host is ignored. */
export function originForm(target: string): string {
  const after = target.match(/^https?:\/\/[^/?#]*(.*)$/is)?.[1]
  if (after === undefined) return target
  return after.startsWith('/') ? after : `/${after}`
}

/** How often a header was sent. `request.headers` does not show it: Node drops or joins repeated headers. */
export function countHeader(rawHeaders: string[], wanted: string): number {
  let found = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string
    if (name.length === wanted.length && name.toLowerCase() === wanted) found++
  }
  return found
}

/** The entries of a list, the last one first. The rest of a long list is not read. */
function* fromLast(header: string | string[] | undefined): Generator<string, undefined> {
  const text = String(header ?? '')
  for (let end = text.length; end >= 0; ) {
    const comma = end === 0 ? -1 : text.lastIndexOf(',', end - 1)
    yield text.slice(comma + 1, end).trim()
    end = comma
  }
}
