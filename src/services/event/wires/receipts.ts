// What an SDK must see in an answer so that it neither sends the same events again nor reports a failure. The HTTP status
// says the same, but some SDKs read the body instead: checked against their sources.
import type { Fields, Hints, WireName } from './wire.ts'

export type Receipt = {
  accepted: number
  dropped: number
  errors?: readonly { index: number; reason: string }[]
  /** About the events that were stored otherwise than sent. */
  warnings?: readonly { index: number; reason: string; field?: string; known?: string }[]
  /** Why nothing was stored although nothing is wrong, such as `privacy`. */
  reason?: string
}

export type WireFault = {
  status: number
  code: string
  message: string
  /** Whether the same events would be accepted in smaller requests. */
  isTooMany?: boolean
  /** How many events were sent, if that is known. */
  count?: number
}

type Said = Pick<Hints, 'query' | 'path'>

/** The body of a success. It is an object, except for Mixpanel's SDKs in their ordinary mode, which accept only `1`. */
export function receiptFor(wire: WireName, receipt: Receipt, said: Said): Fields | 1 {
  switch (wire) {
    case 'native':
      return { ...receipt }
    case 'posthog':
      // Its SDKs read the status only; this is the answer of its server.
      return { ...receipt, status: 1 }
    case 'segment':
      // Segment's server says `success`, Jitsu's `ok`. Jitsu's SDK fails on what is not JSON.
      return { ...receipt, success: true, ok: true }
    case 'amplitude':
      // Its SDKs read `code` instead of the status, and send everything again without it.
      return { ...receipt, code: 200, events_ingested: receipt.accepted }
    case 'mixpanel':
      return isTerse(said) ? 1 : { ...receipt, status: 1, error: null }
  }
}

/** `verbose=1` asks for an object. The SDK for Node always says which; the one for browsers says only that. */
function isTerse({ query, path }: Said): boolean {
  const verbose = query.get('verbose')
  return verbose === null ? path?.wire === 'mixpanel' : verbose !== '1'
}

/** Statuses that Amplitude's SDK does not treat as a mistake in the events. */
const AMPLITUDE_RETRIED = [408, 413, 429]

/** The body of a failure, if the SDK reads it; null if the host's own body will do. */
export function faultBody(wire: WireName, fault: WireFault): Fields | null {
  const { status, code, message, isTooMany = false, count = 0 } = fault
  if (wire === 'mixpanel') return { status: 0, error: message, code: status, reason: code }
  if (wire !== 'amplitude') return null
  const body = { code: status, error: message, reason: code }
  if (status >= 500 || AMPLITUDE_RETRIED.includes(status)) return body
  // On this code, whatever the status of the answer, it sends the events again in halves. Otherwise it would lose them.
  if (isTooMany) return { ...body, code: 413 }
  // It sends events again that are not named as invalid, unless a field of the request itself is missing.
  if (status === 400 && count > 0) {
    return { ...body, events_with_invalid_fields: { event_type: Array.from({ length: count }, (_, at) => at) } }
  }
  return { ...body, missing_field: status === 401 || status === 403 ? 'api_key' : 'events' }
}
