// Requests come in here: each gets its scope, its head is looked at, and the routes take over.
import type { IncomingMessage, RequestListener } from 'node:http'
import type { BlockList } from 'node:net'
import type { Random } from '../engines/engines.ts'
import { Fault } from '../kit/fault.ts'
import { type AnswerOptions, Answers } from './answer.ts'
import { arrivalFault, clientAddress, originForm } from './arrival.ts'
import { corsHeaders, type Origins } from './cors.ts'
import type { FindFile } from './files.ts'
import { removeIdentityClaims } from './identity-headers.ts'
import { type Listener, passUnread } from './listener.ts'
import type { Metrics } from './metrics.ts'
import { buildRoutes, type RouteOptions, type Routes } from './routes.ts'
import { RequestScope } from './scope.ts'

export type ServerOptions = RouteOptions &
  AnswerOptions & {
    origins: Origins
    trusted: BlockList | null
    metrics: Metrics
    requestId: () => string
    /** What stands at paths that no operation has. */
    findFile: FindFile
    /** The name of the service that owns a path and has no operation yet. */
    unbuilt: (path: string) => string | null
  }
export type HostServer = {
  handle: RequestListener
  refused: Parameters<Listener['serve']>[1]
  close(): void
  stopStreams(): void
}

export function buildServer(options: ServerOptions): HostServer {
  const { log, trusted, origins, requestId } = options
  const answers = new Answers(options)
  const missing: Routes = (request, response, scope) => {
    const path = (request.url ?? '').split('?', 1)[0] as string
    const file = options.findFile(request.method ?? '', path, request.headers)
    if (file) return answers.sendReply(scope, response, file)
    answers.fail(scope, response, nothingAt(request, path, options.unbuilt(path)))
  }
  const routes = buildRoutes(options, answers, missing)
  /** Counts what was for no operation, all together, so that nobody outside can make new series. */
  const observeOther = options.metrics.requests.of('none')
  return {
    close: () => answers.close(),
    stopStreams: () => answers.stopStreams(),
    refused: (id, status, ip) => {
      observeOther('any', status, 0)
      log.request({ id, operation: 'none', method: 'none', status, ms: 0, ip, caller: null })
    },
    handle: (request, response) => {
      removeIdentityClaims(request)
      const scope = new RequestScope(requestId(), clientAddress(request, trusted), request, response)
      response.on('close', () => {
        scope.report(log, observeOther)
        if (!request.complete) passUnread(request)
      })
      const refusal = arrivalFault(request, trusted)
      if (refusal) return answers.fail(scope, response, refusal)
      if (!request.url?.startsWith('/')) request.url = originForm(request.url ?? '')
      const { origin } = request.headers
      if (origin === undefined) return routes(request, response, scope)
      Promise.resolve(corsHeaders(origin, origins))
        .then(headers => {
          scope.cors = headers
          routes(request, response, scope)
        })
        .catch(error => answers.fail(scope, response, error))
    },
  }
}

function nothingAt({ method }: IncomingMessage, path: string, unbuilt: string | null): Fault {
  if (unbuilt !== null) {
    return new Fault('not_built', { message: `The ${unbuilt} service is not built yet; GET /v1 lists what is.` })
  }
  return new Fault('not_found', { message: `There is nothing at ${method} ${path.slice(0, 200)}.` })
}

/** A prefix drawn at start and a counter: unique across processes, and cheaper than drawing each one. */
export function requestIds(random: Random, kind: 'req' | 'idr'): () => string {
  const prefix = `${kind}_${random.token(12)}`
  let count = 10_000_000 // Eight digits from the first one on.
  return () => prefix + count++
}
