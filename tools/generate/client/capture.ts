// Sends events in the background, in batches, until the host has answered for each.
import { sleep, TIMER_MS_MAX } from './deadline.ts'
import { untilEnd } from './ending.ts'
import { StoaConnectionError, StoaError } from './errors.ts'
import { type StoaOptions, settingsFrom } from './options.ts'
import { type CapturedEvent, openQueue, type Queued, requestBytes } from './queue.ts'
import { type DroppedEvent, openSender, type Report } from './sender.ts'
import { openSending } from './sending.ts'

export type EventsOptions = Pick<StoaOptions, 'baseUrl' | 'headers' | 'fetch' | 'dangerouslyAllowBrowser'> & {
  /** A publishable key, `pk-…`, which may be public. On a server, a secret key or an access token works too. */
  key: string
  /** How long an event waits to be sent with others, in milliseconds; defaults to 1,000. */
  intervalMs?: number | undefined
  /** How long one attempt to send may take, in milliseconds; defaults to 10,000. */
  timeoutMs?: number | undefined
  /** Called when events are dropped. Also called, without events, when sending starts to fail; the events are then
   *  retried. Defaults to a warning on the console. */
  onError?: ((error: StoaError, dropped: DroppedEvent[]) => void) | undefined
}

export type Events = {
  /** Queues an event. It is sent in the background. */
  capture(event: CapturedEvent): void
  /** Sends the queued events. Resolves when each of them is stored or dropped. Rejects if that takes longer than
   *  `timeoutMs` (default 30,000); they then stay queued. A wait that the host requested with Retry-After, of at most a
   *  minute, is kept. */
  flush(options?: { timeoutMs?: number | undefined }): Promise<void>
  /** Sends the queued events and accepts no more. Events not stored within `timeoutMs` (default 10,000) are dropped. */
  close(options?: { timeoutMs?: number | undefined }): Promise<void>
}

const FLUSH_MS = 30_000
const CLOSE_MS = 10_000
/** The limit of what browsers send for closed pages, for all requests together. */
const KEEPALIVE_BYTES_MAX = 64 * 1024

export function createEvents(options: EventsOptions): Events {
  const settings = settingsFrom(options)
  if (!settings.key) throw new TypeError('`key` is missing: events need a publishable key, `pk-…`, or a secret one.')
  const report = reporter(options.onError)
  const queue = openQueue()
  const sender = openSender(settings, queue, report)
  const ending = untilEnd(() => void finish(CLOSE_MS), sendLast)
  const sending = openSending(queue, sender, options.intervalMs ?? 1000, ending.ignore)
  /** In requests that outlive the page. */
  const outliving = new Set<Queued>()
  let outlivingBytes = 0
  let isClosed = false

  function capture(event: CapturedEvent): void {
    if (typeof event !== 'object' || event === null) throw new TypeError(ONE_OBJECT)
    const refusal = sender.refusal()
    const reason = refusal ? 'key_refused' : isClosed ? 'closed' : queue.add(event)
    if (reason === null) {
      ending.listen()
      sending.added()
    } else report(refusal ?? new StoaError(WORDS[reason]), [{ event, reason }])
  }

  async function flush({ timeoutMs = FLUSH_MS } = {}): Promise<void> {
    const asked = queue.all()
    if (asked.length === 0) return
    const over = new AbortController()
    // This timer keeps the process alive.
    const late = sleep(Math.min(timeoutMs, TIMER_MS_MAX), over.signal).catch(() => {})
    await Promise.race([sending.all(), late])
    over.abort()
    const left = queue.countOf(asked)
    if (left > 0)
      throw new StoaConnectionError(
        `${left === 1 ? '1 event was' : `${left} events were`} not sent within ${timeoutMs} ms.`,
        {},
      )
  }

  const finish = (timeoutMs: number) => flush({ timeoutMs }).catch(sender.giveUp)

  async function close({ timeoutMs = CLOSE_MS } = {}): Promise<void> {
    isClosed = true
    await finish(timeoutMs)
  }

  /** The page may disappear immediately. Events being sent are sent again: the browser cancels the other request. A page
   *  that is left is also hidden, so this is called twice. */
  function sendLast(): void {
    for (const batch of queue.batches(Number.POSITIVE_INFINITY, KEEPALIVE_BYTES_MAX - outlivingBytes, outliving)) {
      const bytes = requestBytes(batch)
      outlivingBytes += bytes
      for (const one of batch) outliving.add(one)
      const over = () => {
        outlivingBytes -= bytes
        for (const one of batch) outliving.delete(one)
      }
      sender.send(batch, true).then(over, over) // Rejects if given up, which is reported.
    }
  }

  return { capture, flush, close }
}

const ONE_OBJECT = "`capture` takes one object; write `events.capture({ event: '…', properties: { … } })`."

const WORDS: Record<string, string> = {
  not_json: 'An event was dropped because it is not JSON: it contains itself or a BigInt.',
  too_large: 'An event was dropped because it is larger than 64 KiB.',
  queue_full: 'An event was dropped because too many are waiting to be sent.',
  closed: 'An event was dropped because `close` was called before.',
}

/** Errors of the caller's function are thrown where they cannot stop the sending. */
function reporter(onError: EventsOptions['onError']): Report {
  let last = ''
  const warn: Report = ({ message }, { length }) => {
    // One line per kind, however many events there are.
    // biome-ignore lint/suspicious/noConsole: the caller set no `onError` to hear of lost events
    if (message !== last) console.warn(`stoa-client: ${message}${length > 0 ? ' Events were dropped.' : ''}`)
    last = message
  }
  return (error, dropped) => {
    try {
      ;(onError ?? warn)(error, dropped)
    } catch (thrown) {
      queueMicrotask(() => {
        throw thrown
      })
    }
  }
}
