// From the JSON of a request to events in our names. Each item is read by the wire that recognises its shape; a list may
// mix them. Further wires are added to the table below.
import { amplitude } from './amplitude.ts'
import { isFields, KEY_NAMES, looksLikeKey, SENT_AT_NAMES } from './fields.ts'
import { mixpanel } from './mixpanel.ts'
import { native } from './native.ts'
import { posthog } from './posthog.ts'
import { segment } from './segment.ts'
import { timeOf } from './time.ts'
import {
  type Envelope,
  EVENTS_MAX,
  type Fields,
  type Hints,
  type ReadBody,
  type ReadItem,
  type Wire,
  type WireName,
} from './wire.ts'

/** The first that recognises an item reads it: the unmistakable shapes come first, ours last. */
const WIRES: readonly Wire[] = [amplitude, segment, mixpanel, posthog, native]

const NO_OBJECT: ReadItem = Object.freeze({ drop: 'event_not_an_object' })
const NO_EVENT: ReadItem = Object.freeze({ drop: 'event_missing' })

export function readEvents(json: unknown, hints: Hints): ReadBody {
  const { fields, list } = unwrap(json)
  const sentAt = sentAtOf([fields, ...list.slice(0, 1)]) ?? timeOf(hints.query.get('_'))
  const envelope: Envelope = { fields, hint: hints.path, sentAt }
  let wire = hints.path?.wire ?? null
  let key = keyIn(fields)
  const max = hints.path?.eventsMax ?? EVENTS_MAX
  const items = list.slice(0, max).map(item => {
    if (!isFields(item)) return NO_OBJECT
    key ??= keyIn(item) // Requests for flags have no events, but a key.
    const found = WIRES.find(one => one.recognises(item, envelope))
    if (!found) return NO_EVENT
    wire ??= found.name
    key ??= keyInProperties(item, found.name)
    return found.read(item, envelope)
  })
  return { items, max, count: list.length, key, sentAt, wire: wire ?? 'native' }
}

/** `batch` and `events` are lists of events whatever else stands beside them, also each other. */
function unwrap(json: unknown): { fields: Fields; list: readonly unknown[] } {
  if (Array.isArray(json)) return { fields: {}, list: json }
  if (isFields(json)) {
    const lists = [json.batch, json.events].filter(list => Array.isArray(list))
    if (lists.length > 0) return { fields: json, list: lists.flat(1) }
  }
  return { fields: {}, list: [json] }
}

/** All items of a request are sent at once, so the first may say it for all. */
function sentAtOf(holders: readonly unknown[]): number | null {
  for (const holder of holders) {
    if (!isFields(holder)) continue
    for (const name of SENT_AT_NAMES) {
      const time = timeOf(holder[name])
      if (time !== null) return time
    }
  }
  return null
}

/** Jitsu masks its key in the body with `***`. */
const isKey = (value: unknown): value is string => typeof value === 'string' && value !== '' && !value.includes('***')

function keyIn(holder: Fields): string | null {
  for (const name of KEY_NAMES) {
    const value = Object.hasOwn(holder, name) ? holder[name] : null
    if (isKey(value)) return value
  }
  return null
}

/** Elsewhere `token` is a property like any other, unless it is a key of ours. */
function keyInProperties({ properties }: Fields, wire: WireName): string | null {
  if (!isFields(properties) || !Object.hasOwn(properties, 'token')) return null
  const { token } = properties
  const isItsPlace = wire === 'posthog' || wire === 'mixpanel' || looksLikeKey(token)
  return isItsPlace && isKey(token) ? token : null
}
