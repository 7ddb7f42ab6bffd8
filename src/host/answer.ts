// Writes answers: status, a flat list of headers, and the body.
import type { ServerResponse } from 'node:http'
import { finished, Readable } from 'node:stream'
import { answerText, EventStream, Reply } from '../kit/answer.ts'
import type { Fault } from '../kit/fault.ts'
import type { Operation } from '../kit/operation.ts'
import { sendEvents, standsForValue } from './events.ts'
import { faultAnswer } from './fault-answer.ts'
import { faultFor, orgDeleted } from './faults.ts'
import type { Log } from './log.ts'
import { type MemoryBudget, UNCOUNTED_BYTES } from './memory-budget.ts'
import { type Refusals, reportFault } from './refusals.ts'
import type { RequestScope } from './scope.ts'

/** Called with every outcome. Tests compare it with the declaration; unused in production. */
export type Inspect = (id: string, operation: Operation, outcome: { output: unknown } | { fault: Fault }) => void

export type AnswerOptions = {
  /** Sends Strict-Transport-Security, which applies to all ports of this host name. */
  hsts: boolean
  log: Log
  refusals: Refusals
  /** The memory for answers that clients have not read yet. */
  unread: MemoryBudget
  inspect?: Inspect
}

const HEADERS = ['cache-control', 'no-store', 'x-content-type-options', 'nosniff', 'vary', 'Origin']
const STRICT_HEADERS = [...HEADERS, 'strict-transport-security', 'max-age=31536000']
const JSON_TYPE = 'application/json; charset=utf-8'

export class Answers {
  readonly #options: AnswerOptions
  readonly #base: string[]
  /** Streaming answers, which must be stopped when the host drains. */
  readonly #streams = new Set<RequestScope>()
  /** Streams that stand for values: they end by themselves, and draining waits for them as for values. */
  readonly #values = new Set<RequestScope>()
  #isClosing = false

  constructor(options: AnswerOptions) {
    this.#options = options
    this.#base = options.hsts ? STRICT_HEADERS : HEADERS
  }

  /** From now on answers carry `Connection: close`. */
  close(): void {
    this.#isClosing = true
  }

