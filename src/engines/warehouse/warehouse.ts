// The warehouse in PostgreSQL: the events of all organisations in one table with a partition for each month.
import { createPartition, selectPartitions } from '../db/partitions.ts'
import type { Sql, Tx, Warehouse } from '../engines.ts'
import { appendEventRows, appendUsage } from './append.ts'
import { addUp } from './compact.ts'
import { openLenses } from './lenses.ts'
import * as store from './store.ts'
import { countUncounted } from './stored.store.ts'
import { countStored } from './stored.ts'

type Write = <T>(work: (db: Tx) => Promise<T>) => Promise<T>

export const openWarehouse = (): Warehouse => ({
  driver: 'PostgreSQL',
  append: appendEventRows,
  appendUsage,
  lenses: openLenses(),
  addUp,
  countStored,
  uncounted: countUncounted,
  newestErrors: store.selectErrors,
  newestEvents: store.selectArrived,
  deleteBefore: (db, org, before, limit) => store.deleteEvents(db, org, before, limit),
  deleteSessions: store.deleteSessions,
  maintain: (db, write, now) => makePartitions(db, write, now),
})

/** Partitions are created this many months ahead. */
const MONTHS_AHEAD = 2

async function makePartitions(db: Sql, write: Write, now: Date): Promise<void> {
  const existing = await selectPartitions(db, 'events')
  // Not for this month: an event that is being written to the default partition would violate that partition's new bounds.
  for (let ahead = 1; ahead <= MONTHS_AHEAD; ahead++) {
    const [from, to] = [monthOf(now, ahead), monthOf(now, ahead + 1)]
    const name = `events_${from.slice(0, 7).replace('-', '')}`
    if (existing.includes(name)) continue
    await write(tx => createPartition(tx, 'events', name, from, to))
  }
}

const monthOf = (now: Date, ahead: number) =>
  new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead)).toISOString()
