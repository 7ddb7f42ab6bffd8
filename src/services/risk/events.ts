// The events about the risk reference.
import { Type } from 'typebox'
import { event } from '../../kit/events.ts'
import { integer, string } from '../../kit/fields.ts'
import { Key, SetName, Verdict } from './fields.ts'

/** Keys that an event or an entry of the audit trail names; of further ones it has the number. */
export const NAMED_MAX = 20

const NormalKey = { ...Key, description: 'The key of the override, in its normal form' }

export const referenceOverridden = event('risk.reference.overridden', 'An organisation wrote overrides on a set', {
  set: SetName,
  written: integer('Number of overrides that were written', 1),
  keys: Type.Array(NormalKey, {
    description: `The keys of the first ${NAMED_MAX} of them`,
    examples: [['example.com']],
  }),
})
export const referenceCleared = event('risk.reference.cleared', 'An organisation removed an override on a set', {
  set: SetName,
  key: NormalKey,
  verdict: Verdict,
})
export const referenceRefreshed = event(
  'risk.reference.refreshed',
  'A source of a set has new data. The organisation `admin` receives the event, because all organisations share the sets',
  {
    set: SetName,
    source: string('The source', 'disposable'),
    version: string('Digest of its new data', '4f3a9c21'),
    keys: integer('Members that it contributes', 5_000),
  },
)
