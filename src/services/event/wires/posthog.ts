// PostHog: `{api_key, batch: [event], sent_at}`, and before that one event or a bare list with the key in
// `properties.token`. `$set` and `$set_once` may stand beside `properties`; both places become properties, as at PostHog.
import {
  add,
  completeEvent,
  hints,
  isFields,
  open,
  requestNames,
  restOf,
  type Source,
  takeCurrency,
  takeId,
  takeOffset,
  takeRevenue,
  takeTime,
} from './fields.ts'
import type { Envelope, Fields, Wire } from './wire.ts'

/** Older clients repeat in `type` which of their functions was called. */
const IGNORED = requestNames('event', 'properties', 'type')
const TOKEN = new Set(['token'])

export const posthog: Wire = {
  name: 'posthog',

  recognises(item, envelope) {
    if (!Object.hasOwn(item, 'event')) return false
    if (hints(envelope, 'posthog')) return true
    if (Object.hasOwn(envelope.fields, 'api_key') || Object.hasOwn(item, 'api_key')) return true
    return hasTokenOfPosthog(item)
  },

  read(item, envelope) {
    const opened = open(item, item.properties, IGNORED, TOKEN)
    if (!opened) return { drop: 'properties_not_an_object' }
    const { outer, inner, notices } = opened
    const distinctId = takeId(outer, 'distinct_id', 'distinctId')
    const inside = takeId(inner, 'distinct_id')
    const known = {
      distinctId: distinctId ?? inside,
      // The id before `$identify`; otherwise the id that stays with the device, which is the anonymous one at first.
      anonymousId: takeId(inner, '$anon_distinct_id') ?? takeId(inner, '$device_id'),
      sessionId: takeId(inner, '$session_id'),
      messageId: takeId(outer, 'uuid') ?? takeId(inner, '$insert_id'),
      timestamp: timestampOf(outer, inner, envelope),
      revenue: takeRevenue(inner, '$revenue', 'revenue'),
      currency: takeCurrency(inner, '$currency', 'currency'),
    }
    const properties = restOf(inner)
    if (inside !== null && distinctId !== null && inside !== distinctId) properties.distinct_id = inside
    add(properties, restOf(outer))
    return completeEvent('posthog', item.event, known, properties, notices)
  },
}

/** `offset` is how many milliseconds before the request the event happened. `$time` is in seconds. */
function timestampOf(outer: Source, inner: Source, { sentAt }: Envelope): number | null {
  const timestamp = takeTime(outer, 'timestamp')
  const offset = takeOffset(outer, 'offset')
  if (timestamp !== null) return timestamp
  if (offset !== null && sentAt !== null) return Math.round(sentAt - offset)
  return takeTime(inner, '$time')
}

/** mixpanel has the same shape with other marks. */
function hasTokenOfPosthog(item: Fields): boolean {
  const { properties } = item
  if (!isFields(properties) || typeof properties.token !== 'string' || Object.hasOwn(properties, 'mp_lib')) return false
  return ['uuid', 'offset'].some(name => Object.hasOwn(item, name)) || Object.hasOwn(properties, '$lib')
}
