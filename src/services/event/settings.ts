// An organisation's settings for events: /v1/event/settings.
import { isZone } from '../../engines/engines.ts'
import { invalidField } from '../../kit/check.ts'
import { boolean, integer, orNone, string } from '../../kit/fields.ts'
import { declareOrgSettings, type ValuesOf } from '../../kit/org-settings/declare.ts'

export const eventSettings = declareOrgSettings({
  service: 'event',
  what: "the organisation's settings for events",
  description: 'Changes apply to events that arrive afterwards; the retention applies to all events.',
  prepare: change => {
    if (change.zone !== undefined && !isZone(change.zone)) {
      throw invalidField('zone', 'must be a time zone such as `Europe/Vienna`')
    }
    return change
  },
  fields: {
    zone: {
      schema: string('The time zone of days, weeks and months; default `UTC`', 'Europe/Vienna', { maxLength: 64 }),
      default: 'UTC',
    },
    storeAddresses: {
      schema: boolean('Whether the client address is stored with its events, as `$ip`; default false', false),
      default: false,
    },
    scrub: {
      schema: boolean(
        'Whether texts that look like secrets or card numbers are removed before events are stored; default false',
        true,
      ),
      default: false,
    },
    retentionDays: {
      schema: orNone(
        integer('After how many days events are deleted; null, the default, keeps them', 365, {
          minimum: 1,
          maximum: 3650,
        }),
      ),
      default: null,
    },
  },
})

export type EventSettings = ValuesOf<typeof eventSettings>
