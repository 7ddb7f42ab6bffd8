// Derived from the declarations of tables: each is declared, only its old rows are deleted, and only the rows declared to
// stay are left of a deleted organisation.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Retention, Table } from '../src/kit/table.ts'
import { lowestUuid } from '../src/kit/uuid.ts'
import { services } from '../src/services/index.ts'
import { eventually } from './eventually.ts'
import { fillTables, type Row, rowsOf } from './fill.ts'
import { startHost } from './host.ts'
import { allTables, deleteOld, purgeOrg } from './removal.ts'

const host = await startHost({ runsBackground: true })

describe('every table', () => {
  it('is declared once, and exists', async () => {
    const rows = await host.db<{ name: string }>`select relname as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition order by 1`
    const declared = allTables.map(({ name }) => name).sort()
    const existing = rows.map(({ name }) => name).sort()
    assert.deepEqual(
      declared,
      existing,
      'declare each table once, in tables.ts of its service, and name that in service.ts',
    )
  })

  it('declares by which column its rows belong to an organisation, if it has one', async () => {
    const rows = await host.db<{ table: string; column: string }>`select c.table_name as table, column_name as column
      from information_schema.columns as c join pg_class on oid = c.table_name::regclass and relkind <> 'v' and not relispartition
      where table_schema = 'public' and column_name in ('org', 'tenant')`
    for (const { table, column } of rows) {
      const org = allTables.find(({ name }) => name === table)?.org
      assert.equal(org, column, `declare ${table} with org: '${column}'`)
    }
  })

  it('declares what happens to its rows when a project is deleted, if it has one', async () => {
    const rows = await host.db<{ table: string }>`select c.table_name as table
      from information_schema.columns as c join pg_class on oid = c.table_name::regclass and relkind <> 'v' and not relispartition
      where table_schema = 'public' and column_name = 'project'`
    assert.deepEqual(
      rows.map(({ table }) => table).sort(),
      allTables.flatMap(({ name, ofProject }) => (ofProject ? [name] : [])).sort(),
      'tables with a column project, and no others, are declared with ofProject',
    )
  })

  it('has an index by which rows of an organisation, and old ones, are found', async () => {
    const rows = await host.db<{ table: string; columns: string[] }>`select indrelid::regclass::text as table,
        (select array_agg(attname::text order by at) from unnest(indkey) with ordinality as k (n, at)
          join pg_attribute on attrelid = indrelid and attnum = n) as columns
      from pg_index where indisvalid`
    const leads = (table: string, columns: readonly string[]) =>
      rows.some(
        one => one.table === table && columns.every(column => one.columns?.slice(0, columns.length).includes(column)),
      )
    const without = (table: string, columns: readonly string[]) =>
      `no index of ${table} begins with ${columns.join(', ')}: add one in a migration`
    for (const { name, org, through, shared, kept, remove, retention } of allTables) {
      if (shared === null && kept === null && remove === null) {
        for (const columns of [...(org === null ? [] : [[org]]), ...through.map(one => one.columns)]) {
          assert.ok(leads(name, columns) || leads(name, columns.slice(0, 1)), without(name, columns))
        }
      }
      for (const { column, by } of retention)
        if (by !== 'blocks') assert.ok(leads(name, [column]), without(name, [column]))
    }
  })
})

/** What retention reads of the state of services. */
const STATE = { keptDays: 30, backlogDays: 3 }
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

const filled = await fillTables(host, (await host.organisation('aged')).org, 'aged')

/** What it belongs to has another one, perhaps. */
async function addTo({ name, through: [parent] }: Table, values: Row): Promise<void> {
  const row = parent ? await filled.add(parent.table) : {}
  const own = parent?.columns.map((column, at) => [column, row[parent.keys[at] as string]]) ?? []
  await filled.add(name, { ...Object.fromEntries(own), ...values })
}

describe('old rows', () => {
  const timeIn = ({ type = 'time' }: Retention, at: Date) => {
    if (type === 'id') return lowestUuid(at)
    return type === 'day' ? at.toISOString().slice(0, 10) : at.toISOString()
  }
  for (const { name: service, tables } of services) {
    for (const table of tables.filter(({ retention }) => retention.length > 0)) {
      for (const rule of table.retention) {
        it(`of ${table.name}, by ${rule.column}, are deleted, and no others`, async () => {
          const keptMs = typeof rule.keptMs === 'number' ? rule.keptMs : rule.keptMs(STATE as never)
          assert.ok(Number.isFinite(keptMs), 'add what keptMs reads of the state to STATE in test/tables.test.ts')
          const stepMs = rule.type === 'day' ? DAY_MS : MINUTE_MS
          const end = host.clock.now().getTime() - keptMs
          const unlike: Row = rule.where || table.retention.length === 1 ? {} : { resends: 1 }
          const times = [new Date(end - stepMs), new Date(end + stepMs)].map(at => timeIn(rule, at))
          for (const time of times) await addTo(table, { ...unlike, [rule.column]: time })
          const found = async () => {
            const query = Object.assign([`select from ${table.name} where ${rule.column} = `, ''], { raw: [] }) as never
            const all = await Promise.all(times.map(time => host.db(query, time)))
            return all.map(({ length }) => length)
          }
          assert.deepEqual(await found(), [1, 1])
          await deleteOld(host, service, undefined, STATE)
          assert.deepEqual(await found(), [0, 1])
        })
      }
    }
  }
})

