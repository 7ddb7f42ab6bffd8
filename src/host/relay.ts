// Relays requests to a service that runs elsewhere: checks the credential, adds identity headers, forwards the rest.
import type { IncomingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import { Type } from 'typebox'
import { HttpFailure, type HttpRequest } from '../engines/engines.ts'
import { type Reply, replies, reply } from '../kit/answer.ts'
import type { Caller } from '../kit/caller.ts'
import { Fault } from '../kit/fault.ts'
import { OWN_COOKIE } from '../kit/host/cookies.ts'
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
/** Request headers that would give the upstream a usable credential, or let a client forge its address, the URL or the
 *  method. `Content-Length` is set again for the forwarded body. */
const NOT_FORWARDED = new Set([
  ...[...HOP_BY_HOP, 'content-length', 'authorization', 'cookie', 'forwarded', 'proxy', 'x-request-id'],
  ...['x-real-ip', 'x-client-ip', 'client-ip', 'true-client-ip', 'x-original-url', 'x-rewrite-url'],
  ...['x-csrf-token', 'x-service-ingest-key', 'x-project-id'],
  ...['x-http-method', 'x-http-method-override', 'x-method-override'],
])
/** Response headers that the host sets itself. */
const NOT_RETURNED = new Set([
  ...[...HOP_BY_HOP, 'x-request-id', 'strict-transport-security', 'x-content-type-options'],
  ...['ratelimit', 'ratelimit-policy', 'clear-site-data'],
])

/** Operations for each path of a service with an upstream URL, and everything below it. */
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
    // Budgets and model limits of keys also apply to models that run elsewhere.
    ...(name === 'ai' && { uses: ['meter' as const] }),
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

/** The fields of a JSON body; none for other bodies. */
function fieldsIn(body: Buffer): Record<string, unknown> {
  try {
    const json: unknown = JSON.parse(body.toString())
    return typeof json === 'object' && json !== null ? { ...json } : {}
  } catch {
    return {} // It names no model, so a key limited to models is refused.
  }
}

async function relay(upstream: URL, { http, caller, request }: Context<'bearer'>, body: Buffer): Promise<Reply> {
  const url = upstreamUrl(upstream, request.url)
  try {
    const answer = await http.send({
      method: request.method as HttpRequest['method'],
      url,
      headers: { ...filtered(forwardable(request.headers), NOT_FORWARDED, /^x-forwarded-/), ...identity(caller) },
      ...(body.length > 0 && { body }),
      timeoutMs: TIMEOUT_MS,
      stream: true,
      bodyBytesMax: Number.POSITIVE_INFINITY,
      reach: 'configured',
      signal: request.signal,
    })
    if (answer.status < 200 || answer.status > 599) throw new HttpFailure('network', `answered ${answer.status}`)
    return reply(answer.status, returned(answer.headers), Readable.from(answer.body, { objectMode: false }))
  } catch (error) {
    request.signal.throwIfAborted()
    if (!(error instanceof HttpFailure)) throw error
    throw new Fault('upstream_unreachable', { message: 'The relayed service did not answer.', cause: error })
  }
}

/** Appends the path unchanged to the upstream's path. A path that parsing would change, here or at the upstream (`..`,
 *  in any encoding or with parameters), is rejected: it could reach outside the service that the caller is authorised
 *  for. */
function upstreamUrl(upstream: URL, target: string): string {
  const [path = '', query] = target.split(/\?(.*)/s)
  const wanted = upstream.pathname.replace(/\/$/, '') + path
  const url = new URL(upstream.origin + wanted + (query === undefined ? '' : `?${query}`))
  if (url.pathname !== wanted || path.split('/').some(isAmbiguous)) {
    throw malformed('The path must not contain dot segments or encoded slashes.')
  }
  return url.href
}

/** Servers decode a path several times, and some ignore what follows a semicolon. */
const DECODED_MAX = 4

function isAmbiguous(segment: string): boolean {
  let text = segment
  for (let times = 0; times < DECODED_MAX; times++) {
    const name = (text.split(';', 1)[0] as string).normalize('NFKC').trim()
    if (/[/\\\0]/.test(text) || /^\.+$/.test(name)) return true
    const decoded = text.replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
    if (decoded === text) return false
    text = decoded
  }
  return true
}

/** Identity headers. The client's own were already removed, in identity-headers.ts. */
function identity(caller: Caller): Record<string, string> {
  const { org, user, email, project } = caller
  return { 'x-org-id': org, 'x-user-id': user, 'x-user-email': email, ...(project && { 'x-project-id': project }) }
}

const forwardable = (headers: IncomingHttpHeaders): IncomingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !OVERRIDES.test(name.replace(/[^a-z0-9]+/g, ''))))

/** The upstream's headers, without those that the host sets and without Stoa's cookies. */
function returned(answered: IncomingHttpHeaders): Record<string, string | string[]> {
  const { 'set-cookie': cookies, ...others } = answered
  const passed = [cookies ?? []].flat().filter(cookie => !OWN_COOKIE.test(cookie))
  const rest = filtered(others, NOT_RETURNED, /^access-control-/)
  return passed.length > 0 ? { ...rest, 'set-cookie': passed } : rest
}

/** Names, without separators, from which servers and frameworks take the client's address or identity, the URL, the
 *  method or the project: `Forwarded-For`, `CF-Connecting-IP`, `X-HttpMethodOverride`. */
const OVERRIDES =
  /forwarded|(real|client|connecting|original|originating|remote|source|user)ip$|(remote|external)(addr|address|host)$|clientaddr|^x(original)?host$|authorization$|oidc|jwt|assertion|clients?dn$|consumer|^x?member(id)?$|methodoverride|(http|original|tunnel)method$|(original|rewrite|request)(url|uri|path)$|projectid|^x?project$/

/** Drops the given headers, also when written with other separators than `-`, and those that `Connection` names. */
function filtered(headers: IncomingHttpHeaders, dropped: Set<string>, prefix: RegExp): Record<string, string> {
  const connection = String(headers.connection ?? '').toLowerCase()
  const named = new Set(connection.split(',').map(name => name.trim()))
  const passes = ([name, value]: [string, unknown]) => {
    const folded = name.replace(/[^a-z0-9]+/g, '-')
    return value !== undefined && !dropped.has(folded) && !prefix.test(folded) && !named.has(name)
  }
  return Object.fromEntries(Object.entries(headers).filter(passes)) as Record<string, string>
}
