// One request over undici's handler interface. Its streams cost several times what they carry: without them, a short answer
// takes a third of the CPU time, and a chunk of a stream half.
import type { Dispatcher } from 'undici'
import { type HttpBody, HttpFailure, type HttpRequest } from '../engines.ts'

/** The unread data after which the connection is read no further. */
const WAITING_BYTES_MAX = 64 * 1024

/** What the engine adds to a service's request. */
export type Dispatched = Pick<HttpRequest, 'method' | 'headers' | 'body' | 'bodyBytesMax' | 'onSent'> & {
  url: URL
  headersTimeout: number
  bodyTimeout: number
  /** The time limit of the whole response; null for none. */
  timeoutMs: number | null
  signal: AbortSignal | null
  /** Converts an error to one of the engine. */
  failure: (error: unknown) => Error
}

export type Head = { status: number; headers: Record<string, string | string[]>; body: HttpBody }

/** Resolves with the head of the response. */
export function dispatch(dispatcher: Dispatcher, request: Dispatched): Promise<Head> {
  const { url, method, headers = {}, body = null, headersTimeout, bodyTimeout, signal } = request
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(request.failure(signal.reason))
    const received = new ReceivedBody(request, reject)
    const options = { origin: url.origin, path: url.pathname + url.search, method, headers, body }
    dispatcher.dispatch({ ...options, headersTimeout, bodyTimeout } as Dispatcher.DispatchOptions, {
      onRequestStart: controller => {
        request.onSent?.()
        received.start(controller)
      },
      onResponseStart: (_controller, status, head) => {
        if (status >= 200) resolve({ status, headers: head as Head['headers'], body: received })
      },
      onResponseData: (_controller, chunk) => received.add(chunk),
      onResponseEnd: () => received.end(),
      onResponseError: (_controller, error) => received.fail(error),
    })
  })
}

type Reader = { resolve(result: IteratorResult<Buffer, undefined>): void; reject(error: Error): void }

const END = { done: true, value: undefined } as const

/** Data that arrived and is not read yet. */
class ReceivedBody implements HttpBody, AsyncIterator<Buffer, undefined> {
  readonly #request: Dispatched
  readonly #rejectHead: (error: Error) => void
  readonly #abort = () => this.#stop(this.#request.signal?.reason)
  #controller: Dispatcher.DispatchController | null = null
  #reader: Reader | null = null
  #waiting: Buffer[] = []
  #waitingBytes = 0
  #seen = 0
  #isOver = false
  #failure: Error | null = null
  /** A timer that ends with the response. AbortSignal.timeout would remain until its time. */
  readonly #timer: NodeJS.Timeout | null

  constructor(request: Dispatched, rejectHead: (error: Error) => void) {
    this.#request = request
    this.#rejectHead = rejectHead
    request.signal?.addEventListener('abort', this.#abort)
    const late = () => this.#stop(new HttpFailure('timeout', 'no response within the timeout'))
    this.#timer = request.timeoutMs === null ? null : setTimeout(late, request.timeoutMs).unref()
  }

  [Symbol.asyncIterator]() {
    return this
  }

  next(): Promise<IteratorResult<Buffer, undefined>> {
    if (this.#waiting.length > 0) return Promise.resolve({ done: false, value: this.#taken() })
    if (this.#failure) return Promise.reject(this.#failure)
    if (this.#isOver) return Promise.resolve(END)
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject }
    })
  }

  return(): Promise<typeof END> {
    this.destroy()
    return Promise.resolve(END)
  }

  destroy(): void {
    if (!this.#isOver) this.#stop(new Error('the response is no longer needed'))
  }

  start(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#isOver) controller.abort(this.#failure ?? new Error('the request is over'))
  }

  add(chunk: Buffer): void {
    this.#seen += chunk.length
    const { bodyBytesMax } = this.#request
    if (this.#seen > bodyBytesMax) {
      this.#stop(new HttpFailure('size', `the response is longer than ${bodyBytesMax} bytes`))
    } else if (this.#reader) {
      this.#reader.resolve({ done: false, value: chunk })
      this.#reader = null
    } else {
      this.#waiting.push(chunk)
      this.#waitingBytes += chunk.length
      if (this.#waitingBytes > WAITING_BYTES_MAX) this.#controller?.pause()
    }
  }

  end(): void {
    this.#over()
    this.#reader?.resolve(END)
  }

  fail(error: unknown): void {
    if (this.#isOver) return
    this.#over()
    this.#failure = this.#request.failure(error)
    this.#rejectHead(this.#failure)
    this.#reader?.reject(this.#failure)
  }

  #taken(): Buffer {
    const chunk = this.#waiting.length === 1 ? (this.#waiting[0] as Buffer) : Buffer.concat(this.#waiting)
    this.#waiting = []
    this.#waitingBytes = 0
    // Last, because it may add data that has arrived meanwhile.
    this.#controller?.resume()
    return chunk
  }

  /** Without a controller the request waits for a connection; it is aborted when it starts. */
  #stop(reason: unknown): void {
    this.fail(reason)
    this.#controller?.abort(this.#failure as Error)
  }

  #over(): void {
    this.#isOver = true
    if (this.#timer) clearTimeout(this.#timer)
    this.#request.signal?.removeEventListener('abort', this.#abort)
  }
}
