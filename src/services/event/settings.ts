// Operations under /v1/event/settings: what an organisation chooses for its events.
import { Type } from 'typebox'
import { orNone } from '../../kit/fields.ts'
import { changesIn } from '../../kit/write.ts'
import { DEFAULT_SETTINGS, SETTINGS_CHANNEL } from './chosen-settings.ts'
import { operation } from './state.ts'
import * as store from './store.ts'

const FIELDS = {
  storeAddresses: Type.Boolean({
    description: 'Whether the address of the client is stored with its events, as `$ip`; default false',
    examples: [false],
  }),
  scrub: Type.Boolean({
    description:
      'Whether texts that look like secrets or card numbers are removed before events are stored; default false',
    examples: [true],
  }),
  retentionDays: orNone(
    Type.Integer({
      minimum: 1,
      maximum: 3650,
      description: 'After how many days events are deleted; null keeps them. Default null',
      examples: [365],
    }),
  ),
}

const EventSettings = Type.Object(FIELDS, {
  title: 'EventSettings',
  description: 'What an organisation chose for its events',
})

export const getEventSettings = operation({
  route: 'GET /v1/event/settings',
  summary: 'Reads what the organisation chose for its events',
  access: 'bearer',
  output: EventSettings,
  run: async ({ db, caller }) => (await store.selectSettings(db, caller.org)) ?? DEFAULT_SETTINGS,
})

export const updateEventSettings = operation({
  route: 'PATCH /v1/event/settings',
  summary: 'Changes what the organisation chose for its events',
  description: 'It applies to events that arrive afterwards; the retention applies to all.',
  access: 'admin',
  input: {
    storeAddresses: Type.Optional(FIELDS.storeAddresses),
    scrub: Type.Optional(FIELDS.scrub),
    retentionDays: Type.Optional(FIELDS.retentionDays),
  },
  output: EventSettings,
  audit: 'event.settings.update',
  run: ({ caller: { org }, write }, input) =>
    write({ serialize: true }, async ({ db, record }) => {
      const before = (await store.lockSettings(db, org)) ?? DEFAULT_SETTINGS
      const after = { ...before, ...input }
      const changes = changesIn(before, after, ['storeAddresses', 'scrub', 'retentionDays'])
      if (Object.keys(changes).length === 0) return before
      await store.saveSettings(db, org, SETTINGS_CHANNEL, after)
      record('settings', changes)
      return after
    }),
})
