// Deletes the rows of an organisation from all tables, in transactions of a bounded size with pauses between them.
import { setTimeout as wait } from 'node:timers/promises'
import type { Sql } from '../../engines/engines.ts'
import type { OrgId } from '../caller.ts'
import type { Removing, Table } from '../table.ts'
import { countRows, deleteRows, selectPlaces, selectReferences, waysOf } from './store.ts'

const ROWS_AT_ONCE = 500
/** Found at once: each search passes all deleted rows that are still in the index, millions of them perhaps. */
const BATCHES_AT_ONCE = 40

/** One pass, until the signal is aborted. Returns whether there was nothing to delete. */
export async function purge(removing: Removing, tables: readonly Table[], org: OrgId): Promise<boolean> {
  const { db, signal } = removing
  const purged = tables.filter(({ shared, kept }) => shared === null && kept === null)
  for (const table of purged) if (table.isDrained && (await hasRows(db, table, org))) return false
  let found = 0
  for (const table of dependentsFirst(purged, await selectReferences(db))) {
    if (table.isDrained) continue
    if (table.remove) await table.remove(removing, org, null)
    else found += await purgeTable(removing, table, org)
    if (signal.aborted) return false
  }
  return found === 0
}

/** Returns how many batches it found. Rows in them that others hold are left. */
async function purgeTable({ db, signal, write }: Removing, table: Table, org: OrgId): Promise<number> {
  let found = 0
  for (const way of waysOf(table, org)) {
    for (let isLeft = true; isLeft && !signal.aborted; ) {
      const batches = await selectPlaces(db, table, way, BATCHES_AT_ONCE, ROWS_AT_ONCE)
      isLeft = batches.length === BATCHES_AT_ONCE
      found += batches.length
      for (const places of batches) {
        if (signal.aborted) break
        const startMs = performance.now()
        await write(tx => deleteRows(tx, table, way, places))
        await wait(performance.now() - startMs) // Half of the time is left to others.
      }
    }
  }
  return found
}

const hasRows = async (db: Sql, table: Table, org: OrgId): Promise<boolean> => {
  for (const way of waysOf(table, org)) if ((await countRows(db, table, way, 1)) > 0) return true
  return false
}

/** Rows that refer to others are deleted before them. */
function dependentsFirst(tables: readonly Table[], references: readonly { from: string; to: string }[]): Table[] {
  const edges = [
    ...references,
    ...tables.flatMap(({ name, through }) => through.map(({ table }) => ({ from: name, to: table }))),
  ]
  const sorted: Table[] = []
  const left = new Set(tables)
  while (left.size > 0) {
    const free = [...left].filter(
      one =>
        ![...left].some(other => other !== one && edges.some(({ from, to }) => from === other.name && to === one.name)),
    )
    if (free.length === 0)
      throw new Error(`tables refer to each other: ${[...left].map(({ name }) => name).join(', ')}`)
    for (const one of free) {
      left.delete(one)
      sorted.push(one)
    }
  }
  return sorted
}
