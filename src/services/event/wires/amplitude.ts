// Amplitude: `{api_key, events: [event], client_upload_time}`.
//
// | event                                 | ours                                     |
// |---------------------------------------|------------------------------------------|
// | event_type, event_properties          | event, properties                        |
// | [Amplitude] Page Viewed               | $pageview                                |
// | user_id, device_id                    | distinctId, anonymousId                  |
// | user_properties                       | $set, $set_once and the other operations |
// | groups, group_properties              | $groups, $group_properties               |
// | the same of $groupidentify, one group | $group_type, $group_key, $group_set      |
// | revenue, or price times quantity      | revenue                                  |
//
// Other fields, such as `library` or `os_name`, become properties.
import {
  add,
  addFilled,
  amountOf,
  completeEvent,
  filled,
  isFields,
  open,
  put,
  requestNames,
  restOf,
  type Source,
  sourceOf,
  takeCurrency,
  takeId,
  takeObject,
  takeRevenue,
  takeTime,
} from './fields.ts'
import type { Fields, Wire } from './wire.ts'

const NAMES = new Map<unknown, string>([['[Amplitude] Page Viewed', '$pageview']])
/** The value that clients send without a session. */
const NO_SESSION = '-1'
const RENAMED_OPERATIONS = new Map([['$setOnce', '$set_once']])

const IGNORED = requestNames('event_type', 'event_properties')

export const amplitude: Wire = {
  name: 'amplitude',

  recognises: item => Object.hasOwn(item, 'event_type'),

  read(item) {
    const opened = open(item, item.event_properties, IGNORED)
    if (!opened) return { drop: 'properties_not_an_object' }
    const { outer, inner, notices } = opened
    const name = item.event_type
    const sessionId = takeId(outer, 'session_id')
    const known = {
      distinctId: takeId(outer, 'user_id'),
      anonymousId: takeId(outer, 'device_id'),
      sessionId: sessionId === NO_SESSION ? null : sessionId,
      messageId: takeId(outer, 'insert_id'),
      timestamp: takeTime(outer, 'time'),
      revenue: revenueOf(item, outer, inner),
      currency: takeCurrency(outer, 'currency') ?? takeCurrency(inner, '$currency', 'currency'),
    }
    const operations = operationsOf(takeObject(outer, 'user_properties'))
    const groups = takeObject(outer, 'groups')
    const groupProperties = takeObject(outer, 'group_properties')
    const properties = restOf(inner)
    add(properties, filled(operations))
    addGroups(properties, name === '$groupidentify', groups, groupProperties)
    add(properties, restOf(outer))
    return completeEvent('amplitude', NAMES.get(name) ?? name, known, properties, notices)
  },
}

/** As Amplitude does: the revenue if there is one, otherwise the price of all pieces, which stay properties. */
function revenueOf(item: Fields, outer: Source, inner: Source): number | null {
  const stated = takeRevenue(outer, 'revenue') ?? takeRevenue(inner, '$revenue', 'revenue')
  if (stated !== null) return stated
  const properties = isFields(item.event_properties) ? item.event_properties : {}
  const price = amountOf(item.price) ?? amountOf(properties.$price)
  if (price === null) return null
  return amountOf(price * (amountOf(item.quantity) ?? amountOf(properties.$quantity) ?? 1))
}

/** Properties of the user without an operation are set. */
function operationsOf(userProperties: Fields | null): Fields {
  const operations: Fields = {}
  const plain: Fields = {}
  for (const [name, value] of Object.entries(userProperties ?? {})) {
    if (name.startsWith('$')) add(operations, { [RENAMED_OPERATIONS.get(name) ?? name]: value })
    else put(plain, name, value)
  }
  addFilled(operations, '$set', plain)
  return operations
}

function addGroups(properties: Fields, isGroupIdentify: boolean, groups: Fields | null, set: Fields | null): void {
  const [first, second] = Object.entries(groups ?? {})
  if (!isGroupIdentify || !first || second || typeof first[1] !== 'string') {
    addFilled(properties, '$groups', groups)
    addFilled(properties, '$group_properties', set)
    return
  }
  addFilled(properties, '$group_type', first[0])
  addFilled(properties, '$group_key', first[1])
  const operations = sourceOf(set ?? {})
  addFilled(properties, '$group_set', takeObject(operations, '$set'))
  addFilled(properties, '$group_properties', restOf(operations))
}
