// An organisation's settings for events: /v1/event/settings.
import { boolean, integer, orNone } from '../../kit/fields.ts'
import { declareOrgSettings, type ValuesOf } from '../../kit/org-settings/declare.ts'

export const eventSettings = declareOrgSettings({
  service: 'event',
  what: "the organisation's settings for events",
  description: 'Changes apply to events that arrive afterwards; the retention applies to all events.',
  fields: {
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
