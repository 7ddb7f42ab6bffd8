// Creates a route for each operation: identify, admit, read the body, invoke, answer. Only this file uses the router.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import createRouter from 'find-my-way'
import { clientNetwork } from '../fair/address.ts'
import type { Turns } from '../fair/turns.ts'
import { Fault } from '../kit/fault.ts'
import type { Presented } from '../kit/host/credentials.ts'
import type { BodyReader, Operation } from '../kit/operation.ts'
import { admit, requirePermitted } from './admit.ts'
import type { Answers } from './answer.ts'
import { NO_BODY, readBody } from './body.ts'
import { preflightHeaders } from './cors.ts'
import { bodyTooLarge, METHODS, malformed } from './faults.ts'
import { type IdentifyOptions, identify } from './identify.ts'
import { readInput } from './input.ts'
import { type InvokeOptions, invoke } from './invoke.ts'
import { HEADER_BYTES_MAX } from './listener.ts'
import type { MemoryBudget } from './memory-budget.ts'
import { INGEST_PARAMETER, presentedIn, readsOnly, requireOneCredential } from './presented.ts'
import type { Rates } from './rates.ts'
import type { RequestScope, Route } from './scope.ts'

export type RouteOptions = IdentifyOptions &
  InvokeOptions & { rates: Rates; bodies: MemoryBudget; turns: Turns; routes: ReadonlyMap<string, Route> }
export type Routes = (request: IncomingMessage, response: ServerResponse, scope: RequestScope) => void
/** Answers a request that matches no operation. `meant` is the path without its trailing slash, if that path exists. */
export type Fallback = (...args: [...Parameters<Routes>, meant: string | null]) => void

type RoutedRequest = {
  request: IncomingMessage
  response: ServerResponse
  scope: RequestScope
  path: Record<string, string | undefined>
  query: Record<string, unknown>
  /** When the credential was checked. */
  identifiedMs: number
  /** Set if it was read before the credential was checked. */
  body: { value: unknown; sentBytes: number } | null
}
/** If the body takes longer than this to arrive, the credential is checked again. */
const RECHECK_MS = 100
/** Stored in the router for a path and a method. */
type Serve = (routed: RoutedRequest) => void
type Router = ReturnType<typeof createRouter>

export function buildRoutes(options: RouteOptions, answers: Answers, fallback: Fallback): Routes {
  // The header limit already bounds parameters. With a shorter limit the router itself would reject long slugs.
  const router = createRouter({ maxParamLength: HEADER_BYTES_MAX, onBadUrl: unused })
  for (const route of options.routes.values()) addRoute(router, route, options, answers)
  addOtherMethods(router, options, answers)
  return (request, response, scope) => {
    const url = request.url as string
    const found = router.find(request.method as Method, url)
    if (found === null || hasEmptySegment(found.params)) {
      return fallback(request, response, scope, withoutSlash(router, url.split('?', 1)[0] as string))
    }
    const serve = found.store as Serve | null
    if (serve === null) return answers.fail(scope, response, malformed('The path contains invalid percent-encoding.'))
    serve({
      request,
      response,
      scope,
      path: found.params,
      query: found.searchParams as Record<string, unknown>,
      identifiedMs: 0,
      body: null,
    })
  }
}

/** The path without its trailing slash, if that path exists. */
function withoutSlash(router: Router, path: string): string | null {
  if (path.length < 2 || path.length > 200 || !path.endsWith('/')) return null
  const found = router.find('OPTIONS', path.slice(0, -1))
  return found && !hasEmptySegment(found.params) ? path.slice(0, -1) : null
}

/** The router matches `/v1/projects/` with an empty slug. A wildcard may be empty. */
function hasEmptySegment(params: Record<string, string | undefined>): boolean {
  for (const name in params) if (params[name] === '' && name !== '*') return true
  return false
}

