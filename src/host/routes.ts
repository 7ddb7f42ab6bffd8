// Declarations become routes. This is the only file that knows Fastify.
import type { RequestListener } from 'node:http'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { Fault } from '../kit/fault.ts'
import { type Operation, type StreamAnswer, stream } from '../kit/operation.ts'
import { type AdmitOptions, admit } from './admit.ts'
import { INGEST_PARAMETER } from './authenticate.ts'
import { type CallOptions, call } from './call.ts'
import { preflightHeaders } from './cors.ts'
import { baseHeaders, exchangeOf, type Route } from './exchange.ts'
import { bodyTooLarge, faultFor, METHODS } from './faults.ts'
import { parseJson, readInput } from './input.ts'
import { HEADER_BYTES_MAX } from './listener.ts'
import type { Log } from './log.ts'
import type { Metrics } from './metrics.ts'

export type RouteOptions = CallOptions &
  AdmitOptions & {
    operations: Record<string, Operation>
    /** Tells browsers to use https alone for this host name, on every port of it. */
    hsts: boolean
    metrics: Metrics
    log: Log
    /** Sees every answer before it is sent. Tests hold it against the declaration; production has none. */
    inspect?: (id: string, operation: Operation, outcome: { output: unknown } | { fault: Fault }) => void
  }

type State = { closing: boolean }

export async function buildRoutes(options: RouteOptions, state: State): Promise<RequestListener> {
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
  return app.routing
}

function setHeaders(request: FastifyRequest, reply: FastifyReply, { hsts }: RouteOptions, { closing }: State): void {
  const { id, cors } = exchangeOf(request.raw)
  reply.headers(baseHeaders(hsts)).header('x-request-id', id)
  if (cors) reply.headers(cors)
  if (closing) reply.header('connection', 'close')
}

function answerFault(
  options: RouteOptions,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const fault = faultFor(error)
  const { id, route, rate } = exchangeOf(request.raw)
  if (rate !== null) reply.header('ratelimit', rate)
  if (route) options.inspect?.(route.id, route.operation, { fault })
  if (fault.status >= 500) {
    const fields = { request: id, operation: route?.id, err: fault.cause ?? fault }
    options.log.events.error(fields, fault.code)
  }
  return reply.code(fault.status).headers(fault.headers).send(fault.body(id))
}

function addRoute(app: FastifyInstance, id: string, operation: Operation, options: RouteOptions, state: State): void {
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
      try {
        const admitted = admit(options, operation, exchange, request.raw, request.query as Record<string, unknown>)
        if (admitted) return void admitted.then(() => done(), done)
      } catch (error) {
        return done(error as Error)
      }
      done()
    },
    handler: (request, reply) => {
      const { params, body } = request
      const query = request.query as Record<string, unknown>
      if (operation.access === 'ingest') delete query[INGEST_PARAMETER]
      const parts = { path: params as Record<string, string>, query, body }
      const input = readInput(operation, parts)
      if (operation.status !== 200) reply.code(operation.status)
      const exchange = exchangeOf(request.raw)
      if (exchange.rate !== null) reply.header('ratelimit', exchange.rate)
      const output = call(options, operation, exchange.caller, exchange, input)
      // Nothing is returned to Fastify, which would wait for it once more.
      if (output instanceof Promise) output.then(value => settle(value, reply)).catch(error => reply.send(error))
      else settle(output, reply)
    },
  })
}

/** Every path answers every method: 405 with the ones it has, and OPTIONS with their list. */
function addOtherMethods(app: FastifyInstance, options: RouteOptions, state: State): void {
  const byPath = new Map<string, Set<string>>()
  for (const { path, method } of Object.values(options.operations)) {
    const methods = byPath.get(routerPath(path)) ?? new Set(['OPTIONS'])
    byPath.set(routerPath(path), methods)
    for (const one of method === 'ANY' ? METHODS : [method]) methods.add(one)
    if (method === 'GET') methods.add('HEAD')
  }
  for (const [url, methods] of byPath) {
    const allow = METHODS.filter(method => methods.has(method)).join(', ')
    const preflight = preflightHeaders(allow)
    const notAllowed = new Fault('method_not_allowed', {
      message: `Only ${allow} are answered here.`,
      headers: { allow },
    })
    app.route({
      method: METHODS.filter(method => method === 'OPTIONS' || !methods.has(method)),
      url,
      // Answered before the body is looked at: whatever it is, it is not wanted here.
      onRequest: (request, reply, done) => {
        setHeaders(request, reply, options, state)
        if (request.method !== 'OPTIONS') return done(notAllowed)
        if (exchangeOf(request.raw).cors) reply.headers(preflight)
        reply.code(204).header('allow', allow).send()
      },
      handler: () => {}, // Never reached: the hook has answered.
    })
  }
}

function sendStream({ status, headers, body }: StreamAnswer, reply: FastifyReply): FastifyReply {
  return reply.code(status).headers(headers).send(body)
}

/** `/v1/projects/{slug}` is spelled `/v1/projects/:slug` by the router, and a last `{rest...}` `*`. */
const routerPath = (path: string) => path.replace(/\{\w+\.\.\.\}$/, '*').replace(/\{(\w+)\}/g, ':$1')
const pathOf = (url: string) => url.split('?', 1)[0]?.slice(0, 200)
