// Deletes an organisation's rows from all tables, in transactions of bounded size with pauses between them.
import type { Sql } from '../../engines/engines.ts'
import type { OrgId } from '../caller.ts'
import type { Removing, Table } from '../table.ts'
import { untilFewer } from './portions.ts'
import { countRows, type Deleted, deleteRows, type Order, selectOrders, selectReferences, waysOf } from './store.ts'

const ROWS_AT_ONCE = 500

/** One pass, until the signal is aborted. Returns whether there was nothing to delete. */
export async function purge(removing: Removing, tables: readonly Table[], org: OrgId): Promise<boolean> {
  const { db, signal } = removing
  const purged = purgedOf(tables)
  for (const table of purged) if (table.isDrained && (await hasRows(db, table, org))) return false
  const orders = await selectOrders(db)
  let deleted = 0
  for (const table of dependentsFirst(purged, await selectReferences(db))) {
    if (table.isDrained) continue
    const { remove } = table
    deleted += await (remove ? remove(removing, org, null) : purgeTable(removing, table, org, orders))
    if (signal.aborted) return false
  }
  return deleted === 0
}

async function purgeTable(removing: Removing, table: Table, org: OrgId, orders: readonly Order[]): Promise<number> {
  let deleted = 0
  for (const [at, way] of waysOf(table, org).entries()) {
    // The first way is the one by the column.
    const order = orders.find(one => at === 0 && one.table === table.name && one.first === table.org)
    let last: Deleted['last'] = null
    deleted += await untilFewer(removing, ROWS_AT_ONCE, async tx => {
      const found = await deleteRows(tx, table, way, ROWS_AT_ONCE, { order, last })
      last = found.last
      return found.count
    })
  }
  return deleted
}

export type PurgeProgress = { tables: number; empty: number }

/** In how many tables no row of the organisation is left. The log is left out: no index finds its rows by organisation. */
export async function purgeProgress(db: Sql, tables: readonly Table[], org: OrgId): Promise<PurgeProgress> {
  const orders = await selectOrders(db)
  const isIndexed = ({ name, org: column }: Table) => orders.some(one => one.table === name && one.first === column)
  const counted = purgedOf(tables).filter(one => one.remove === null || isIndexed(one))
  let empty = 0
  // One after the other: few connections are shared with other reads.
  for (const one of counted) if (!(await hasRows(db, one, org))) empty++
  return { tables: counted.length, empty }
}

const purgedOf = (tables: readonly Table[]) => tables.filter(({ shared, kept }) => shared === null && kept === null)

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