describe('rows with an extremely long retention', () => {
  it('are all kept', async () => {
    const attempts = async () => (await host.db`select from webhook_attempts`).length
    const before = await attempts()
    assert.ok(before > 0)
    await deleteOld(host, 'webhooks', undefined, { keptDays: 999_999, backlogDays: 999_999 })
    assert.equal(await attempts(), before)
  })
})

describe('a deleted organisation', () => {
  it('has no rows except those declared to stay, and others keep theirs', async () => {
    const [doomed, spared] = [await host.organisation('doomed'), await host.organisation('spared')]
    for (const { org, key } of [doomed, spared]) {
      await fillTables(host, org, `of-${org}-`)
      await host.call('POST /v1/projects', { as: key, body: { slug: 'logged', name: 'P' } })
    }
    const owned = allTables.filter(({ shared }) => shared === null)
    const ofAll = async (org: string) =>
      new Map(await Promise.all(owned.map(async table => [table.name, await rowsOf(host, table, org)] as const)))
    const isStill = ({ name }: Table) => !['queue_keys', 'queue_jobs', 'bus_log'].includes(name)
    await host.keyring.flush()
    const requests = owned.find(({ name }) => name === 'request_counts') as Table
    await eventually(
      () => {
        host.clock.advance(5_000) // Its schedule counts the requests above.
        return rowsOf(host, requests, spared.org)
      },
      rows => rows.length === 2,
    )
    const before = await ofAll(spared.org)
    for (const [name, rows] of await ofAll(doomed.org)) {
      assert.ok(rows.length > 0 || name === 'former_orgs', `${name} was not filled`)
    }

    assert.equal((await host.call('DELETE /v1/iam/orgs/doomed?confirm=doomed', { as: doomed.key })).status, 204)
    assert.equal((await host.call('GET /v1/projects', { as: doomed.key })).status, 401)
    const shown = await host.call('GET /v1/iam/orgs/doomed', { as: host.admin.key })
    assert.equal(shown.body.deleted, host.clock.now().toISOString())
    // Otherwise the usage of calls would be charged first.
    await host.db.autocommit`delete from billing_holds where org = 'doomed'`
    await eventually(
      async () => {
        host.clock.advance(10_000)
        return (await host.call('GET /v1/iam/orgs/doomed', { as: host.admin.key })).status
      },
      status => status === 404,
    )

    for (const [name, rows] of await ofAll(doomed.org)) {
      const { kept } = owned.find(one => one.name === name) as Table
      assert.equal(rows.length > 0, kept !== null && name !== 'orgs', `${name}: ${rows.join('\n')}`)
    }
    const after = await ofAll(spared.org)
    for (const table of owned.filter(isStill))
      assert.deepEqual(after.get(table.name), before.get(table.name), table.name)
    assert.equal(
      (
        await host.call('POST /v1/iam/orgs', {
          as: host.admin.key,
          body: { slug: 'doomed', name: 'D', owner: { email: 'd@example.com' } },
        })
      ).status,
      409,
    )
    assert.equal(await purgeOrg(host, 'doomed'), true)
  })

  it('is purged after a while even if its jobs are lost', async () => {
    const { org, key } = await host.organisation('forgotten')
    await host.db.transaction(async tx => {
      await tx`update orgs set deleted = ${host.clock.now().toISOString()} where slug = ${org}`
      await tx`insert into former_orgs (slug, deleted) values (${org}, ${host.clock.now().toISOString()})`
    })
    await eventually(
      async () => {
        host.clock.advance(10 * MINUTE_MS)
        return (await host.call('GET /v1/iam/orgs/forgotten', { as: host.admin.key })).status
      },
      status => status === 404,
    )
    assert.equal((await host.call('GET /v1/projects', { as: key })).status, 401)
  })

  it('loses rows written by a suspended process after the deletion', async () => {
    const late = ['audit', 'events', 'event_ids', 'idempotency_records', 'ai_requests']
    await fillTables(host, 'doomed', 'late-', late)
    const tables = allTables.filter(({ name }) => late.includes(name))
    const left = async () => (await Promise.all(tables.map(table => rowsOf(host, table, 'doomed')))).flat().length
    assert.equal(await left(), late.length)
    await eventually(
      async () => {
        host.clock.advance(60 * MINUTE_MS)
        return left()
      },
      count => count === 0,
    )
  })
})
