import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { lensesConform } from '../../../test/conformance/lenses.ts'
import { warehouseConforms } from '../../../test/conformance/warehouse.ts'
import { testDatabase } from '../../../test/database.ts'
import { openWarehouse } from './warehouse.ts'

const { db, drop } = await testDatabase()
after(drop)
const warehouse = openWarehouse()

warehouseConforms('in PostgreSQL', async () => {
  return { warehouse, db, transaction: work => db.transaction(work), settle: async () => {} }
})

lensesConform('in PostgreSQL', async () => {
  const transaction: typeof db.transaction = work => db.transaction(work)
  return { warehouse, db: db.analytics, transaction, settle: async () => {}, zone: 'Europe/Vienna' }
})

it('keeps the events of each month in their own partition', async () => {
  const now = new Date('2031-05-15T09:00:00.000Z')
  await warehouse.maintain(db, work => db.transaction(work), now)
  const received = '2031-06-01T00:00:00.000Z'
  const row = {
    received,
    timestamp: received,
    isClamped: false,
    org: 'partitions',
    id: 'evt_1',
    wire: 'native',
    event: 'page',
  }
  const none = { project: null, workspace: null, distinctId: null, anonymousId: null, sessionId: null }
  const facts = { path: null, source: null, campaign: null, country: null, device: null, browser: null, system: null }
  const counted = { visitor: 'u', join: null, release: null, fingerprint: null }
  const event = { ...row, ...none, ...facts, ...counted, revenue: null, currency: null, properties: '{}' }
  await db.transaction(tx => warehouse.append(tx, [event]))
  const [found] = await db<{
    partition: string
  }>`select tableoid::regclass::text as partition from events where org = 'partitions'`
  assert.equal(found?.partition, 'events_203106')
})
