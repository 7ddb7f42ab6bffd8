// Deletes expired rows in small transactions, so that other writes are not delayed.
import type { Schedule, ScheduleContext } from '../background.ts'
import type { Removing, Retention, Table } from '../table.ts'
import { untilFewer } from './portions.ts'
import { countBlocks, deleteOld, deleteOldInBlocks } from './store.ts'

const ROWS_AT_ONCE = 1_000
/** The number of blocks per step; they contain about as many rows, or a few times more. */
const BLOCKS_AT_ONCE = 100
const ORGS_AT_ONCE = 100
const HOUR_MS = 60 * 60_000
const DAY_MS = 24 * HOUR_MS

/** The schedule that deletes a service's old rows; none if all rows are kept. */
export function retentionOf(service: string, tables: readonly Table[]): Schedule[] {
  const kept = tables.filter(({ retention, orgRetention }) => retention.length > 0 || orgRetention !== null)
  if (kept.length === 0) return []
  const run = async (context: ScheduleContext<never>) => {
    const failures: unknown[] = []
    for (const table of kept) {
      // A failure in one table does not stop the deletion in others.
      if (!context.signal.aborted) await sweep(context, table).catch(error => void failures.push(error))
    }
    if (failures.length > 1) throw new AggregateError(failures, 'rows of several tables could not be deleted')
    if (failures.length === 1) throw failures[0]
    return undefined
  }
  const name = `retention of ${service}`
  const readsAll = kept.some(({ retention }) => retention.some(({ by }) => by === 'blocks'))
  return [
    { kind: 'schedule', name, per: 'all', everyMs: readsAll ? HOUR_MS : HOUR_MS / 6, deadlineMs: HOUR_MS / 6, run },
  ]
}

async function sweep(context: ScheduleContext<never>, table: Table): Promise<void> {
  const now = context.clock.now().getTime()
  for (const rule of table.retention) {
    const keptMs = typeof rule.keptMs === 'number' ? rule.keptMs : rule.keptMs(context.state)
    await (rule.by === 'blocks' ? sweepBlocks : sweepRows)(context, table, rule, new Date(Math.max(0, now - keptMs)))
  }
  if (table.orgRetention) await sweepChosen(context, table, now)
}

const sweepRows = (context: Removing, table: Table, rule: Retention, before: Date) =>
  untilFewer(context, ROWS_AT_ONCE, tx => deleteOld(tx, table, rule, before, ROWS_AT_ONCE))

async function sweepBlocks({ db, signal, write }: Removing, table: Table, rule: Retention, before: Date) {
  const blocks = await countBlocks(db, table)
  for (let from = 0; from < blocks && !signal.aborted; from += BLOCKS_AT_ONCE) {
    await write(tx => deleteOldInBlocks(tx, table, rule, before, { from, to: from + BLOCKS_AT_ONCE }))
  }
}

/** Deletes rows of organisations that chose a retention. */
async function sweepChosen(context: Removing, table: Table, nowMs: number): Promise<void> {
  const { db, signal } = context
  for (let after = ''; !signal.aborted; ) {
    const orgs = (await table.orgRetention?.chosen(db, after, ORGS_AT_ONCE)) ?? []
    for (const { org, days } of orgs) {
      if (days === null || signal.aborted) continue
      await table.remove?.(context, org, new Date(Math.max(0, nowMs - days * DAY_MS)).toISOString())
    }
    const last = orgs.at(-1)
    if (!last || orgs.length < ORGS_AT_ONCE) return
    after = last.org
  }
}