function addRoute(router: Router, route: Route, options: RouteOptions, answers: Answers): void {
  const { operation } = route
  const { bodyLimit } = operation

  function serve(routed: RoutedRequest): void {
    const { request, response, scope } = routed
    scope.route = route
    try {
      if (Number(request.headers['content-length'] ?? 0) > bodyLimit) throw bodyTooLarge(bodyLimit)
      if (operation.reader) readFirst(routed)
      else authenticate(routed)
    } catch (error) {
      answers.fail(scope, response, error)
    }
  }

  /** Finding the credential may require parsing the body, so this takes its own turn. */
  function readFirst(routed: RoutedRequest): void {
    read(options, operation, answers, routed, (body, sentBytes) => {
      routed.body = { value: body, sentBytes }
      inTurn(routed, () => authenticate(routed))
    })
  }

  function authenticate(routed: RoutedRequest): void {
    const { response, scope } = routed
    const caller = callerOf(options, operation, routed)
    if (caller instanceof Promise) {
      caller.then(known => begin(routed, known)).catch(error => answers.fail(scope, response, error))
    } else begin(routed, caller)
  }

  /** Starts the request in the turn of its organisation or address. */
  function begin(routed: RoutedRequest, caller: RequestScope['caller']): void {
    routed.scope.caller = caller
    routed.identifiedMs = performance.now()
    inTurn(routed, () => admitAndRead(routed, caller))
  }

  function inTurn({ scope, response }: RoutedRequest, start: () => void): void {
    options.turns(scope.caller ? scope.caller.org : clientNetwork(scope.ip), () => {
      try {
        if (!response.destroyed) start()
      } catch (error) {
        answers.fail(scope, response, error)
      }
    })
  }

  function admitAndRead(routed: RoutedRequest, caller: RequestScope['caller']): void {
    const { scope, request, response } = routed
    const admitted =
      caller && admit(options.rates, operation, caller, readsOnly(operation, request.method ?? ''), scope)
    if (!admitted) readAndRun(routed)
    else
      admitted.then(() => inTurn(routed, () => readAndRun(routed))).catch(error => answers.fail(scope, response, error))
  }

  function readAndRun(routed: RoutedRequest): void {
    if (routed.body !== null) {
      run(routed, routed.body.value)
      return
    }
    read(options, operation, answers, routed, body => {
      if (routed.scope.caller === null || performance.now() - routed.identifiedMs < RECHECK_MS) run(routed, body)
      else {
        recheck(options, operation, routed)
          .then(() => run(routed, body))
          .catch(failure => answers.fail(routed.scope, routed.response, failure))
      }
    })
  }

  const run = (routed: RoutedRequest, body: unknown) => runOperation(options, operation, answers, routed, body)
  const methods = methodsOf(operation).filter(method => method !== 'OPTIONS')
  router.on(methods, routerPath(operation.path), unused, serve)
}

function read(
  options: RouteOptions,
  operation: Operation,
  answers: Answers,
  { request, response, scope }: RoutedRequest,
  done: (body: unknown, sentBytes: number) => void,
): void {
  const newShare = () => {
    scope.body = options.bodies(scope)
    return scope.body
  }
  readBody(request, operation, newShare, (error, body, sentBytes) => {
    if (error) answers.fail(scope, response, error)
    else done(body, sentBytes)
  })
}

function runOperation(
  options: RouteOptions,
  operation: Operation,
  answers: Answers,
  routed: RoutedRequest,
  sent: unknown,
): void {
  const { response, scope, path, query } = routed
  try {
    const body = operation.reader ? readIn(operation.reader, routed) : sent
    if (operation.access === 'ingest') delete query[INGEST_PARAMETER]
    // Discards what was not read of the body, so that the connection can be reused.
    if (operation.bodyKind === 'stream') response.once('finish', () => (body as Readable).destroy())
    const input = readInput(operation, { path, query, body })
    const output = invoke(options, operation, scope.caller, input, scope)
    if (output instanceof Promise) {
      output
        .then(value => answers.send(scope, response, operation, value))
        .catch(error => answers.fail(scope, response, error))
    } else answers.send(scope, response, operation, output)
  } catch (error) {
    answers.fail(scope, response, error)
  }
}

