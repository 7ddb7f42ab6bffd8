// The scope of a request: what operations see of it, the state of its answer, and its log line and metrics.
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { Principal } from '../kit/caller.ts'
import type { Fault } from '../kit/fault.ts'
import type { BodyReader, Operation, RequestFacts } from '../kit/operation.ts'
import { wantsPrivacy } from '../kit/privacy.ts'
import type { Provided } from '../kit/service.ts'
import { malformed, stopping } from './faults.ts'
import { type Log, loggedPath } from './log.ts'
import type { MemoryShare } from './memory-budget.ts'
import type { Metrics } from './metrics.ts'

export type Observe = ReturnType<Metrics['requests']['of']>
export type Route = { id: string; operation: Operation; observe: Observe }

/** The status in logs and metrics of requests that got no answer, because the client left or the host stopped. */
export const UNANSWERED = 499

export class RequestScope implements RequestFacts {
  readonly id: string
  readonly ip: string
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  readonly #startedMs = performance.now()
  #abort: AbortController | null = null
  /** Set when the operation is matched. */
  route: Route | null = null
  /** Set when the credential is checked. */
  caller: Principal | null = null
  /** The RateLimit header, if the key has a rate. */
  rate: string | null = null
  /** The CORS headers, if a page of another origin may read the answer. */
  cors: Record<string, string> | null = null
  /** The result of the operation's own body reader, when the body is read. */
  read: ReturnType<BodyReader> | null = null
  /** The memory that its body holds. */
  body: MemoryShare | null = null
  /** The memory that its answer holds, if it is large. */
  answer: MemoryShare | null = null
  /** Set when the host drains and stops this stream. */
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
  get isForeignPage(): boolean {
    return this.headers.origin !== undefined && this.cors === null
  }
  get signal(): AbortSignal {
    if (this.#abort) return this.#abort.signal
    const controller = new AbortController()
    this.#abort = controller
    const response = this.#response
    const abort = () => response.writableFinished || controller.abort(malformed('The client disconnected early.'))
    if (response.destroyed) abort()
    response.once('close', abort)
    return controller.signal
  }

  /** Ends a stream, by default because the host drains. */
  stop(why: Fault = stopping()): void {
    this.isStopped = true
    if (!this.signal.aborted) this.#abort?.abort(why)
  }

  /** Called when the answer is sent or the client has disconnected. */
  report(log: Log, observeOther: Observe, countRequest: Provided['countRequest']): void {
    const { route, caller, id } = this
    const ip = route?.operation.access === 'ingest' && wantsPrivacy(this.headers) ? '' : this.ip
    this.body?.release()
    this.answer?.release()
    const status = this.#response.headersSent ? this.#response.statusCode : UNANSWERED
    const ms = performance.now() - this.#startedMs
    if (route) route.observe(this.method, status, ms / 1000)
    else observeOther('any', status, ms / 1000)
    if (caller) countRequest?.(caller.org, status)
    const path = status === 404 || !route ? loggedPath(this.url) : undefined
    log.request({ id, operation: route ? route.id : 'none', method: this.method, status, ms, ip, caller, path })
  }
}
