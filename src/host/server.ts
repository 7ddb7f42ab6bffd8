// Declarations become routes. This is the only folder that knows Fastify.
import type { BlockList } from 'node:net'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Random } from '../engines/engines.ts'
import type { Caller } from '../kit/caller.ts'
import type { Credentials } from '../kit/credentials.ts'
import { Fault } from '../kit/fault.ts'
import { type Operation, type StreamAnswer, stream } from '../kit/operation.ts'
import { arrivalFault, clientAddress, originForm } from './arrival.ts'
import { authenticate, authorise } from './authenticate.ts'
import { type CallOptions, call } from './call.ts'
import { attach, baseHeaders, Exchange, exchangeOf, type Route } from './exchange.ts'
import { bodyTooLarge, faultFor, METHODS } from './faults.ts'
import { removeIdentityClaims } from './identity-headers.ts'
import { parseJson, readInput } from './input.ts'
import { HEADER_BYTES_MAX, type ListenerOptions } from './listener.ts'
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

export type HostServer = Pick<ListenerOptions, 'handle' | 'requestId' | 'refused'> & { closing: () => void }
type State = { closing: boolean }

export async function buildServer(options: ServerOptions): Promise<HostServer> {
  const { log, trusted, hsts } = options
  const state = { closing: false }
  const app = await buildRoutes(options, state)
  const requestId = requestIds(options.engines.random)
  /** Counts what was for no operation, all together, so that nobody outside can make new series. */
  const observeOther = options.metrics.requests.of('none')
  return {
    requestId,
    closing: () => {
      state.closing = true
    },
    refused: (id, status, ip) => {
      observeOther('any', status, 0)
      log.request({ id, operation: 'none', method: 'none', status, ms: 0, ip, caller: null })
    },
    handle: (request, response) => {
      removeIdentityClaims(request)
      const exchange = new Exchange(requestId(), clientAddress(request, trusted), request, response)
      attach(request, exchange)
      response.on('close', () => exchange.report(log, observeOther))
      const refusal = arrivalFault(request, trusted)
      if (refusal) return exchange.refuse(refusal, hsts)
      if (!request.url?.startsWith('/')) request.url = originForm(request.url ?? '')
      app.routing(request, response)
    },
  }
}

/** A prefix drawn at start and a counter: unique across processes, and cheaper than drawing each one. */
function requestIds(random: Random): () => string {
  const prefix = `req_${random.token(12)}`
  let count = 10_000_000 // Eight digits from the first one on.
  return () => prefix + count++
}

async function buildRoutes(options: ServerOptions, state: State): Promise<FastifyInstance> {
  const app = Fastify({
    // Bounded by the header limit already; a shorter one would make a long slug an error of the router's own.
    routerOptions: { maxParamLength: HEADER_BYTES_MAX },
    frameworkErrors: (error, request, reply) => {
      setHeaders(request as FastifyRequest, reply as FastifyReply, options, state)
      answerFault(options, error, request as FastifyRequest, reply as FastifyReply)
    },
  })
  app.removeAllContentTypeParsers()
  app.setErrorHandler((error, request, reply) => answerFault(options, error, request, reply))
  app.setNotFoundHandler((request, reply) => {
    setHeaders(request, reply, options, state)
    throw new Fault('not_found', { message: `There is nothing at ${request.method} ${pathOf(request.url)}.` })
  })
  const entries = Object.entries(options.operations)
  await app.register(async json => {
    json.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
      try {
        done(null, parseJson(body as Buffer))
      } catch (error) {
        done(error as Error)
      }
    })
    for (const [id, operation] of entries)
      if (operation.bodyKind !== 'raw') addRoute(json, id, operation, options, state)
  })
  await app.register(async raw => {
    raw.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
    for (const [id, operation] of entries)
      if (operation.bodyKind === 'raw') addRoute(raw, id, operation, options, state)
  })
  addOtherMethods(app, options, state)
  await app.ready()
  return app
}

function setHeaders(request: FastifyRequest, reply: FastifyReply, { hsts }: ServerOptions, { closing }: State): void {
  reply.headers(baseHeaders(hsts)).header('x-request-id', exchangeOf(request.raw).id)
  if (closing) reply.header('connection', 'close')
}

