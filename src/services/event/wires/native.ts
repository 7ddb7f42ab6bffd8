// Our own event: `{event, properties, distinctId?, anonymousId?, sessionId?, messageId?, timestamp?, revenue?, currency?,
// subject?}`. The names with underscores and PostHog's names for the same things are read too. Other fields beside
// `properties` become properties, with a notice if they look like a misspelt one of these.
import {
  add,
  completeEvent,
  open,
  requestNames,
  restOf,
  takeCurrency,
  takeId,
  takeRevenue,
  takeTime,
} from './fields.ts'
import type { Fields, Notice, Wire } from './wire.ts'

const IGNORED = requestNames('event', 'properties')

const ID_NAMES = {
  distinctId: ['distinctId', 'distinct_id'],
  anonymousId: ['anonymousId', 'anonymous_id'],
  sessionId: ['sessionId', 'session_id'],
  messageId: ['messageId', 'message_id', 'uuid'],
}

export const native: Wire = {
  name: 'native',

  /** The last in the table: every other item with a name is an event of ours. */
  recognises: item => Object.hasOwn(item, 'event'),

  read(item) {
    const opened = open(item, item.properties, IGNORED)
    if (!opened) return { drop: 'properties_not_an_object' }
    const { outer, inner, notices } = opened
    const known = {
      distinctId: takeId(outer, ...ID_NAMES.distinctId) ?? takeId(inner, 'distinct_id'),
      anonymousId: takeId(outer, ...ID_NAMES.anonymousId) ?? takeId(inner, '$anon_distinct_id'),
      sessionId: takeId(outer, ...ID_NAMES.sessionId) ?? takeId(inner, '$session_id'),
      messageId: takeId(outer, ...ID_NAMES.messageId) ?? takeId(inner, '$insert_id'),
      timestamp: takeTime(outer, 'timestamp'),
      revenue: takeRevenue(outer, 'revenue') ?? takeRevenue(inner, 'revenue', '$revenue'),
      currency: takeCurrency(outer, 'currency') ?? takeCurrency(inner, 'currency', '$currency'),
      subject: takeId(outer, 'subject'),
    }
    // SDKs send valid values; an invalid one is a mistake in a body written by hand, and is reported.
    if (known.timestamp === null && (item.timestamp ?? null) !== null) return { drop: 'timestamp_invalid' }
    if (known.subject === null && (item.subject ?? null) !== null) return { drop: 'subject_invalid' }
    const rest = restOf(outer)
    notices.push(...misspelt(rest, { ...known, properties: item.properties ?? null }))
    const properties = restOf(inner)
    add(properties, rest)
    return completeEvent('native', item.event, known, properties, notices)
  },
}

/** The field that a name means, by the name in lower case without `_` and `-`. Other formats call the user `userId` and
 *  the time `time`. */
const MEANT = new Map([
  ...[...Object.keys(ID_NAMES), 'timestamp', 'revenue', 'currency', 'subject', 'properties'].map(
    known => [known.toLowerCase(), known] as const,
  ),
  ['userid', 'distinctId'],
  ['time', 'timestamp'],
])
/** These are read, so that a notice about their value is enough. */
const READ: ReadonlySet<string> = new Set([...Object.values(ID_NAMES).flat(), ...MEANT.values()])
/** Longer names have more than a few separators too many. */
const NAME_CHARACTERS_MAX = 32

/** At most one notice for each field that has no value of its own. */
function misspelt(rest: Fields, known: Readonly<Record<string, unknown>>): Notice[] {
  const found = new Map<string, Notice>()
  for (const field of Object.keys(rest)) {
    if (field.length > NAME_CHARACTERS_MAX || READ.has(field) || rest[field] === null) continue
    const meant = MEANT.get(field.toLowerCase().replace(/[_-]/g, ''))
    if (meant === undefined || known[meant] !== null || found.has(meant)) continue
    found.set(meant, { reason: 'field_unknown', field, known: meant })
  }
  return [...found.values()]
}
