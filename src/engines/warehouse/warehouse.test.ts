import { after } from 'node:test'
import { warehouseConforms } from '../../../test/conformance/warehouse.ts'
import { testDatabase } from '../../../test/database.ts'
import { openWarehouse } from './warehouse.ts'

warehouseConforms('in PostgreSQL', async () => {
  const { db, drop } = await testDatabase()
  after(drop)
  return { warehouse: openWarehouse(), db, transaction: work => db.transaction(work), settle: async () => {} }
})
