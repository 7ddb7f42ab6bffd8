// Counts the rows that a former version stored, which counted nothing: the oldest first, in portions.
import type { Sql, Tx } from '../engines.ts'
import { lockCounting } from './append.store.ts'
import { countEventRows, joinsOf } from './append.ts'
import * as store from './stored.store.ts'
import type { EventRow, StoredRow } from './types.ts'

/** Their properties are in memory together. */
const ROWS_AT_ONCE = 200
const ORGS_AT_ONCE = 100

/** Organisations take turns. `describe` says what is known of a row from its properties. */
export async function countStored(
  db: Sql,
  write: <T>(work: (db: Tx) => Promise<T>) => Promise<T>,
  describe: (row: StoredRow) => EventRow,
  signal: AbortSignal,
): Promise<void> {
  for (let isMore = true; isMore && !signal.aborted; ) {
    isMore = false
    for (let after = ''; !signal.aborted; ) {
      const orgs = await store.selectUncountedOrgs(db, after, ORGS_AT_ONCE)
      for (const org of orgs) {
        if (signal.aborted) return
        if ((await write(tx => countPortion(tx, org, describe))) === ROWS_AT_ONCE) isMore = true
      }
      if (orgs.length < ORGS_AT_ONCE) break
      after = orgs.at(-1) as string
    }
  }
}

async function countPortion(db: Tx, org: string, describe: (row: StoredRow) => EventRow): Promise<number> {
  await lockCounting(db, org)
  const rows = (await store.selectUncounted(db, org, ROWS_AT_ONCE)).map(describe)
  await countEventRows(db, org, rows, await joinsOf(db, org, rows), placed => store.updateRows(db, org, placed))
  return rows.length
}
