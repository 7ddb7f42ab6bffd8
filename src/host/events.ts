// Writes an event stream (`text/event-stream`): as fast as its reader reads, and no longer than client and host stay.
import type { ServerResponse } from 'node:http'
import type { ServerEvent } from '../kit/answer.ts'
import { native } from '../kit/dialect.ts'
import { faultFor } from './faults.ts'
import type { RequestScope } from './scope.ts'

/** Proxies commonly cut a connection that was silent for a minute. */
const KEEP_ALIVE_MS = 15_000
/** A reader that takes nothing for so long is gone, or holds the source on purpose. */
export const UNREAD_MS = 60_000

type Source = AsyncIterable<ServerEvent<unknown> | Uint8Array>

/** The head goes out with the first event: a source that fails before that is answered as a fault. */
export async function sendEvents(
  scope: RequestScope,
  response: ServerResponse,
  source: Source,
  head: string[],
): Promise<void> {
  const begin = () => {
    if (!response.headersSent) response.writeHead(200, [...head, 'content-type', 'text/event-stream; charset=utf-8'])
  }
  const events = source[Symbol.asyncIterator]()
  const keepAlive = setInterval(() => {
    begin()
    response.write(':\n\n')
  }, KEEP_ALIVE_MS)
  const orAbort = untilAborted(scope.signal)
  try {
    while (scope.method !== 'HEAD') {
      const next = await orAbort(events.next())
      if (next === null || next.done) break
      begin()
      if (!response.write(encoded(next.value))) await orAbort(drained(response))
    }
    // One that has not begun when the host drains is told to come back, which an empty stream would not.
    if (scope.isStopped && !response.headersSent) throw scope.signal.reason
    begin()
    response.end()
  } catch (error) {
    if (!response.headersSent || scope.signal.aborted) throw error
    // Part of the answer is out: the rest is an event that says why it ends.
    const { body } = (scope.route?.operation.dialect ?? native)(faultFor(error), scope.id)
    response.end(encoded({ event: 'error', data: body }))
    throw error
  } finally {
    clearInterval(keepAlive)
    void Promise.resolve(events.return?.()).catch(() => {}) // It is told to stop; how it takes that is its own affair.
  }
}

/** Waits for something, but not beyond the abort: then it is null. One listener for all that is waited for, because a race
 *  against one promise would keep every outcome until that promise is settled. */
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

/** Resolves when the reader has caught up; one that never does is cut, which aborts the signal of its request. */
function drained(response: ServerResponse): Promise<void> {
  const timer = setTimeout(() => response.destroy(), UNREAD_MS).unref()
  return new Promise(resolve => {
    response.once('drain', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}

function encoded(event: ServerEvent<unknown> | Uint8Array): Uint8Array | string {
  if (event instanceof Uint8Array) return event
  const data = typeof event.data === 'string' ? event.data : JSON.stringify(event.data)
  const lines = data.split(/\r\n|\r|\n/).map(line => `data: ${line}\n`)
  return `${field('event', event.event)}${field('id', event.id)}${lines.join('')}\n`
}

/** A line break would end the field and begin another. */
const field = (name: string, value: string | undefined) =>
  value === undefined ? '' : `${name}: ${value.replace(/[\r\n\0]+/g, ' ')}\n`
