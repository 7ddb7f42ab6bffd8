// Our own event: `{event, properties, distinctId?, anonymousId?, sessionId?, messageId?, timestamp?, revenue?, currency?,
// subject?}`. The names with underscores and PostHog's names for the same things are read too. Other fields beside
// `properties` become properties.
import { add, completeEvent, open, requestNames, restOf, takeAmount, takeCurrency, takeId, takeTime } from './fields.ts'
import type { Wire } from './wire.ts'

const IGNORED = requestNames('event', 'properties')

export const native: Wire = {
  name: 'native',

  /** The last in the table: every other item with a name is an event of ours. */
  recognises: item => Object.hasOwn(item, 'event'),

  read(item) {
    const opened = open(item, item.properties, IGNORED)
    if (!opened) return { drop: 'properties_not_an_object' }
    const { outer, inner } = opened
    const known = {
      distinctId: takeId(outer, 'distinctId', 'distinct_id') ?? takeId(inner, 'distinct_id'),
      anonymousId: takeId(outer, 'anonymousId', 'anonymous_id') ?? takeId(inner, '$anon_distinct_id'),
      sessionId: takeId(outer, 'sessionId', 'session_id') ?? takeId(inner, '$session_id'),
      messageId: takeId(outer, 'messageId', 'message_id', 'uuid') ?? takeId(inner, '$insert_id'),
      timestamp: takeTime(outer, 'timestamp'),
      revenue: takeAmount(outer, 'revenue') ?? takeAmount(inner, 'revenue', '$revenue'),
      currency: takeCurrency(outer, 'currency') ?? takeCurrency(inner, 'currency', '$currency'),
      subject: takeId(outer, 'subject'),
    }
    // SDKs send valid times; an invalid time is a mistake in a body written by hand, and is reported.
    if (known.timestamp === null && (item.timestamp ?? null) !== null) return { drop: 'timestamp_invalid' }
    const properties = restOf(inner)
    add(properties, restOf(outer))
    return completeEvent('native', item.event, known, properties)
  },
}
