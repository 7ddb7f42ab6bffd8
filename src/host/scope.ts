// One request and its answer, from the moment its head has been read: what operations see of it, and what the log and the
// metrics say of it when it is over.
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { Principal } from '../kit/caller.ts'
import type { Operation, RequestFacts } from '../kit/operation.ts'
import { malformed, stopping } from './faults.ts'
import type { Log } from './log.ts'
import type { Metrics } from './metrics.ts'

export type Observe = ReturnType<Metrics['requests']['of']>
export type Route = { id: string; operation: Operation; observe: Observe }

export class RequestScope implements RequestFacts {
  readonly id: string
  readonly ip: string
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  readonly #startedMs = performance.now()
  #abort: AbortController | null = null
  /** Set when the operation is found. */
  route: Route | null = null
  /** Set when the credential is. */
  caller: Principal | null = null
  /** What the answer says of the caller's rate, if there is one. */
  rate: string | null = null
  /** What the answer says to a page of another origin, if that may read it. */
  cors: Record<string, string> | null = null
  /** Set when the host drains and this answer would not end by itself. */
  isStopped = false

  constructor(id: string, ip: string, request: IncomingMessage, response: ServerResponse) {
    this.id = id
    this.ip = ip
    this.#request = request
    this.#response = response
  }

  get method(): string {
    return this.#request.method ?? ''
  }
  get url(): string {
    return this.#request.url ?? ''
  }
  get headers(): IncomingHttpHeaders {
    return this.#request.headers
  }
  get peer(): string {
    return this.#request.socket.remoteAddress ?? ''
  }
  get signal(): AbortSignal {
    if (this.#abort) return this.#abort.signal
    const controller = new AbortController()
    this.#abort = controller
    const response = this.#response
    const leave = () => response.writableFinished || controller.abort(malformed('The client left before its answer.'))
    if (response.destroyed) leave()
    response.once('close', leave)
    return controller.signal
  }

  /** Ends a stream because the host drains. */
  stop(): void {
    this.isStopped = true
    if (!this.signal.aborted) this.#abort?.abort(stopping())
  }

  /** Called when the answer is out, or its client gone. */
  report(log: Log, observeOther: Observe): void {
    const { route, caller, id, ip } = this
    const status = this.#response.statusCode
    const ms = performance.now() - this.#startedMs
    if (route) route.observe(this.method, status, ms / 1000)
    else observeOther('any', status, ms / 1000)
    log.request({ id, operation: route ? route.id : 'none', method: this.method, status, ms, ip, caller })
  }
}
