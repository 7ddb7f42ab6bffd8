// Why an event is dropped or changed before it is stored, in words for the sender.
import type { PoisonReason } from './poison.ts'
import { OWN_FAMILIES, type SubjectReason } from './subjects.ts'
import type { DropReason, Notice } from './wires/wire.ts'

export type Reason = DropReason | PoisonReason | SubjectReason | 'event_name_too_long' | 'id_too_long' | 'too_large'

/** The name in a receipt; `not_storable`: the database rejected it. */
export type Dropped = { index: number; reason: Reason | 'not_storable' }

/** The event was stored otherwise than its sender may expect. */
export type Warning = { index: number } & (Notice | { reason: 'timestamp_clamped' })

const families = OWN_FAMILIES.map(family => `\`${family}\``).join(', ')

export const WORDS: Record<Dropped['reason'], string> = {
  event_not_an_object: 'is not an object; an event is `{"event":"…","properties":{…}}`',
  event_missing: 'has no field `event`, which is its name',
  event_name_missing: 'has no name: `event` must be a text that is not empty',
  event_name_too_long: 'has a name of more than 200 characters',
  properties_not_an_object: 'has `properties` that are not an object',
  timestamp_invalid:
    'has an invalid `timestamp`; send a date such as 2026-01-31T12:00:00Z, or seconds or milliseconds since 1970',
  id_too_long: 'has an id of more than 200 characters',
  too_large: 'has more than 64 KiB of properties',
  text_not_storable: 'contains a NUL or half a surrogate pair, which cannot be stored',
  number_out_of_range: 'contains a number that is not finite',
  name_not_allowed: 'has a field named `__proto__` or `constructor`',
  name_too_long: 'has a field whose name is longer than 256 characters',
  nested_too_deeply: 'is nested more than 32 levels deep',
  too_many_values: 'has more than 5,000 values',
  subject_invalid: 'has a `subject` that is not 2 to 16 words of letters, digits, `_` and `-` with dots between them',
  subject_reserved: `has a \`subject\` of a family that only Stoa publishes: ${families}`,
  subject_not_allowed: 'has a `subject`, which needs a secret key or an access token',
  not_allowed_for_token: 'is not among what a workspace token may write: page views, errors and autocapture',
  not_storable: 'was rejected by the database',
}
