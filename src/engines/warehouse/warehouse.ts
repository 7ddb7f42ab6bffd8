// The warehouse in PostgreSQL: the events of all organisations in one table with a part for each month.
import type { Tx, Warehouse } from '../engines.ts'
import * as store from './store.ts'

export const openWarehouse = (): Warehouse => ({
  append: (db, rows) => store.insertEvents(db, rows),
  newestErrors: (db, { org, workspace }, limit) =>
    workspace === null ? store.selectErrors(db, org, limit) : store.selectErrorsOfWorkspace(db, org, workspace, limit),
  deleteBefore: (db: Tx, org, before, limit) => store.deleteEvents(db, org, before, limit),
})
