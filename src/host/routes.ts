// Declarations become routes: each takes a request through identify, admit, its body, and invoke, to its answer. This is the
// only file that knows the router.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import createRouter from 'find-my-way'
import { Fault } from '../kit/fault.ts'
import type { Operation } from '../kit/operation.ts'
import { admit } from './admit.ts'
import type { Answers } from './answer.ts'
import { readBody } from './body.ts'
import { preflightHeaders } from './cors.ts'
import { bodyTooLarge, isSafe, METHODS, malformed } from './faults.ts'
import { type IdentifyOptions, identify } from './identify.ts'
import { readInput } from './input.ts'
import { type InvokeOptions, invoke } from './invoke.ts'
import { HEADER_BYTES_MAX } from './listener.ts'
import { INGEST_PARAMETER, presentedIn } from './presented.ts'
import type { Rates } from './rates.ts'
import type { RequestScope, Route } from './scope.ts'

export type RouteOptions = IdentifyOptions & InvokeOptions & { rates: Rates; routes: ReadonlyMap<string, Route> }
export type Routes = (request: IncomingMessage, response: ServerResponse, scope: RequestScope) => void

type Visit = {
  request: IncomingMessage
  response: ServerResponse
  scope: RequestScope
  path: Record<string, string | undefined>
  query: Record<string, unknown>
}
/** What the router keeps for a path and a method. */
type Serve = (visit: Visit) => void
type Router = ReturnType<typeof createRouter>

/** `missing` says what is answered where nothing was declared. */
export function buildRoutes(options: RouteOptions, answers: Answers, missing: Routes): Routes {
  // Bounded by the header limit already; a shorter one would make a long slug an error of the router's own.
  const router = createRouter({ maxParamLength: HEADER_BYTES_MAX, onBadUrl: unused })
  for (const route of options.routes.values()) addRoute(router, route, options, answers)
  addOtherMethods(router, options, answers)
  return (request, response, scope) => {
    const found = router.find(request.method as OneMethod, request.url as string)
    if (found === null) return missing(request, response, scope)
    const serve = found.store as Serve | null
    if (serve === null) return answers.fail(scope, response, malformed('The path is not valid percent-encoding.'))
    serve({ request, response, scope, path: found.params, query: found.searchParams as Record<string, unknown> })
  }
}

function addRoute(router: Router, route: Route, options: RouteOptions, answers: Answers): void {
  const { operation } = route
  const { access, bodyLimit } = operation

  function enter(visit: Visit): void {
    const { request, response, scope } = visit
    scope.route = route
    try {
      if (Number(request.headers['content-length'] ?? 0) > bodyLimit) throw bodyTooLarge(bodyLimit)
      const caller = access === 'public' ? null : identify(options, access, presentedIn(request, visit.query, access))
      if (caller instanceof Promise) {
        caller.then(known => proceed(visit, known)).catch(error => answers.fail(scope, response, error))
      } else proceed(visit, caller)
    } catch (error) {
      answers.fail(scope, response, error)
    }
  }

  function proceed(visit: Visit, caller: RequestScope['caller']): void {
    const { scope, request } = visit
    scope.caller = caller
    if (caller !== null) admit(options.rates, operation, caller, isSafe(request.method ?? ''), scope)
    read(visit)
  }

  function read(visit: Visit): void {
    readBody(visit.request, operation, (error, body) => {
      if (error) answers.fail(visit.scope, visit.response, error)
      else perform(visit, body)
    })
  }

  function perform({ response, scope, path, query }: Visit, body: unknown): void {
    try {
      if (access === 'ingest') delete query[INGEST_PARAMETER]
      // What nobody read of it is let pass, so that the connection can be used again.
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

  const methods = methodsOf(operation).filter(method => method !== 'OPTIONS')
  router.on(methods, routerPath(operation.path), unused, enter)
}

/** Every path answers every method: 405 with the ones it has, and OPTIONS with their list. */
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
    const message = `Only ${allow} are answered here.`
    const notAllowed = new Fault('method_not_allowed', { message, headers: { allow } })
    const answerOptions: Serve = ({ scope, response }) =>
      answers.sendHead(scope, response, 204, scope.cors ? preflight : { allow })
    // Answered before the body is looked at: whatever it is, it is not wanted here.
    const refuse: Serve = ({ scope, response }) => answers.fail(scope, response, notAllowed)
    router.on('OPTIONS', path, unused, answerOptions)
    const others = METHODS.filter(method => !methods.has(method))
    if (others.length > 0) router.on(others, path, unused, refuse)
  }
}

type OneMethod = (typeof METHODS)[number]

export function methodsOf({ method }: Operation): OneMethod[] {
  if (method === 'ANY') return [...METHODS]
  return method === 'GET' ? ['GET', 'HEAD'] : [method]
}

/** The router's own handlers: what it found is asked of it instead. */
const unused = () => {}

/** `/v1/projects/{slug}` is spelled `/v1/projects/:slug` by the router, and a last `{rest...}` `*`. */
const routerPath = (path: string) => path.replace(/\{\w+\.\.\.\}$/, '*').replace(/\{(\w+)\}/g, ':$1')
