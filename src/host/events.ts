// Writes an event stream (`text/event-stream`) with backpressure, until it ends, the client leaves or the host drains.
import type { ServerResponse } from 'node:http'
import type { ServerEvent } from '../kit/answer.ts'
import { faultAnswer } from './fault-answer.ts'
import { faultFor } from './faults.ts'
import type { RequestScope } from './scope.ts'

/** Proxies commonly close a connection after a minute without data. */
const KEEP_ALIVE_MS = 15_000

type Source = AsyncIterable<ServerEvent<unknown> | Uint8Array>

/** The head is sent with the first event, so that an earlier failure of the source can be answered as a fault. */
export async function sendEvents(
  scope: RequestScope,
  response: ServerResponse,
  source: Source,
  head: string[],
): Promise<void> {
  let isChunked = false
  const begin = () => {
    if (response.headersSent) return
    response.writeHead(200, [...head, 'content-type', 'text/event-stream; charset=utf-8'])
    isChunked = ownChunks(response)
  }
  const sent = (data: Uint8Array | string) => (isChunked ? chunkOf(data) : data)
  const end = () => response.end(isChunked ? LAST_CHUNK : undefined)
  const events = source[Symbol.asyncIterator]()
  const keepAlive = setInterval(() => {
    begin()
    response.write(sent(':\n\n'))
  }, KEEP_ALIVE_MS)
  const orAbort = untilAborted(scope.signal)
  try {
    while (scope.method !== 'HEAD') {
      const next = await orAbort(events.next())
      if (next === null || next.done) break
      begin()
      if (!response.write(sent(encoded(next.value)))) await orAbort(drained(response))
    }
    // If the host drains before the first event, answer 503: a client would not retry after an empty stream. A stream that
    // stands for a value must not look complete either.
    if (scope.isStopped && (!response.headersSent || standsForValue(scope))) throw scope.signal.reason
    begin()
    end()
  } catch (error) {
    if (!response.headersSent || response.destroyed) throw error
    // The head is sent already, so the fault is sent as an event.
    response.write(sent(encoded({ event: 'error', data: faultAnswer(scope, faultFor(error)).body })))
    end()
    throw error
  } finally {
    clearInterval(keepAlive)
    void Promise.resolve(events.return?.()).catch(() => {}) // The answer is over; errors of the cleanup do not matter.
  }
}

/** Whether the operation otherwise answers with a value. */
export const standsForValue = ({ route }: RequestScope): boolean => route?.operation.answer.kind === 'either'

const LAST_CHUNK = '0\r\n\r\n'
const [CR, LF] = [13, 10]

/** Node writes a chunk's size, data and two line ends separately, which costs more than the rest of forwarding a small
 *  event. So chunks are formatted here, in the cases where Node would chunk: not for HTTP/1.0, nor for HEAD. */
function ownChunks(response: ServerResponse): boolean {
  const { chunkedEncoding } = response
  response.chunkedEncoding = false
  return chunkedEncoding
}

function chunkOf(data: Uint8Array | string): Buffer {
  const bytes = typeof data === 'string' ? Buffer.from(data) : data
  const size = bytes.length.toString(16)
  const chunk = Buffer.allocUnsafe(size.length + bytes.length + 4)
  chunk.write(size, 'latin1')
  chunk[size.length] = CR
  chunk[size.length + 1] = LF
  chunk.set(bytes, size.length + 2)
  chunk[chunk.length - 2] = CR
  chunk[chunk.length - 1] = LF
  return chunk
}

/** Awaits promises; resolves to null on abort. It uses one listener for all of them, because Promise.race against one
 *  long-lived promise would keep every result in memory until that promise settles. */
function untilAborted(signal: AbortSignal): <T>(awaited: Promise<T>) => Promise<T | null> {
  let stop = () => {}
  signal.addEventListener('abort', () => stop(), { once: true })
  return awaited =>
    new Promise((resolve, reject) => {
      stop = () => resolve(null)
      if (signal.aborted) stop()
      awaited.then(resolve, reject)
    })
}

/** Resolves when the client has read the buffered data. Connections that stop reading are closed in connections.ts. */
const drained = (response: ServerResponse) => new Promise<void>(resolve => response.once('drain', resolve))

function encoded(event: ServerEvent<unknown> | Uint8Array): Uint8Array | string {
  if (event instanceof Uint8Array) return event
  const data = typeof event.data === 'string' ? event.data : JSON.stringify(event.data)
  const lines = data.split(/\r\n|\r|\n/).map(line => `data: ${line}\n`)
  return `${field('event', event.event)}${field('id', event.id)}${lines.join('')}\n`
}

/** A line break would start another field. */
const field = (name: string, value: string | undefined) =>
  value === undefined ? '' : `${name}: ${value.replace(/[\r\n\0]+/g, ' ')}\n`
