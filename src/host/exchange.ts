// One request and its answer, from the moment its head has been read: what operations see of it, and what is told of it
// in the log and the metrics when it is over.
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { Writer } from '../kit/caller.ts'
import type { Fault } from '../kit/fault.ts'
import type { Operation, RequestFacts } from '../kit/operation.ts'
import { malformed } from './faults.ts'
import type { Log } from './log.ts'
import type { Metrics } from './metrics.ts'

export type Observe = ReturnType<Metrics['requests']['of']>
export type Route = { id: string; operation: Operation; observe: Observe }

/** Nothing here is for a browser to keep, or to guess the type of, and who may read it depends on who asks. */
const HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff', vary: 'Origin' }
const STRICT_HEADERS = { ...HEADERS, 'strict-transport-security': 'max-age=31536000' }

export class Exchange implements RequestFacts {
  readonly id: string
  readonly ip: string
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  readonly #startedMs = performance.now()
  #signal: AbortSignal | null = null
  /** Set when the operation is found. */
  route: Route | null = null
  /** Set when the credential is. */
  caller: Writer | null = null
  /** What the answer says of the caller's rate, if there is one. */
  rate: string | null = null
  /** What the answer says to a page of another origin, if that may read it. */
  cors: Record<string, string> | null = null

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
  get signal(): AbortSignal {
    if (this.#signal) return this.#signal
    const controller = new AbortController()
    const response = this.#response
    const leave = () => response.writableFinished || controller.abort(malformed('The client left before its answer.'))
    if (response.destroyed) leave()
    response.once('close', leave)
    this.#signal = controller.signal
    return this.#signal
  }

  /** Answers before anything else has looked at the request. */
  refuse(fault: Fault, strict: boolean): void {
    const body = JSON.stringify(fault.body(this.id))
    const type = { 'content-type': 'application/json; charset=utf-8', 'content-length': Buffer.byteLength(body) }
    const head = { ...baseHeaders(strict), 'x-request-id': this.id, ...type, ...fault.headers }
    this.#response.writeHead(fault.status, head).end(this.method === 'HEAD' ? '' : body)
  }

  /** Told when the answer is out, or its client gone. */
  report(log: Log, observeOther: Observe): void {
    const { route, caller, id, ip } = this
    const status = this.#response.statusCode
    const ms = performance.now() - this.#startedMs
    if (route) route.observe(this.method, status, ms / 1000)
    else observeOther('any', status, ms / 1000)
    log.request({ id, operation: route ? route.id : 'none', method: this.method, status, ms, ip, caller })
  }
}

export const baseHeaders = (strict: boolean) => (strict ? STRICT_HEADERS : HEADERS)

/** Node's request carries its exchange along, through the framework and back to us. */
const EXCHANGE = Symbol('exchange')
type Carrier = IncomingMessage & { [EXCHANGE]?: Exchange }

export function attach(request: IncomingMessage, exchange: Exchange): void {
  ;(request as Carrier)[EXCHANGE] = exchange
}

export function exchangeOf(request: IncomingMessage): Exchange {
  return (request as Carrier)[EXCHANGE] as Exchange
}
