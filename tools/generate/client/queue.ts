// The unsettled events, as text, so that later changes by the caller are not sent.

export type CapturedEvent = {
  /** The name, at most 200 characters. */
  event: string
  /** The person or thing that caused it. */
  distinctId?: string | undefined
  anonymousId?: string | undefined
  sessionId?: string | undefined
  properties?: Record<string, unknown> | undefined
  /** When it happened; defaults to now. Numbers are seconds or milliseconds since 1970. */
  timestamp?: Date | string | number | undefined
  /** The amount paid. */
  revenue?: number | undefined
  currency?: string | undefined
  /** With a secret key: the subject to publish under, instead of `event.<name>`. */
  subject?: string | undefined
  /** Identifies the event: of events with the same id within 7 days, the host stores one. Defaults to a new id. */
  messageId?: string | undefined
}

export type Queued = { event: CapturedEvent; text: string; bytes: number }

/** The host's limits for one request. */
const REQUEST_EVENTS_MAX = 50
const REQUEST_BYTES_MAX = 64 * 1024

/** The amount of events that may be queued while the host is unreachable, without harm to the process. */
const QUEUE_EVENTS_MAX = 10_000
const QUEUE_BYTES_MAX = 16 * 1024 * 1024

/** A request without events. All times have the same length. */
const bodyOf = (texts: readonly string[]) => `{"sentAt":"${new Date().toISOString()}","batch":[${texts.join()}]}`

export function openQueue() {
  const waiting = new Set<Queued>()
  const envelopeBytes = bodyOf([]).length
  let bytes = 0

  /** Why the event was not added; null if it was. */
  function add(event: CapturedEvent): string | null {
    const queued = queuedOf(event)
    if (queued === null) return 'not_json'
    if (queued.bytes + envelopeBytes > REQUEST_BYTES_MAX) return 'too_large'
    if (waiting.size >= QUEUE_EVENTS_MAX || bytes + queued.bytes > QUEUE_BYTES_MAX) return 'queue_full'
    waiting.add(queued)
    bytes += queued.bytes
    return null
  }

  /** The events that are still waiting; others may have been settled meanwhile. */
  function remove(events: Iterable<Queued>): Queued[] {
    const removed = Array.from(events).filter(one => waiting.delete(one))
    for (const one of removed) bytes -= one.bytes
    return removed
  }

  /** The oldest events, in requests as full as possible: up to this many requests, of this many bytes in total. */
  function batches(max: number, bytesMax = Number.POSITIVE_INFINITY, without?: ReadonlySet<Queued>): Queued[][] {
    const all: Queued[][] = []
    let [size, total] = [0, 0]
    for (const one of waiting) {
      if (without?.has(one)) continue
      const batch = all.at(-1)
      // A comma separates two events.
      const isNew = !batch || batch.length === REQUEST_EVENTS_MAX || size + one.bytes + 1 > REQUEST_BYTES_MAX
      if (isNew && all.length === max) break
      const more = one.bytes + (isNew ? envelopeBytes : 1)
      if (total + more > bytesMax) break
      size = isNew ? more : size + more
      total += more
      if (isNew) all.push([one])
      else batch.push(one)
    }
    return all
  }

  const isFull = () => waiting.size >= REQUEST_EVENTS_MAX || envelopeBytes + bytes + waiting.size > REQUEST_BYTES_MAX
  const countOf = (events: readonly Queued[]) => events.filter(one => waiting.has(one)).length
  return { add, remove, batches, isFull, countOf, all: () => [...waiting], size: () => waiting.size }
}

/** Of the text, at most: with a comma for each. */
export const requestBytes = (batch: readonly Queued[]) =>
  batch.reduce((sum, one) => sum + one.bytes + 1, bodyOf([]).length)

export const batchText = (batch: readonly Queued[]) => bodyOf(batch.map(({ text }) => text))

/** Null if it is not JSON, because it contains itself or a BigInt. */
function queuedOf(event: CapturedEvent): Queued | null {
  const { messageId = crypto.randomUUID(), timestamp = new Date().toISOString(), properties = {} } = event
  const complete = { ...event, messageId, timestamp, properties }
  try {
    const text = JSON.stringify(complete)
    return { event: complete, text, bytes: new TextEncoder().encode(text).length }
  } catch {
    return null // The caller of `add` reports it.
  }
}
