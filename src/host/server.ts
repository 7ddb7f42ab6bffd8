// Handles each request: creates its scope, checks its head, adds CORS headers and passes it to the routes.
import type { IncomingMessage, RequestListener } from 'node:http'
import type { BlockList } from 'node:net'
import type { Random } from '../engines/engines.ts'
import { Fault } from '../kit/fault.ts'
import type { Provided } from '../kit/service.ts'
import { type AnswerOptions, Answers } from './answer.ts'
import { arrivalFault, clientAddress, originForm } from './arrival.ts'
import { corsHeaders, type Origins } from './cors.ts'
import type { FindFile } from './files.ts'
import { removeIdentityClaims } from './identity-headers.ts'
import { discardUnread, type Listener } from './listener.ts'
import type { Metrics } from './metrics.ts'
import { buildRoutes, type Fallback, type RouteOptions } from './routes.ts'
import { RequestScope } from './scope.ts'

export type ServerOptions = RouteOptions &
  AnswerOptions & {
    origins: Origins
    trusted: BlockList | null
    metrics: Metrics
    requestId: () => string
    countRequest?: Provided['countRequest']
    /** Finds the static file for a path that no operation has. */
    findFile: FindFile
    /** The name of the service that owns a path and has no operations yet. */
    unbuilt: (path: string) => string | null
    /** The operation that may have been meant. */
    near: (method: string, path: string) => string | null
  }
export type HostServer = {
  handle: RequestListener
  refused: Parameters<Listener['serve']>[1]
  close(): void
  stopStreams(): void
  /** Ends both kinds of streams of an organisation that was deleted. */
  stopStreamsOf(org: string): void
  /** Streams that stand for values. */
  stopValues(): void
}

export function buildServer(options: ServerOptions): HostServer {
  const { log, trusted, origins, requestId, countRequest } = options
  const answers = new Answers(options)
  const fallback: Fallback = (request, response, scope, meant) => {
    const path = (request.url ?? '').split('?', 1)[0] as string
    const file = options.findFile(request.method ?? '', path, request.headers)
    try {
      if (!file) throw notFoundAt(request, path, options.unbuilt(path), meant, options.near)
      answers.sendReply(scope, response, file)
    } catch (error) {
      answers.fail(scope, response, error)
    }
  }
  const routes = buildRoutes(options, answers, fallback)
  /** Requests for no operation share one series, so that clients cannot create new ones. */
  const observeOther = options.metrics.requests.of('none')
  return {
    close: () => answers.close(),
    stopStreams: () => answers.stopStreams(),
    stopStreamsOf: org => answers.stopStreamsOf(org),
    stopValues: () => answers.stopValues(),
    refused: (id, fault, ip) => {
      observeOther('any', fault.status, 0)
      log.refused(id, 'none', fault, ip)
    },
    handle: (request, response) => {
      removeIdentityClaims(request)
      const scope = new RequestScope(requestId(), clientAddress(request, trusted), request, response)
      response.on('close', () => {
        scope.report(log, observeOther, countRequest)
        if (!request.complete) discardUnread(request)
      })
      const refusal = arrivalFault(request, trusted)
      if (refusal) return answers.fail(scope, response, refusal)
      if (!request.url?.startsWith('/')) request.url = originForm(request.url ?? '')
      const { origin } = request.headers
      if (origin === undefined) return routes(request, response, scope)
      Promise.resolve(corsHeaders(origin, scope.ip, origins))
        .then(headers => {
          scope.cors = headers
          routes(request, response, scope)
        })
        .catch(error => answers.fail(scope, response, error))
    },
  }
}

function notFoundAt(
  { method = '' }: IncomingMessage,
  path: string,
  unbuilt: string | null,
  meant: string | null,
  near: ServerOptions['near'],
): Fault {
  if (unbuilt !== null) {
    return new Fault('not_built', { message: `The ${unbuilt} service is not built yet; GET /v1 lists services.` })
  }
  const like = meant === null ? near(method, path) : `${meant}, without the slash at the end`
  const hint = like === null ? ' GET /v1 lists the services.' : ` Did you mean ${like}?`
  return new Fault('not_found', { message: `No operation or file at ${method} ${path.slice(0, 200)}.${hint}` })
}

/** A random prefix per process and a counter: unique across processes, and cheaper than a random id per request. */
export function requestIds(random: Random, kind: 'req' | 'idr'): () => string {
  const prefix = `${kind}_${random.token(12)}`
  let count = 10_000_000 // Always eight digits.
  return () => prefix + count++
}
