// The beginning of a stream. It is held back until the first event is whole: a provider may report an error there, and the
// client then gets the status of the error instead of a stream.
import type { HttpResponse } from '../../../engines/engines.ts'
import type { RequestFacts } from '../../../kit/operation.ts'
import type { Offer } from '../models/offer.ts'
import type { ServerEvent } from '../translations/translation.ts'
import { eventsOfWhole } from './events-of-whole.ts'
import type { Passing } from './pass-on.ts'
import { type AttemptFailed, refusalWithin, unusable } from './refusal.ts'
import type { Route } from './route.ts'
import { eventsIn, openEventReader } from './server-events.ts'
import { jsonIn } from './texts.ts'

/** The length of comments that may precede the first event; they are held back with it. */
const HELD_BYTES_MAX = 64 * 1024

/** The same stream, of which nothing passes until the first event is complete. Raises an error that the event reports. */
export function heldBack(passing: Passing, response: HttpResponse, route: Route): Passing {
  const reader = openEventReader()
  let held: Buffer[] = []
  let size = 0
  let isOpen = false
  const release = () => {
    isOpen = true
    const bytes = held.length === 1 ? (held[0] as Buffer) : Buffer.concat(held)
    held = []
    return bytes.indexOf(BYTE_ORDER_MARK) === 0 ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes
  }
  return {
    next: chunk => {
      if (isOpen) return passing.next(chunk)
      held.push(chunk)
      size += chunk.length
      const whole = reader.add(chunk)
      const [first] = whole === null ? [] : eventsIn(whole)
      if (first === undefined && (whole === null || size < HELD_BYTES_MAX)) return null
      const refusal = first && refusalInEvent(first, response, route.offer)
      if (refusal) throw refusal.fault
      return passing.next(release())
    },
    end: () => {
      if (isOpen) return passing.end()
      const rest = eventsOfRest(release(), response, route)
      const parts = [passing.next(rest), passing.end()].filter(part => part !== null)
      return parts.length === 0 ? null : Buffer.concat(parts)
    },
    isWhole: passing.isWhole,
  }
}

const BYTE_ORDER_MARK = Buffer.from('\ufeff')

/** Of a stream without a complete event: some providers answer in one piece. */
function eventsOfRest(rest: Buffer, response: HttpResponse, { offer, wire }: Route): Buffer {
  const text = rest.toString()
  const refusal = refusalInText(text, response, offer)
  if (refusal) throw refusal.fault
  const json = jsonIn(text)
  const events = json === null ? rest : eventsOfWhole(wire, json)
  if (events === null || eventsIn(events).length === 0) throw unusable(offer.by).fault
  return events
}

/** The error that an event reports; null for other events, and for errors that come with a response. */
export function refusalInEvent({ event, data }: ServerEvent, response: HttpResponse, offer: Offer) {
  const json = jsonIn(data)
  if (typeof json === 'object' && json !== null) {
    const said = event === 'error' ? { type: 'error', ...json } : json
    return 'response' in said ? null : refusalWithin(said, response, offer)
  }
  return event === 'error' ? refusalWithin({ type: 'error', message: data }, response, offer) : null
}

/** The error in a stream that was not requested, or in a whole answer with the content type of a stream. */
export function refusalInText(text: string, response: HttpResponse, offer: Offer): AttemptFailed | null {
  const json = jsonIn(text)
  if (typeof json === 'object' && json !== null) return refusalWithin(json, response, offer)
  const [first] = eventsIn(Buffer.from(text))
  return first === undefined ? null : refusalInEvent(first, response, offer)
}

/** The requests whose answers have begun: errors are then sent as events. */
const begun = new WeakSet<RequestFacts>()
export const noteBegun = (request: RequestFacts): void => void begun.add(request)
export const hasBegun = (request: RequestFacts): boolean => begun.has(request)
