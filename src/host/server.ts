// Declarations become routes. This is the only folder that knows Fastify.
import type { IncomingMessage } from 'node:http'
import type { BlockList } from 'node:net'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Random } from '../engines/engines.ts'
import type { Caller } from '../kit/caller.ts'
import type { Credentials } from '../kit/credentials.ts'
import { Fault } from '../kit/fault.ts'
import { type Operation, type StreamAnswer, stream } from '../kit/operation.ts'
import { authenticate, authorise, count } from './authenticate.ts'
import { type CallOptions, call } from './call.ts'
import { clientAddress, RequestView } from './facts.ts'
import { bodyTooLarge, faultFor, METHODS, malformed, methodUnknown } from './faults.ts'
import { removeIdentityClaims } from './identity-headers.ts'
import { parseJson, readInput } from './input.ts'
import { HEADER_BYTES_MAX, httpsRequired, isTrusted, type ListenerOptions } from './listener.ts'
import type { Log } from './log.ts'
import type { Metrics } from './metrics.ts'

export type ServerOptions = CallOptions & {
  operations: Record<string, Operation>
  credentials: Credentials
  trusted: BlockList | null
  /** Tells browsers to use https alone for this host name, on every port of it. */
  hsts: boolean
  metrics: Metrics
  log: Log
  /** Sees every answer before it is sent. Tests hold it against the declaration; production has none. */
  inspect?: (id: string, operation: Operation, outcome: { output: unknown } | { fault: Fault }) => void
}

/** What the hooks leave on a request for those after them. */
type Request = FastifyRequest & { caller: Caller | null }
type RouteConfig = { id: string; operation: Operation | null; observe: Observe }
type Observe = ReturnType<Metrics['requests']['of']>

/** Nothing here is for a browser to keep, or to guess the type of. */
const HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }
const STRICT_HEADERS = { ...HEADERS, 'strict-transport-security': 'max-age=31536000' }
const HOST = /^[A-Za-z0-9._~%:[\]-]*$/

export type HostServer = Pick<ListenerOptions, 'handle' | 'requestId' | 'refused'> & { closing: () => void }

export async function buildServer(options: ServerOptions): Promise<HostServer> {
  const requestId = requestIds(options.engines.random)
  const state: State = { closing: false }
  /** Whatever was for no operation is counted together, so that nobody outside can make new series. */
  const unrouted = { id: 'none', operation: null, observe: options.metrics.requests.of('none') }
  const app = Fastify({
    genReqId: requestId,
    requestIdHeader: false,
    trustProxy: options.trusted ? (address: string) => isTrusted(options.trusted, address) : false,
    // Bounded by the header limit already; a shorter one would make a long slug an error of the router's own.
    routerOptions: { maxParamLength: HEADER_BYTES_MAX },
    frameworkErrors: (error, request, reply) => {
      answerHeaders(reply as FastifyReply, request.id, options, state)
      const plain = cameInPlain(request as FastifyRequest, options.trusted)
      answerFault(options, plain ? httpsRequired() : error, request as unknown as Request, reply as FastifyReply)
      report(request as unknown as Request, reply as FastifyReply, options, unrouted)
    },
  })
  app.removeAllContentTypeParsers()
  addHooks(app, options, state, unrouted)

  const entries = Object.entries(options.operations)
  await app.register(async json => {
    json.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
      try {
        done(null, parseJson(body as Buffer))
      } catch (error) {
        done(error as Error)
      }
    })
    for (const [id, operation] of entries) if (operation.bodyKind !== 'raw') addRoute(json, id, operation, options)
  })
  await app.register(async raw => {
    raw.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
    for (const [id, operation] of entries) if (operation.bodyKind === 'raw') addRoute(raw, id, operation, options)
  })
  addOtherMethods(app, Object.values(options.operations))
  await app.ready()

  return {
    requestId,
    refused: (id, status, ip) => {
      unrouted.observe('none', status, 0)
      options.log.request({ id, operation: 'none', method: 'none', status, ms: 0, ip, caller: null })
    },
    closing: () => {
      state.closing = true
    },
    handle: (request, response) => {
      removeIdentityClaims(request)
      if (!request.url?.startsWith('/')) request.url = originForm(request.url ?? '')
      app.routing(request, response)
    },
  }
}

