// Makes room for the coming months, and deletes what is no longer needed: ids for deduplication, salts, events of deleted
// organisations, and events whose retention is over.
import type { ScheduleContext } from '../../kit/background.ts'
import { listOrgSettings } from '../../kit/org-settings/read.ts'
import { deleteForgotten } from './forget.ts'
import { eventSettings } from './settings.ts'
import { schedule } from './state.ts'
import * as store from './store.ts'

const DAY_MS = 24 * 60 * 60_000
/** How long an event that is sent again is recognised. */
const IDS_KEEP_MS = 7 * DAY_MS
const SALTS_KEEP_MS = 2 * DAY_MS
/** Rows per transaction, small enough not to delay other writes. */
const BATCH = 5_000
/** About as many ids are in them, or a few times more. */
const BLOCKS_AT_ONCE = 100
const ORGS_AT_ONCE = 100

export const sweepEvents = schedule({
  name: 'events',
  everyMs: 60 * 60_000,
  deadlineMs: 30 * 60_000,
  run: async context => {
    const failures: unknown[] = []
    for (const step of [deleteSalts, makeParts, deleteIds, deleteExpired, deleteDeleted]) {
      // What must be deleted is deleted although another step fails.
      if (!context.signal.aborted) await step(context).catch(error => void failures.push(error))
    }
    if (failures.length > 1) throw new AggregateError(failures, 'several steps failed')
    if (failures.length === 1) throw failures[0]
    return undefined
  },
})

/** What a consumer has not read is never deleted, so that the log may grow until the disk is full. */
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

const ago = ({ clock }: ScheduleContext, ms: number) => new Date(clock.now().getTime() - ms).toISOString()

const makeParts = ({ db, warehouse, clock, write }: ScheduleContext) => warehouse.maintain(db, write, clock.now())
const deleteDeleted = (context: ScheduleContext) => deleteForgotten(context, BATCH)

async function deleteSalts(context: ScheduleContext): Promise<void> {
  const before = ago(context, SALTS_KEEP_MS).slice(0, 10)
  await context.write(tx => store.deleteSalts(tx, before))
}

async function deleteIds(context: ScheduleContext): Promise<void> {
  const { db, signal, write } = context
  const before = ago(context, IDS_KEEP_MS)
  const blocks = await store.countIdBlocks(db)
  for (let from = 0; from < blocks && !signal.aborted; from += BLOCKS_AT_ONCE) {
    await write(tx => store.deleteIds(tx, before, from, from + BLOCKS_AT_ONCE))
  }
}

async function deleteExpired(context: ScheduleContext): Promise<void> {
  const { db, warehouse, signal, write } = context
  for (let after = ''; !signal.aborted; ) {
    const orgs = await listOrgSettings(db, eventSettings, after, ORGS_AT_ONCE)
    for (const { org, values } of orgs) {
      const { retentionDays: days } = values
      if (days === null) continue
      const sweep = () => write(tx => warehouse.deleteBefore(tx, org, ago(context, days * DAY_MS), BATCH))
      while (!signal.aborted && (await sweep()) === BATCH);
    }
    const last = orgs.at(-1)
    if (!last || orgs.length < ORGS_AT_ONCE) return
    after = last.org
  }
}
