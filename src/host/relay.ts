// A service that runs elsewhere: the host checks the credential, says who is calling, and passes everything else on.
import type { IncomingHttpHeaders } from 'node:http'
import { Type } from 'typebox'
import { HttpFailure, type HttpRequest } from '../engines/engines.ts'
import { type Reply, replies, reply } from '../kit/answer.ts'
import type { Caller } from '../kit/caller.ts'
import { Fault } from '../kit/fault.ts'
import { type Context, type Operation, operation } from '../kit/operation.ts'
import { type Service, service } from '../kit/service.ts'
import { malformed } from './faults.ts'
import { requireModel } from './limits.ts'

const BODY_LIMIT = 4 * 1024 * 1024
const TIMEOUT_MS = 60_000

/** Headers that belong to one connection (RFC 9110, 7.6.1). */
const HOP_BY_HOP = [
  ...['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection', 'te', 'trailer'],
  ...['transfer-encoding', 'upgrade', 'expect', 'host'],
]
/** What would hand the upstream a credential it could use itself, or let a client say where it comes from or what the
 *  request really is. Its length is told anew. */
const NOT_SENT = new Set([
  ...[...HOP_BY_HOP, 'content-length', 'authorization', 'cookie', 'forwarded', 'proxy', 'x-request-id'],
  ...['x-real-ip', 'x-client-ip', 'client-ip', 'true-client-ip', 'x-original-url', 'x-rewrite-url'],
  ...['x-csrf-token', 'x-service-ingest-key', 'x-project-id'],
  ...['x-http-method', 'x-http-method-override', 'x-method-override'],
])
/** What the host says itself. */
const NOT_ANSWERED = new Set([
  ...[...HOP_BY_HOP, 'x-request-id', 'strict-transport-security', 'x-content-type-options'],
  ...['ratelimit', 'ratelimit-policy'],
])

/** The operations that stand for a service mounted at an upstream URL: each of its paths, and everything below. */
export function relayOperations({ name, paths }: Service, upstream: URL): Record<string, Operation> {
  const declared = {
    access: 'bearer',
    summary: `Relayed to the ${name} service`,
    project: 'chosen',
    body: 'bytes',
    bodyLimit: BODY_LIMIT,
    passUnknown: true,
    output: replies,
    faults: ['upstream_unreachable'],
    audit: 'none',
    // What a key may spend on models, and which it may call, holds wherever they run.
    ...(name === 'ai' && { metered: true as const }),
    run: (context: Context<'bearer'>, { body }: { body: Buffer }) => {
      if (name === 'ai') requireModel({ model: 'model' }, context.caller, fieldsIn(body))
      return relay(upstream, context, body)
    },
  } as const
  const operations = paths.map((path, at) => {
    const id = `${name}Relay${at === 0 ? '' : at}`
    const whole = operation({ ...declared, route: `ANY ${path}` as 'ANY /v1' })
    const below = operation({
      ...declared,
      route: `ANY ${path}/{rest...}` as 'ANY /v1',
      input: { rest: Type.String() },
    })
    return { [id]: whole, [`${id}Below`]: below }
  })
  return service({ name, what: declared.summary, paths, operations }).operations
}

/** The fields of a JSON body; none of any other. */
function fieldsIn(body: Buffer): Record<string, unknown> {
  try {
    const json: unknown = JSON.parse(body.toString())
    return typeof json === 'object' && json !== null ? { ...json } : {}
  } catch {
    return {} // Then it names no model, and a key that is limited to some is refused.
  }
}

async function relay(upstream: URL, { http, caller, request }: Context<'bearer'>, body: Buffer): Promise<Reply> {
  const url = upstreamUrl(upstream, request.url)
  try {
    const answer = await http.send({
      method: request.method as HttpRequest['method'],
      url,
      headers: { ...kept(request.headers, NOT_SENT, /^x-forwarded-/), ...identity(caller) },
      ...(body.length > 0 && { body }),
      timeoutMs: TIMEOUT_MS,
      stream: true,
      bodyBytesMax: Number.POSITIVE_INFINITY,
      reach: 'configured',
      signal: request.signal,
    })
    if (answer.status < 200 || answer.status > 599) throw new HttpFailure('network', `answered ${answer.status}`)
    return reply(answer.status, kept(answer.headers, NOT_ANSWERED, /^access-control-/), answer.body)
  } catch (error) {
    request.signal.throwIfAborted()
    if (!(error instanceof HttpFailure)) throw error
    throw new Fault('upstream_unreachable', { message: 'The service behind this path did not answer.', cause: error })
  }
}

/** The path as it was sent, below the upstream's own. One that reads otherwise once parsed (`..`, in any spelling) could
 *  end outside the service this caller was checked for, and is refused. */
function upstreamUrl(upstream: URL, target: string): string {
  const [path = '', query] = target.split(/\?(.*)/s)
  const wanted = upstream.pathname.replace(/\/$/, '') + path
  const url = new URL(upstream.origin + wanted + (query === undefined ? '' : `?${query}`))
  const hidden = path.split('/').some(segment => /[/\\\0]/.test(decodeURIComponent(segment)))
  if (url.pathname !== wanted || hidden) throw malformed('The path must be in its plain form.')
  return url.href
}

/** Exactly what the gateway vouches for; everything like it that came from outside is gone already. */
function identity(caller: Caller): Record<string, string> {
  const { org, user, email, project } = caller
  return { 'x-org-id': org, 'x-user-id': user, 'x-user-email': email, ...(project && { 'x-project-id': project }) }
}

/** The headers but for some, whether they are spelled with `-` or `_`, and those the peer itself calls its own. */
function kept(headers: IncomingHttpHeaders, dropped: Set<string>, prefix: RegExp): Record<string, string> {
  const named = String(headers.connection ?? '')
    .toLowerCase()
    .split(/\s*,\s*/)
  const passes = ([name, value]: [string, unknown]) => {
    const folded = name.replaceAll('_', '-')
    return value !== undefined && !dropped.has(folded) && !prefix.test(folded) && !named.includes(name)
  }
  return Object.fromEntries(Object.entries(headers).filter(passes)) as Record<string, string>
}