/** A prefix drawn at start and a counter: unique across processes, and cheaper than drawing each one. */
function requestIds(random: Random): () => string {
  const prefix = `req_${random.token(12)}`
  let count = 0
  return () => prefix + (count++).toString(36).padStart(8, '0')
}

type State = { closing: boolean }

function answerHeaders(reply: FastifyReply, requestId: string, { hsts }: ServerOptions, { closing }: State): void {
  reply.headers(hsts ? STRICT_HEADERS : HEADERS).header('x-request-id', requestId)
  if (closing) reply.header('connection', 'close')
}

/** What is wrong with the head of a request, beyond what Node's parser refuses. */
function headFault(request: IncomingMessage): Fault | undefined {
  const { host, 'content-encoding': encoding } = request.headers
  if (!isMethod(request.method ?? '')) return methodUnknown(request.method ?? '')
  if (request.httpVersionMajor !== 1) return malformed('This host speaks HTTP/1.1.')
  if (host === undefined ? request.httpVersionMinor === 1 : !HOST.test(host) || count(request.rawHeaders, 'host') > 1) {
    return malformed('An HTTP/1.1 request carries one Host header, a name or an address.')
  }
  if (request.url?.includes('#')) return malformed('A fragment (#) is not part of a request.')
  if (encoding !== undefined && encoding !== 'identity') {
    return new Fault('unsupported_media_type', { message: 'Send the body as it is, without a Content-Encoding.' })
  }
}