  stopStreams(): void {
    for (const scope of this.#streams) scope.stop()
  }

  stopValues(): void {
    for (const scope of this.#values) scope.stop()
  }

  stopStreamsOf(org: string): void {
    for (const scope of [...this.#streams, ...this.#values]) if (scope.caller?.org === org) scope.stop(orgDeleted())
  }

  /** Sends the output of an operation. */
  send(scope: RequestScope, response: ServerResponse, operation: Operation, output: unknown): void {
    const { inspect } = this.#options
    if (inspect && scope.route) inspect(scope.route.id, operation, { output })
    if (output instanceof Reply) this.sendReply(scope, response, output)
    else if (output instanceof EventStream) this.#sendEvents(scope, response, output)
    else if (output === undefined) response.writeHead(operation.status, this.#headOf(scope)).end()
    else {
      const text = answerText(output)
      this.#hold(scope, text)
      writeJson(scope, response, operation.status, this.#headOf(scope), text)
    }
  }

  /** Sends an answer without a body. */
  sendHead(scope: RequestScope, response: ServerResponse, status: number, own: Record<string, string>): void {
    response.writeHead(status, this.#headWith(scope, own)).end()
  }

  sendReply(scope: RequestScope, response: ServerResponse, answer: Reply): void {
    const { status, headers, body } = answer
    if (body instanceof Readable) {
      this.#sendStream(scope, response, answer, body)
      return
    }
    if (body) this.#hold(scope, body)
    const head = this.#headWith(scope, headers)
    if (body) head.push('content-length', String(typeof body === 'string' ? Buffer.byteLength(body) : body.length))
    response.writeHead(status, head).end(scope.method === 'HEAD' ? undefined : (body ?? undefined))
  }

  fail(scope: RequestScope, response: ServerResponse, error: unknown): void {
    const { inspect } = this.#options
    const fault = faultFor(error)
    const { id, route } = scope
    if (inspect && route) inspect(route.id, route.operation, { fault })
    if (!scope.isStopped) reportFault(this.#options, fault, id, route?.id)
    if (response.headersSent) {
      if (!response.writableEnded) response.destroy()
      return
    }
    const { status, body } = faultAnswer(scope, fault)
    writeJson(scope, response, status, this.#headWith(scope, fault.headers), JSON.stringify(body))
  }

  /** Raises a fault if too many other answers to this client are still unread. */
  #hold(scope: RequestScope, body: string | Uint8Array): void {
    if (body.length <= UNCOUNTED_BYTES || scope.method === 'HEAD') return
    scope.answer ??= this.#options.unread(scope)
    scope.answer.grow(body.length)
  }

  /** The head is sent with the first byte, so that an earlier failure can be answered as a fault. After a later failure
   *  the connection is closed, so that the answer does not look complete. */
  #sendStream(scope: RequestScope, response: ServerResponse, { status, headers }: Reply, body: Readable): void {
    const head = this.#headWith(scope, headers)
    if (scope.method === 'HEAD') {
      body.destroy()
      response.writeHead(status, head).end()
      return
    }
    const begin = () => response.headersSent || response.writeHead(status, head)
    body.once('data', begin).pause()
    body.once('end', begin)
    finished(body, { writable: false }, error => {
      if (!error || response.destroyed || response.writableEnded) return
      if (!scope.isStopped) this.fail(scope, response, error)
      else if (response.headersSent) response.destroy()
      else this.fail(scope, response, scope.signal.reason)
    })
    this.#stopWith(scope, response, () => body.destroy(new Error('the client left or the host is draining')))
    body.pipe(response)
  }

  #sendEvents(scope: RequestScope, response: ServerResponse, { source, headers }: EventStream<unknown>): void {
    this.#stopWith(scope, response, () => {}, standsForValue(scope) ? this.#values : this.#streams)
    const head = this.#headWith(scope, headers)
    sendEvents(scope, response, source, head).catch(error => this.fail(scope, response, error))
  }

  /** Registers a stream that `stop` ends when its client disconnects or the host drains. */
  #stopWith(scope: RequestScope, response: ServerResponse, stop: () => void, streams = this.#streams): void {
    if (scope.signal.aborted) stop()
    else {
      streams.add(scope)
      scope.signal.addEventListener('abort', stop, { once: true })
      response.once('close', () => streams.delete(scope))
    }
  }

  /** The headers of every answer to this request. */
  #headOf({ id, cors, rate }: RequestScope): string[] {
    const head = this.#base.slice()
    head.push('x-request-id', id)
    if (cors !== null) for (const name in cors) head.push(name, cors[name] as string)
    if (rate !== null) head.push('ratelimit', rate)
    if (this.#isClosing) head.push('connection', 'close')
    return head
  }

  /** Adds the answer's own headers, which replace those of the same name. */
  #headWith(scope: RequestScope, own: Record<string, string | string[]>): string[] {
    // CORS headers always depend on the origin.
    if (own.vary !== undefined) own = { ...own, vary: `Origin, ${own.vary}` }
    let head = this.#headOf(scope)
    for (const name in own) if (head.includes(name.toLowerCase())) head = without(head, name.toLowerCase())
    for (const name in own) {
      const value = own[name] as string | string[]
      if (typeof value === 'string') head.push(name, value)
      else for (const one of value) head.push(name, one)
    }
    return head
  }
}

/** The flat list of headers without the named one. */
const without = (head: readonly string[], name: string): string[] =>
  head.filter((_, at) => head[at - (at % 2)] !== name)

/** With a line end, so that terminals show the prompt on a line of its own. */
function writeJson({ method }: RequestScope, response: ServerResponse, status: number, head: string[], json: string) {
  const text = `${json}\n`
  head.push('content-type', JSON_TYPE, 'content-length', String(Buffer.byteLength(text)))
  response.writeHead(status, head).end(method === 'HEAD' ? undefined : text)
}
