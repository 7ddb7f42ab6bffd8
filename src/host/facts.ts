import type { IncomingHttpHeaders } from 'node:http'
import { type BlockList, isIP } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { RequestFacts } from '../kit/operation.ts'

/** Where a request comes from. A trusted proxy's word for it counts if it is an address, with a port or without. */
export function clientAddress(request: FastifyRequest, trusted: BlockList | null): string {
  const peer = request.raw.socket.remoteAddress ?? ''
  if (!trusted) return peer
  const said = request.ip.replace(/^\[(.*)\](:\d+)?$/, '$1').replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1')
  return isIP(said) ? said : peer
}

/** A request as operations see it. Made for every call and seldom read, so everything is worked out when asked for. */
export class RequestView implements RequestFacts {
  readonly #request: FastifyRequest
  readonly #reply: FastifyReply
  readonly #trusted: BlockList | null
  #signal: AbortSignal | null = null

  constructor(request: FastifyRequest, reply: FastifyReply, trusted: BlockList | null) {
    this.#request = request
    this.#reply = reply
    this.#trusted = trusted
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
    return clientAddress(this.#request, this.#trusted)
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