/** A target may be a whole URL (RFC 9112, 3.2.2). Whose it says it is does not matter here. */
function originForm(target: string): string {
  const after = target.match(/^https?:\/\/[^/?#]*(.*)$/is)?.[1]
  if (after === undefined) return target
  return after.startsWith('/') ? after : `/${after}`
}

/** What happens around every request, whichever operation it is for. */
function addHooks(app: FastifyInstance, options: ServerOptions, state: State, unrouted: RouteConfig): void {
  app.decorateRequest('caller', null)
  app.addHook('onRequest', (request, reply, done) => {
    answerHeaders(reply, request.id, options, state)
    if (cameInPlain(request, options.trusted)) return done(httpsRequired())
    done(headFault(request.raw))
  })
  app.addHook('onResponse', (request, reply, done) => {
    report(request as Request, reply, options, unrouted)
    done()
  })
  app.setErrorHandler((error, request, reply) => answerFault(options, error, request as Request, reply))
  app.setNotFoundHandler(request => {
    throw new Fault('not_found', { message: `There is nothing at ${request.method} ${pathOf(request.url)}.` })
  })
}

function answerFault(
  { inspect, log }: ServerOptions,
  error: unknown,
  request: Request,
  reply: FastifyReply,
): FastifyReply {
  const fault = faultFor(error)
  const { id, operation } = request.routeOptions.config as unknown as RouteConfig
  if (operation) inspect?.(id, operation, { fault })
  if (fault.status >= 500)
    log.events.error({ request: request.id, operation: id, err: fault.cause ?? fault }, fault.code)
  return reply.code(fault.status).headers(fault.headers).send(fault.body(request.id))
}

function addRoute(app: FastifyInstance, id: string, operation: Operation, options: ServerOptions): void {
  const settle = (output: unknown, reply: FastifyReply) => {
    options.inspect?.(id, operation, { output })
    return operation.output === stream ? sendStream(output as StreamAnswer, reply) : reply.send(output)
  }
  app.route({
    method: operation.method === 'ANY' ? METHODS.filter(method => method !== 'OPTIONS') : operation.method,
    url: routerPath(operation.path),
    bodyLimit: operation.bodyLimit,
    config: { id, operation, observe: options.metrics.requests.of(id) } satisfies RouteConfig,
    onRequest: (request, _reply, done) => {
      if (Number(request.headers['content-length'] ?? 0) > operation.bodyLimit) {
        return done(bodyTooLarge(operation.bodyLimit))
      }
      if (operation.access === 'public') return done()
      try {
        const caller = authenticate(request.raw, options.credentials)
        if (caller instanceof Promise)
          caller.then(found => admit(request as Request, operation, found)).then(() => done(), done)
        else {
          admit(request as Request, operation, caller)
          done()
        }
      } catch (error) {
        done(error as Error)
      }
    },
    handler: (request, reply) => {
      const { params, query, body } = request
      const parts = { path: params as Record<string, string>, query: query as Record<string, unknown>, body }
      const input = readInput(operation, parts)
      if (operation.status !== 200) reply.code(operation.status)
      const output = call(
        options,
        operation,
        (request as Request).caller,
        new RequestView(request, reply, options.trusted),
        input,
      )
      // Nothing is returned to Fastify, which would wait for it once more.
      if (output instanceof Promise) output.then(value => settle(value, reply)).catch(error => reply.send(error))
      else settle(output, reply)
    },
  })
}

function admit(request: Request, operation: Operation, caller: Caller): void {
  authorise(operation.access, caller)
  request.caller = caller
}

/** Every path answers every method: 405 with the ones it has, and OPTIONS with their list. */
function addOtherMethods(app: FastifyInstance, operations: Operation[]): void {
  const byPath = new Map<string, Set<string>>()
  for (const { path, method } of operations) {
    const methods = byPath.get(routerPath(path)) ?? new Set(['OPTIONS'])
    byPath.set(routerPath(path), methods)
    for (const one of method === 'ANY' ? METHODS : [method]) methods.add(one)
    if (method === 'GET') methods.add('HEAD')
  }
  for (const [url, methods] of byPath) {
    const allow = METHODS.filter(method => methods.has(method)).join(', ')
    app.options(url, (_request, reply) => reply.code(204).header('allow', allow).send())
    const others = METHODS.filter(method => !methods.has(method))
    if (others.length === 0) continue
    app.route({
      method: others,
      url,
      // Refused before the body is looked at: whatever it is, it is not wanted here.
      onRequest: (_request, _reply, done) =>
        done(new Fault('method_not_allowed', { message: `Only ${allow} are answered here.`, headers: { allow } })),
      handler: () => {},
    })
  }
}

function sendStream({ status, headers, body }: StreamAnswer, reply: FastifyReply): FastifyReply {
  return reply.code(status).headers(headers).send(body)
}

/** Only the word of a trusted proxy counts, and of several the one it added itself, the last. */
function cameInPlain(request: FastifyRequest, trusted: BlockList | null): boolean {
  const { socket } = request.raw as IncomingMessage & { socket: { encrypted?: boolean } }
  if (!isTrusted(trusted, socket.remoteAddress)) return !socket.encrypted
  const said = String(request.headers['x-forwarded-proto'] ?? '')
    .split(',')
    .at(-1)
    ?.trim()
  return socket.encrypted ? said === 'http' : said !== 'https'
}

function report(request: Request, reply: FastifyReply, { log, trusted }: ServerOptions, unrouted: RouteConfig): void {
  const { config } = request.routeOptions
  const { id, observe } = 'observe' in config ? (config as unknown as RouteConfig) : unrouted
  const { caller } = request
  const method = isMethod(request.method) ? request.method : 'other'
  const status = reply.statusCode
  const ms = reply.elapsedTime
  observe(method, status, ms / 1000)
  log.request({ id: request.id, operation: id, method, status, ms, ip: clientAddress(request, trusted), caller })
}

/** `/v1/projects/{slug}` is spelled `/v1/projects/:slug` by the router, and a last `{rest...}` `*`. */
const routerPath = (path: string) => path.replace(/\{\w+\.\.\.\}$/, '*').replace(/\{(\w+)\}/g, ':$1')
const pathOf = (url: string) => url.split('?', 1)[0]?.slice(0, 200)
const isMethod = (method: string) => (METHODS as readonly string[]).includes(method)
