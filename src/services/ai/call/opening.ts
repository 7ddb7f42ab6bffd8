// The beginning of a stream. It is held back until the first event is whole: a provider that refuses may say so there, and the
// client then gets the status of the refusal and no stream.
import type { HttpResponse } from '../../../engines/engines.ts'
import type { RequestFacts } from '../../../kit/operation.ts'
import type { Offer } from '../models/offer.ts'
import type { ServerEvent } from '../translations/translation.ts'
import { type AttemptFailed, refusalWithin } from './refusal.ts'
import { eventsIn, openEventReader } from './server-events.ts'
import { jsonIn } from './texts.ts'

/** So many comments may come before the first event, and are held with it. */
const HELD_BYTES_MAX = 64 * 1024

export type Opening = {
  /** What to pass on; null while nothing is known. Raises the refusal. */
  next(chunk: Buffer): Buffer | null
  /** What is held at the end of the stream. */
  rest(): Buffer
}

export function openOpening(response: HttpResponse, offer: Offer): Opening {
  const reader = openEventReader()
  let held: Buffer[] = []
  let size = 0
  let isOpen = false
  const release = () => {
    const bytes = held.length === 1 ? (held[0] as Buffer) : Buffer.concat(held)
    held = []
    return bytes
  }
  return {
    next: chunk => {
      if (isOpen) return chunk
      held.push(chunk)
      size += chunk.length
      const whole = reader.add(chunk)
      const [first] = whole === null ? [] : eventsIn(whole)
      if (first === undefined && (whole === null || size < HELD_BYTES_MAX)) return null
      const refusal = first && refusalInEvent(first, response, offer)
      if (refusal) throw refusal.fault
      isOpen = true
      return release()
    },
    rest: release,
  }
}

/** Null for any event but one that tells of an error and of nothing that was made. */
export function refusalInEvent({ event, data }: ServerEvent, response: HttpResponse, offer: Offer) {
  const json = jsonIn(data)
  if (typeof json === 'object' && json !== null) {
    const said = event === 'error' ? { type: 'error', ...json } : json
    return 'response' in said ? null : refusalWithin(said, response, offer)
  }
  return event === 'error' ? refusalWithin({ type: 'error', message: data }, response, offer) : null
}

/** What is said in a stream to whoever did not ask for one, or in one piece although its type is that of a stream. */
export function refusalInText(text: string, response: HttpResponse, offer: Offer): AttemptFailed | null {
  const json = jsonIn(text)
  if (typeof json === 'object' && json !== null) return refusalWithin(json, response, offer)
  const [first] = eventsIn(Buffer.from(text))
  return first === undefined ? null : refusalInEvent(first, response, offer)
}

/** The requests of which a part of the answer is sent: an error is then an event. */
const begun = new WeakSet<RequestFacts>()
export const noteBegun = (request: RequestFacts): void => void begun.add(request)
export const hasBegun = (request: RequestFacts): boolean => begun.has(request)
