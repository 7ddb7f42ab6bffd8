// Mixpanel: lists of `{event, properties: {token, distinct_id, time, $insert_id}}`, and of changes to a profile,
// `{$token, $distinct_id, $set, …}` or `{$token, $group_key, $group_id, $set, …}`.
//
// | item                                   | event                                         |
// |----------------------------------------|-----------------------------------------------|
// | $mp_web_page_view                      | $pageview                                     |
// | a change to a profile                  | $identify, the operations as properties       |
// | a change to a group                    | $groupidentify, $group_type, $group_key, $group_set |
// | other events                           | the name as sent                              |
//
// `$append: {$transactions: {$amount}}` records a payment of a profile: the amount is the revenue of the event, and stays
// in the operation.
import {
  add,
  addFilled,
  amountOf,
  completeEvent,
  hints,
  isFields,
  looksLikeKey,
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
import type { Fields, ReadItem, Wire } from './wire.ts'

const NAMES = new Map<unknown, string>([['$mp_web_page_view', '$pageview']])
/** Marks of an event of Mixpanel where the path does not say whose it is. */
const MARKS = ['mp_lib', 'distinct_id', 'time', '$insert_id']

const IGNORED = requestNames('event', 'properties')
const IGNORED_IN_PROFILE = requestNames()
const TOKEN = new Set(['token'])

export const mixpanel: Wire = {
  name: 'mixpanel',

  recognises(item, envelope) {
    if (isProfile(item)) return true
    if (!Object.hasOwn(item, 'event')) return false
    if (hints(envelope, 'mixpanel')) return true
    const { properties } = item
    if (!isFields(properties) || typeof properties.token !== 'string' || hints(envelope, 'posthog')) return false
    if (Object.hasOwn(properties, 'mp_lib')) return true
    if (['uuid', 'offset', 'api_key'].some(name => Object.hasOwn(item, name)) || Object.hasOwn(properties, '$lib')) {
      return false
    }
    return looksLikeKey(properties.token) || MARKS.some(name => Object.hasOwn(properties, name))
  },

  read: item => (isProfile(item) ? readProfile(item) : readEvent(item)),
}

function isProfile(item: Fields): boolean {
  if (Object.hasOwn(item, 'event')) return false
  return Object.hasOwn(item, '$distinct_id') || (Object.hasOwn(item, '$group_key') && Object.hasOwn(item, '$group_id'))
}

function readEvent(item: Fields): ReadItem {
  const opened = open(item, item.properties, IGNORED, TOKEN)
  if (!opened) return { drop: 'properties_not_an_object' }
  const { outer, inner, notices } = opened
  const known = {
    distinctId: takeId(inner, 'distinct_id'),
    anonymousId: takeId(inner, '$anon_distinct_id') ?? takeId(inner, '$device_id'),
    sessionId: takeId(inner, '$session_id'),
    messageId: takeId(inner, '$insert_id'),
    // The browser sends seconds, the server SDK milliseconds.
    timestamp: takeTime(inner, 'time'),
    revenue: takeRevenue(inner, 'revenue', '$revenue'),
    currency: takeCurrency(inner, 'currency', '$currency'),
  }
  const properties = restOf(inner)
  add(properties, restOf(outer))
  return completeEvent('mixpanel', NAMES.get(item.event) ?? item.event, known, properties, notices)
}

function readProfile(item: Fields): ReadItem {
  const outer = sourceOf(item, IGNORED_IN_PROFILE)
  const properties: Fields = {}
  const isGroup = Object.hasOwn(item, '$group_key')
  if (isGroup) {
    addFilled(properties, '$group_type', takeId(outer, '$group_key'))
    addFilled(properties, '$group_key', takeId(outer, '$group_id'))
    addFilled(properties, '$group_set', takeObject(outer, '$set'))
  }
  const known = {
    distinctId: takeId(outer, '$distinct_id'),
    anonymousId: takeId(outer, '$device_id'),
    timestamp: takeTime(outer, '$time'),
    revenue: paymentOf(item),
  }
  add(properties, restOf(outer))
  return completeEvent('mixpanel', isGroup ? '$groupidentify' : '$identify', known, properties, outer.notices)
}

function paymentOf({ $append }: Fields): number | null {
  if (!isFields($append) || !isFields($append.$transactions)) return null
  return amountOf($append.$transactions.$amount)
}
