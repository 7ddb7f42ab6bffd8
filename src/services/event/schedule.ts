// Makes room for the coming months, and deletes what is no longer needed: ids for deduplication, salts, events of deleted
// organisations, and events whose retention is over.
import { deleteForgotten } from './forget.ts'
import { schedule } from './state.ts'
import * as store from './store.ts'

const DAY_MS = 24 * 60 * 60_000
/** How long an event that is sent again is recognised. */
const IDS_KEEP_MS = 7 * DAY_MS
const SALTS_KEEP_MS = 2 * DAY_MS
/** Rows per transaction, small enough not to delay other writes. */
const BATCH = 5_000
const ORGS_AT_ONCE = 100

export const sweepEvents = schedule({
  name: 'events',
  everyMs: 60 * 60_000,
  deadlineMs: 30 * 60_000,
  run: async context => {
    const { db, warehouse, clock, signal, write } = context
    await warehouse.maintain(db, write, clock.now())
    await deleteForgotten(context, BATCH)
    const nowMs = clock.now().getTime()
    const before = (ms: number) => new Date(nowMs - ms).toISOString()
    while (!signal.aborted && (await write(tx => store.deleteIds(tx, before(IDS_KEEP_MS), BATCH))) === BATCH);
    await write(tx => store.deleteSalts(tx, before(SALTS_KEEP_MS).slice(0, 10)))
    for (let after = ''; !signal.aborted; ) {
      const orgs = await store.selectRetentions(db, after, ORGS_AT_ONCE)
      for (const { org, days } of orgs) {
        const sweep = () => write(tx => warehouse.deleteBefore(tx, org, before(days * DAY_MS), BATCH))
        while (!signal.aborted && (await sweep()) === BATCH);
      }
      const last = orgs.at(-1)
      if (!last || orgs.length < ORGS_AT_ONCE) return undefined
      after = last.org
    }
    return undefined
  },
})
