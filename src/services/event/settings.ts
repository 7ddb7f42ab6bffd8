// What an organisation chooses for its events: /v1/event/settings.
import { boolean, integer, orNone } from '../../kit/fields.ts'
import { declareOrgSettings, type ValuesOf } from '../../kit/org-settings/declare.ts'

export const eventSettings = declareOrgSettings({
  service: 'event',
  what: 'what the organisation chose for its events',
  description: 'It applies to events that arrive afterwards; the retention applies to all.',
  fields: {
    storeAddresses: {
      schema: boolean('Whether the address of the client is stored with its events, as `$ip`; default false', false),
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
        integer('After how many days events are deleted; null keeps them. Default null', 365, {
          minimum: 1,
          maximum: 3650,
        }),
      ),
      default: null,
    },
  },
})

export type EventSettings = ValuesOf<typeof eventSettings>
