import { listOrgSettings } from '../../kit/org-settings/read.ts'
import { table } from '../../kit/table.ts'
import { untilFewer } from '../../kit/tables/portions.ts'
import { eventSettings } from './settings.ts'

const DAY_MS = 86_400_000
const ROWS_AT_ONCE = 1_000
/** Later than any event. */
const NEVER = 'infinity'

/** The events of the warehouse. */
export const events = table({
  name: 'events',
  org: 'org',
  ofProject: { kept: 'Analytics include deleted projects' },
  orgRetention: {
    chosen: async (db, after, limit) =>
      (await listOrgSettings(db, eventSettings, after, limit)).map(({ org, values }) => ({
        org,
        days: values.retentionDays,
      })),
  },
  remove: (context, org, before) =>
    untilFewer(context, ROWS_AT_ONCE, tx => context.warehouse.deleteBefore(tx, org, before ?? NEVER, ROWS_AT_ONCE)),
})

/** An event that is sent again is recognised by its id. */
export const ids = table({
  name: 'event_ids',
  org: 'org',
  retention: [{ column: 'at', keptMs: 7 * DAY_MS, by: 'blocks' }],
})

export const salts = table({
  name: 'event_salts',
  shared: 'Each day has one, for all organisations',
  retention: [{ column: 'day', type: 'day', keptMs: 2 * DAY_MS }],
})
