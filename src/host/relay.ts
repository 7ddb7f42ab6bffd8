// A service that runs elsewhere: the host checks the credential, says who is calling, and passes everything else on.
import type { IncomingHttpHeaders } from 'node:http'
import { Type } from 'typebox'
import { HttpFailure, type HttpRequest } from '../engines/engines.ts'
import type { Caller } from '../kit/caller.ts'
import { Fault } from '../kit/fault.ts'
import { type Context, type Operation, operation, type StreamAnswer, stream } from '../kit/operation.ts'
import { malformed } from './faults.ts'

const BODY_LIMIT = 4 * 1024 * 1024
const TIMEOUT_MS = 60_000

/** Headers that belong to one connection (RFC 9110, 7.6.1), that would hand the upstream a credential it could use
 *  itself, or by which a client could claim where it comes from. */
const NOT_RELAYED = new Set([
  ...['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'te', 'trailer', 'transfer-encoding'],
  ...['upgrade', 'expect', 'host', 'content-length', 'authorization', 'cookie', 'forwarded', 'x-real-ip'],
])
const NOT_RELAYED_PREFIX = /^(x-forwarded-|access-control-)/

/** The operations that stand for a service mounted at an upstream URL: its root, and everything below. */
export function relayOperations(service: string, upstream: URL): Record<string, Operation> {
  const declared = {
    access: 'bearer',
    summary: `Relayed to the ${service} service`,
    body: 'raw',
    bodyLimit: BODY_LIMIT,
    passUnknown: true,
    output: stream,
    faults: ['upstream_unreachable'],
    audit: 'none',
    run: (context: Context<'bearer'>, { body }: { body: Buffer }) => relay(upstream, context, body),
  } as const
  return {
    [`${service}Relay`]: operation({ ...declared, route: `ANY /v1/${service}` }),
    [`${service}RelayBelow`]: operation({
      ...declared,
      route: `ANY /v1/${service}/{rest...}`,
      input: { rest: Type.String() },
    }),
  }
}

async function relay(upstream: URL, { http, caller, request }: Context<'bearer'>, body: Buffer): Promise<StreamAnswer> {
  const [path = '', query] = request.url.split(/\?(.*)/s)
  refuseTricks(path)
  try {
    const answer = await http.send({
      method: request.method as HttpRequest['method'],
      url: upstream.origin + upstream.pathname.replace(/\/$/, '') + path + (query === undefined ? '' : `?${query}`),
      headers: { ...relayed(request.headers), ...identity(caller) },
      ...(body.length > 0 && { body }),
      timeoutMs: TIMEOUT_MS,
      stream: true,
      bodyBytesMax: Number.POSITIVE_INFINITY,
      reach: 'operator',
      signal: request.signal,
    })
    return { status: answer.status, headers: relayed(answer.headers), body: answer.body }
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error
    throw new Fault('upstream_unreachable', { message: 'The service behind this path did not answer.', cause: error })
  }
}

/** The upstream may resolve `..` where our router does not, and so answer for a path this caller was not checked for. */
function refuseTricks(path: string): void {
  for (const segment of path.split('/')) {
    const plain = decodeURIComponent(segment)
    if (plain === '.' || plain === '..' || /[/\\\0]/.test(plain)) throw malformed('The path must be in its plain form.')
  }
}

/** Exactly what the gateway vouches for; everything like it that came from outside is gone already. */
function identity(caller: Caller): Record<string, string> {
  return { 'x-org-id': caller.org, 'x-user-id': caller.user, 'x-user-email': caller.email }
}

function relayed<T extends IncomingHttpHeaders | Record<string, string | string[]>>(
  headers: T,
): Record<string, string> {
  const named = String(headers.connection ?? '')
    .toLowerCase()
    .split(/\s*,\s*/)
  const kept = Object.entries(headers).filter(([name, value]) => {
    return value !== undefined && !NOT_RELAYED.has(name) && !NOT_RELAYED_PREFIX.test(name) && !named.includes(name)
  })
  return Object.fromEntries(kept) as Record<string, string>
}