function answerFault(
  options: ServerOptions,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const fault = faultFor(error)
  const { id, route } = exchangeOf(request.raw)
  if (route) options.inspect?.(route.id, route.operation, { fault })
  if (fault.status >= 500) {
    const fields = { request: id, operation: route?.id, err: fault.cause ?? fault }
    options.log.events.error(fields, fault.code)
  }
  return reply.code(fault.status).headers(fault.headers).send(fault.body(id))
}

function addRoute(app: FastifyInstance, id: string, operation: Operation, options: ServerOptions, state: State): void {
  const route: Route = { id, operation, observe: options.metrics.requests.of(id) }
  const settle = (output: unknown, reply: FastifyReply) => {
    options.inspect?.(id, operation, { output })
    return operation.output === stream ? sendStream(output as StreamAnswer, reply) : reply.send(output)
  }
  app.route({
    method: operation.method === 'ANY' ? METHODS.filter(method => method !== 'OPTIONS') : operation.method,
    url: routerPath(operation.path),
    bodyLimit: operation.bodyLimit,
    onRequest: (request, reply, done) => {
      setHeaders(request, reply, options, state)
      const exchange = exchangeOf(request.raw)
      exchange.route = route
      if (Number(request.raw.headers['content-length'] ?? 0) > operation.bodyLimit) {
        return done(bodyTooLarge(operation.bodyLimit))
      }
      if (operation.access === 'public') return done()
      identify(request, exchange, operation, options.credentials, done)
    },
    handler: (request, reply) => {
      const { params, query, body } = request
      const parts = { path: params as Record<string, string>, query: query as Record<string, unknown>, body }
      const input = readInput(operation, parts)
      if (operation.status !== 200) reply.code(operation.status)
      const exchange = exchangeOf(request.raw)
      const output = call(options, operation, exchange.caller, exchange, input)
      // Nothing is returned to Fastify, which would wait for it once more.
      if (output instanceof Promise) output.then(value => settle(value, reply)).catch(error => reply.send(error))
      else settle(output, reply)
    },
  })
}

/** Before a byte of the body is read. */
function identify(
  request: FastifyRequest,
  exchange: Exchange,
  { access }: Operation,
  credentials: Credentials,
  done: (error?: Error) => void,
): void {
  const admit = (caller: Caller) => {
    authorise(access, caller)
    exchange.caller = caller
  }
  try {
    const caller = authenticate(request.raw, credentials)
    if (caller instanceof Promise) return void caller.then(admit).then(() => done(), done)
    admit(caller)
    done()
  } catch (error) {
    done(error as Error)
  }
}

/** Every path answers every method: 405 with the ones it has, and OPTIONS with their list. */
function addOtherMethods(app: FastifyInstance, options: ServerOptions, state: State): void {
  const byPath = new Map<string, Set<string>>()
  for (const { path, method } of Object.values(options.operations)) {
    const methods = byPath.get(routerPath(path)) ?? new Set(['OPTIONS'])
    byPath.set(routerPath(path), methods)
    for (const one of method === 'ANY' ? METHODS : [method]) methods.add(one)
    if (method === 'GET') methods.add('HEAD')
  }
  for (const [url, methods] of byPath) {
    const allow = METHODS.filter(method => methods.has(method)).join(', ')
    const notAllowed = new Fault('method_not_allowed', {
      message: `Only ${allow} are answered here.`,
      headers: { allow },
    })
    app.route({
      method: METHODS.filter(method => method === 'OPTIONS' || !methods.has(method)),
      url,
      // Refused before the body is looked at: whatever it is, it is not wanted here.
      onRequest: (request, reply, done) => {
        setHeaders(request, reply, options, state)
        done(request.method === 'OPTIONS' ? undefined : notAllowed)
      },
      handler: (_request, reply) => reply.code(204).header('allow', allow).send(),
    })
  }
}

function sendStream({ status, headers, body }: StreamAnswer, reply: FastifyReply): FastifyReply {
  return reply.code(status).headers(headers).send(body)
}

/** `/v1/projects/{slug}` is spelled `/v1/projects/:slug` by the router, and a last `{rest...}` `*`. */
const routerPath = (path: string) => path.replace(/\{\w+\.\.\.\}$/, '*').replace(/\{(\w+)\}/g, ':$1')
const pathOf = (url: string) => url.split('?', 1)[0]?.slice(0, 200)
