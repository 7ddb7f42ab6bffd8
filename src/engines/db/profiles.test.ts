import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { until } from '../../../test/conformance/db.ts'
import { testDatabase } from '../../../test/database.ts'
import type { Database, Sql } from '../engines.ts'
import { openPostgres } from './postgres.ts'
import { connectionsOf } from './profiles.ts'

const { db: outside, at, drop } = await testDatabase()
const db = openPostgres({ at, connectionsMax: 2, queueMax: 4, waitMs: 60_000 })
after(() => db.close().then(drop))

describe('the profiles of a database', () => {
  const settings = async (sql: Sql) => {
    const [row] = await sql<{ all: string }>`select concat_ws(' ', current_setting('plan_cache_mode'),
      current_setting('enable_seqscan'), current_setting('default_transaction_read_only')) as all`
    return row?.all
  }

  it('plan for one value or for all of them', async () => {
    assert.equal(await settings(db), 'force_generic_plan off off')
    assert.equal(await settings(db.background), 'force_generic_plan off off')
    assert.equal(await settings(db.analytics), 'force_custom_plan on on')
    assert.equal(await db.session(settings), 'auto on off')
  })

  it('also exist for an organisation, and each gives access to the others', async () => {
    for (const handle of [db.for('one').analytics, db.analytics.for('one'), db.background.analytics.analytics]) {
      assert.equal(await settings(handle), 'force_custom_plan on on')
    }
    assert.equal(await settings(db.analytics.for('one').background), 'force_generic_plan off off')
  })

  it('write, except analytics', async () => {
    await outside.script('create table written (n int)')
    await db.background.transaction(tx => tx`insert into written values (1)`)
    await assert.rejects(db.analytics.autocommit`insert into written values (2)`)
    await assert.rejects(db.analytics.transaction(tx => tx`insert into written values (3)`))
    assert.deepEqual([...(await db.analytics`select n from written`)], [{ n: 1 }])
  })

  it('do not delay each other, however many calls wait', async () => {
    const [requests, background, analytics] = [db, db.background, db.analytics]
    for (const [busy, others] of [
      [requests, [background, analytics]],
      [background, [requests, analytics]],
      [analytics, [requests, background]],
    ] as [Database, Database[]][]) {
      const running = outside.transaction(async tx => {
        await tx`select pg_advisory_xact_lock(4713)`
        const users = ['a', 'b', 'c', 'd']
        const blocked = users.map(user => busy.for(user)`select pg_advisory_xact_lock_shared(4713)`)
        const settled = Promise.allSettled(blocked)
        await until(() => busy.load().waiting > 0)
        for (const other of others) {
          await other`select 1`
          assert.deepEqual(other.load(), { running: 0, waiting: 0 })
        }
        return { settled }
      })
      for (const { status } of await (await running).settled) assert.equal(status, 'fulfilled')
    }
  })

  it('share their connections by organisation', async () => {
    const own = openPostgres({ at, connectionsMax: 10, queueMax: 4, waitMs: 60_000 })
    const greedy = own.for('greedy').analytics
    const calls = [1, 2, 3].map(() => greedy`select pg_sleep(0.2)`)
    assert.deepEqual(own.analytics.load(), { running: 1, waiting: 2 })
    await own.analytics.for('modest')`select 1`
    await Promise.all(calls)
    await own.close()
  })

  it('have additional connections, in proportion to those for requests', () => {
    assert.deepEqual(connectionsOf(10), { requests: 10, background: 6, analytics: 2 })
    assert.deepEqual(connectionsOf(1), { requests: 1, background: 2, analytics: 1 })
  })

  it('are closed together', async () => {
    const own = openPostgres({ at, connectionsMax: 1, queueMax: 1, parameters: { application_name: 'closed' } })
    await Promise.all([own`select 1`, own.background`select 1`, own.analytics`select 1`])
    const open = async () => (await outside`select from pg_stat_activity where application_name = 'closed'`).length
    assert.equal(await open(), 3)
    await own.close()
    await until(async () => (await open()) === 0)
  })
})