function callerOf(options: RouteOptions, operation: Operation, routed: RoutedRequest) {
  const { request, scope, query } = routed
  const { access, callsOperations, reader } = operation
  if (access === 'public') {
    if (callsOperations) requireOneCredential(request) // It identifies the caller of each call itself.
    return null
  }
  const presented = presentedIn(request, scope.ip, query, operation)
  if (reader === null || isBearer(presented)) return identify(options, operation, presented)
  const key = hasIngestKey(presented) ? null : readIn(reader, routed).key
  if (key !== null && !key.startsWith('pk-')) throw onlyPublishable()
  const inPlaceOfSdk = key === null ? {} : { ingestParameter: key }
  return identify(options, operation, { ...presented, authorization: undefined, ...inPlaceOfSdk })
}

/** Reads the body when its key or its content is needed, whichever is first. */
function readIn(reader: BodyReader, { scope, body }: RoutedRequest): ReturnType<BodyReader> {
  scope.read ??= reader((body?.value as Buffer | undefined) ?? NO_BODY, scope, body?.sentBytes ?? 0)
  return scope.read
}

/** Other schemes are SDK conventions, which are checked after the usual places. */
const isBearer = ({ authorization }: Presented): boolean => /^bearer /i.test(authorization ?? '')
const hasIngestKey = ({ ingestHeader, ingestParameter }: Presented): boolean =>
  ingestHeader !== undefined || ingestParameter !== undefined

const onlyPublishable = () =>
  new Fault('ingest_key_unknown', {
    message: 'Where an SDK puts its key, only a publishable key (pk-…) is accepted. Send a secret key as a bearer.',
  })

/** A client that sends its body slowly must not act with rights that were revoked meanwhile. */
async function recheck(options: RouteOptions, operation: Operation, routed: RoutedRequest): Promise<void> {
  const { scope, request } = routed
  const caller = await callerOf(options, operation, routed)
  if (caller) requirePermitted(operation, caller, readsOnly(operation, request.method ?? ''))
  scope.caller = caller
}

/** Adds OPTIONS to every path, and 405 with `Allow` for its other methods. */
function addOtherMethods(router: Router, { routes }: RouteOptions, answers: Answers): void {
  const byPath = new Map<string, Set<string>>()
  for (const { operation } of routes.values()) {
    const path = routerPath(operation.path)
    const methods = byPath.get(path) ?? new Set(['OPTIONS'])
    byPath.set(path, methods)
    for (const one of methodsOf(operation)) methods.add(one)
  }
  for (const [path, methods] of byPath) {
    const allow = METHODS.filter(method => methods.has(method)).join(', ')
    const preflight = { ...preflightHeaders(allow), allow }
    const message = `This path supports only ${allow}.`
    const notAllowed = new Fault('method_not_allowed', { message, headers: { allow } })
    const answerOptions: Serve = ({ scope, response }) =>
      answers.sendHead(scope, response, 204, scope.cors ? preflight : { allow })
    const refuse: Serve = ({ scope, response }) => answers.fail(scope, response, notAllowed)
    router.on('OPTIONS', path, unused, answerOptions)
    const others = METHODS.filter(method => !methods.has(method))
    if (others.length > 0) router.on(others, path, unused, refuse)
  }
}

type Method = (typeof METHODS)[number]

export function methodsOf({ method }: Operation): Method[] {
  if (method === 'ANY') return [...METHODS]
  return method === 'GET' ? ['GET', 'HEAD'] : [method]
}

/** The router requires handlers, but only its `find` is used. */
const unused = () => {}

/** In router syntax `{slug}` is `:slug`, and a trailing `{rest...}` is `*`. */
const routerPath = (path: string) => path.replace(/\{\w+\.\.\.\}$/, '*').replace(/\{(\w+)\}/g, ':$1')
