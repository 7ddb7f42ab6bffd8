import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { RequestFacts } from '../kit/operation.ts'

/** A request as operations see it. Made for every call and seldom read, so everything is worked out when asked for. */
export class RequestView implements RequestFacts {
  readonly #request: FastifyRequest
  readonly #reply: FastifyReply
  #signal: AbortSignal | null = null

  constructor(request: FastifyRequest, reply: FastifyReply) {
    this.#request = request
    this.#reply = reply
  }

  get id(): string {
    return this.#request.id
  }
  get method(): string {
    return this.#request.method
  }
  get url(): string {
    return this.#request.raw.url ?? ''
  }
  get headers(): IncomingHttpHeaders {
    return this.#request.raw.headers
  }
  get ip(): string {
    return this.#request.ip
  }
  get signal(): AbortSignal {
    if (this.#signal) return this.#signal
    const controller = new AbortController()
    const { raw } = this.#reply
    raw.once('close', () => raw.writableFinished || controller.abort())
    this.#signal = controller.signal
    return this.#signal
  }
}
