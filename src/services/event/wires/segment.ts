// Segment's specification, which RudderStack and Jitsu follow: `{batch: [message], writeKey, sentAt}` or one message.
//
// | message                          | event                              |
// |----------------------------------|------------------------------------|
// | type track                       | the name as sent                   |
// | type page, screen                | $pageview, $screen                 |
// | type identify, traits            | $identify, properties.$set         |
// | type group, groupId, traits      | $groupidentify, $group_key, $group_set |
// | type alias, previousId           | $create_alias, properties.alias    |
// | name, category of page, screen   | properties of the same names       |
// | context, integrations            | $context, $integrations            |
//
// The `context` of a batch, which Segment's server would copy into each message, is not read: no SDK sends it, and the
// copies would multiply the size of a request.
import {
  add,
  addFilled,
  completeEvent,
  filled,
  hints,
  open,
  requestNames,
  restOf,
  sourceOf,
  takeCurrency,
  takeId,
  takeObject,
  takeRevenue,
  takeTime,
} from './fields.ts'
import type { Envelope, Fields, MessageType, Wire } from './wire.ts'

const NAMES: Record<Exclude<MessageType, 'track'>, string> = {
  page: '$pageview',
  screen: '$screen',
  identify: '$identify',
  group: '$groupidentify',
  alias: '$create_alias',
}

const IGNORED = requestNames('type', 'properties')

const TYPES: readonly string[] = ['track', ...Object.keys(NAMES)] satisfies string[]

export const segment: Wire = {
  name: 'segment',

  recognises(item, envelope) {
    const type = typeOf(item, envelope)
    if (type === null) return false
    if (hints(envelope, 'segment')) return true
    // Older clients of PostHog send a `type` of their own.
    if (Object.hasOwn(item, 'distinct_id') || Object.hasOwn(envelope.fields, 'api_key')) return false
    return Object.hasOwn(item, 'event') === (type === 'track')
  },

  read(item, envelope) {
    const opened = open(item, item.properties, IGNORED)
    if (!opened) return { drop: 'properties_not_an_object' }
    const { outer, inner, notices } = opened
    const type = typeOf(item, envelope) ?? 'track'
    // Only `track` has a name; what others send there is a property.
    if (type === 'track') outer.taken.push('event')
    const context = sourceOf(takeObject(outer, 'context') ?? {}, undefined, notices)
    const known = {
      distinctId: takeId(outer, 'userId'),
      anonymousId: takeId(outer, 'anonymousId'),
      sessionId: takeId(context, 'sessionId'),
      messageId: takeId(outer, 'messageId'),
      timestamp: takeTime(outer, 'timestamp', 'originalTimestamp'),
      revenue: takeRevenue(inner, 'revenue'),
      currency: takeCurrency(inner, 'currency'),
    }
    const properties = restOf(inner)
    addFilled(properties, '$integrations', takeObject(outer, 'integrations'))
    if (type === 'identify') {
      // RudderStack sends the traits in both places.
      addFilled(properties, '$set', takeObject(outer, 'traits'))
      addFilled(properties, '$set', takeObject(context, 'traits'))
    }
    if (type === 'group') {
      addFilled(properties, '$group_key', takeId(outer, 'groupId'))
      addFilled(properties, '$group_set', takeObject(outer, 'traits'))
    }
    if (type === 'alias') addFilled(properties, 'alias', takeId(outer, 'previousId'))
    addFilled(properties, '$context', restOf(context))
    add(properties, filled(restOf(outer)))
    return completeEvent('segment', type === 'track' ? item.event : NAMES[type], known, properties, notices)
  },
}

function typeOf(item: Fields, { hint }: Envelope): MessageType | null {
  const { type } = item
  if (typeof type === 'string' && TYPES.includes(type)) return type as MessageType
  return hint?.wire === 'segment' ? hint.type : null
}
