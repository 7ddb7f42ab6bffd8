// Creates the partitions of the coming months, adds up what was counted, and monitors the size of the log.

import type { OrgId } from '../../kit/caller.ts'
import { readOrgSettings } from '../../kit/org-settings/read.ts'
import { describedRow } from './rows.ts'
import { eventSettings } from './settings.ts'
import { schedule } from './state.ts'

export const makePartitions = schedule({
  name: 'partitions of the warehouse',
  everyMs: 60 * 60_000,
  deadlineMs: 10 * 60_000,
  run: async ({ db, warehouse, clock, write }) => {
    await warehouse.maintain(db, write, clock.now())
    return undefined
  },
})

/** Lenses read what was not added up yet row by row. */
export const addUpCounts = schedule({
  name: 'counts of events',
  everyMs: 2_000,
  deadlineMs: 60_000,
  run: async ({ db, warehouse, clock, write, signal }) => {
    const zoneOf = async (org: string) => (await readOrgSettings(db, eventSettings, org as OrgId)).zone
    await warehouse.addUp(db, write, zoneOf, clock.now(), signal)
    return undefined
  },
})

/** Of a former version, which counted nothing; there are none once it has counted them. */
export const countStoredEvents = schedule({
  name: 'stored events',
  everyMs: 60_000,
  deadlineMs: 10 * 60_000,
  run: async ({ db, warehouse, write, signal }) => {
    await warehouse.countStored(db, write, describedRow, signal)
    return undefined
  },
})

/** Events that a consumer has not read are never deleted, so the log could grow until the disk is full. */
export const checkLogSize = schedule({
  name: 'size of the log',
  per: 'process',
  everyMs: 10_000,
  deadlineMs: 30_000,
  run: async ({ db, log, state }) => {
    state.isLogFull = (await log.bytes(db)) > state.logBytesMax
    return undefined
  },
})
