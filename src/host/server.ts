// Requests come in here: each gets its exchange, its head is looked at, and the routes take over.
import type { BlockList } from 'node:net'
import type { Random } from '../engines/engines.ts'
import { arrivalFault, clientAddress, originForm } from './arrival.ts'
import { corsHeaders, type Origins } from './cors.ts'
import { attach, Exchange } from './exchange.ts'
import { faultFor } from './faults.ts'
import { removeIdentityClaims } from './identity-headers.ts'
import type { ListenerOptions } from './listener.ts'
import type { Log } from './log.ts'
import { buildRoutes, type RouteOptions } from './routes.ts'

export type ServerOptions = RouteOptions & { origins: Origins; trusted: BlockList | null; log: Log }
export type HostServer = Pick<ListenerOptions, 'handle' | 'requestId' | 'refused'> & { closing: () => void }

export async function buildServer(options: ServerOptions): Promise<HostServer> {
  const { log, trusted, hsts, origins } = options
  const state = { closing: false }
  const routes = await buildRoutes(options, state)
  const requestId = requestIds(options.engines.random, 'req')
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
      const { origin } = request.headers
      if (origin === undefined) return routes(request, response)
      Promise.resolve(corsHeaders(origin, origins))
        .then(headers => {
          exchange.cors = headers
          routes(request, response)
        })
        .catch(error => exchange.refuse(faultFor(error), hsts))
    },
  }
}

/** A prefix drawn at start and a counter: unique across processes, and cheaper than drawing each one. */
export function requestIds(random: Random, kind: 'req' | 'idr'): () => string {
  const prefix = `${kind}_${random.token(12)}`
  let count = 10_000_000 // Eight digits from the first one on.
  return () => prefix + count++
}
