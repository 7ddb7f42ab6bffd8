// What a team workspace token may write: page views, errors and the five names of autocapture, without revenue and without
// anything that identifies the visitor. The table belongs to the server; no client can extend it.
import { isFields, put } from './fields.ts'
import type { Fields, ReadEvent } from './wire.ts'

/** The names that a token may write, by the names that wires use for them. */
const ALLOWED = new Map<string, string>([
  ['$pageview', '$pageview'],
  ['pageview', '$pageview'],
  ['page_view', '$pageview'],
  ['$exception', '$exception'],
  ['$error', '$error'],
  ['$click', '$click'],
  ['$input', '$input'],
  ['$change', '$change'],
  ['$submit', '$submit'],
  ['$view', '$view'],
  ['$mp_click', '$click'],
  ['$mp_input_change', '$change'],
  ['$mp_submit', '$submit'],
  ['[Amplitude] Element Clicked', '$click'],
  ['[Amplitude] Element Changed', '$change'],
  ['[Amplitude] Form Submitted', '$submit'],
])

/** PostHog has one name for all of autocapture, and says in a property what happened. */
const AUTOCAPTURED = new Map<unknown, string>([
  ['click', '$click'],
  ['input', '$input'],
  ['change', '$change'],
  ['submit', '$submit'],
])

/** Fields of these names are removed at any depth. They are compared in lower case and without `$`, `_`, `-` and spaces. */
const REMOVED = new Set([
  // Who it is.
  ...['distinctid', 'userid', 'deviceid', 'anonymousid', 'anondistinctid', 'anonid', 'identifiedid'],
  ...['previousid', 'groupid', 'groupkey', 'groupset', 'grouptype', 'groupproperties', 'groups'],
  ...['email', 'emailaddress', 'phone', 'phonenumber', 'username', 'firstname', 'lastname', 'fullname', 'customerid'],
  ...['traits', 'alias', 'userproperties', 'personproperties'],
  ...['idfa', 'idfv', 'adid', 'androidid', 'advertisingid'],
  // What was paid.
  ...['revenue', 'price', 'quantity', 'currency', 'amount', 'productid', 'transactions', 'revenuetype'],
  ...['revenueamount', 'total', 'subtotal', 'ordertotal', 'unitprice'],
])
/** The operations on profiles are removed only with their sign: without it, these are ordinary words. */
const OPERATIONS = ['set', 'set_once', 'setonce', 'unset', 'add', 'append', 'prepend', 'union', 'remove', 'delete']
const REMOVED_OPERATIONS = new Set(OPERATIONS.map(name => `$${name}`))
/** A revenue outside an exception; in one, it is the message. */
const VALUE = 'value'
const EXCEPTIONS = new Set(['$exception_list', '$exception', 'exception', 'exceptions', 'error'])

/** The same as the depth limit of any input. Deeper values are removed. */
const DEPTH_MAX = 32

export function reduce(event: ReadEvent): ReadEvent | { drop: 'not_allowed_for_token' } {
  const name = resolve(event)
  if (name === null) return { drop: 'not_allowed_for_token' }
  return {
    ...event,
    event: name,
    distinctId: null,
    anonymousId: null,
    revenue: null,
    currency: null,
    subject: null,
    properties: stripped(event.properties, 0, false) as Fields,
  }
}

function resolve({ event, properties }: ReadEvent): string | null {
  if (event === '$autocapture') return AUTOCAPTURED.get(properties.$event_type) ?? null
  return ALLOWED.get(event) ?? null
}

function stripped(value: unknown, depth: number, inException: boolean): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (depth > DEPTH_MAX) return null
  if (Array.isArray(value)) return value.map(one => stripped(one, depth + 1, inException))
  if (!isFields(value)) return null
  const kept: Fields = {}
  for (const name of Object.keys(value)) {
    if (isRemoved(name, inException)) continue
    put(kept, name, stripped(value[name], depth + 1, inException || EXCEPTIONS.has(name)))
  }
  return kept
}

function isRemoved(name: string, inException: boolean): boolean {
  const lower = name.toLowerCase()
  if (REMOVED_OPERATIONS.has(lower) || lower.startsWith('$group_')) return true
  const plain = lower.replace(/[$_\- ]/g, '')
  return REMOVED.has(plain) || (plain === VALUE && !inException)
}
