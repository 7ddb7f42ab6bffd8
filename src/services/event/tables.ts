import { listOrgSettings } from '../../kit/org-settings/read.ts'
import { type OrgRetention, table } from '../../kit/table.ts'
import { untilFewer } from '../../kit/tables/portions.ts'
import { eventSettings } from './settings.ts'

const DAY_MS = 86_400_000
const ROWS_AT_ONCE = 1_000
/** Later than any event. */
const NEVER = 'infinity'

const retention: OrgRetention = {
  chosen: async (db, after, limit) =>
    (await listOrgSettings(db, eventSettings, after, limit)).map(({ org, values }) => ({
      org,
      days: values.retentionDays,
    })),
}

/** The events of the warehouse. */
export const events = table({
  name: 'events',
  org: 'org',
  ofProject: { kept: 'Analytics include deleted projects' },
  orgRetention: retention,
  remove: (context, org, before) =>
    untilFewer(context, ROWS_AT_ONCE, tx => context.warehouse.deleteBefore(tx, org, before ?? NEVER, ROWS_AT_ONCE)),
})

const ofOrg = (name: string) => table({ name, org: 'org' })

export const joins = ofOrg('event_joins')
export const deltas = ofOrg('event_deltas')
export const counts = ofOrg('event_counts')
export const zones = ofOrg('event_zones')
export const errors = ofOrg('event_errors')
export const arrivals = ofOrg('event_arrivals')
/** They name visitors, so they are deleted with the events. */
export const sessions = table({
  name: 'event_sessions',
  org: 'org',
  ofProject: { kept: 'Analytics include deleted projects' },
  orgRetention: retention,
  remove: (context, org, before) =>
    untilFewer(context, ROWS_AT_ONCE, tx => context.warehouse.deleteSessions(tx, org, before ?? NEVER, ROWS_AT_ONCE)),
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
