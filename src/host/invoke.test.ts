import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { testDatabase } from '../../test/database.ts'
import { eventually } from '../../test/eventually.ts'
import { type Answer, startHost } from '../../test/host.ts'
import { SLOW_QUERY_LOCK } from '../../test/specimen/access.ts'
import { specimen } from '../../test/specimen.ts'
import { openPostgres } from '../engines/db/postgres.ts'
import { services } from '../services/index.ts'

describe('an audited write', async () => {
  const host = await startHost({ services: [...services, specimen] })
  const trail = () => host.db<Record<string, string>>`select * from audit order by id`

  it('records the user, the action, its object, the time and the address', async () => {
    const made = await host.call('POST /v1/projects', { body: { slug: 'shop', name: 'Shop' } })
    const [record, ...more] = await trail()
    assert.deepEqual(more, [])
    assert.equal(record?.org, 'home')
    assert.equal(record?.user_id, host.home.user)
    assert.match(record?.credential ?? '', /^key_/)
    assert.equal(record?.what, 'project.create')
    assert.equal(record?.on_what, 'shop')
    assert.equal(record?.at, '2026-11-15T09:00:00.000Z')
    assert.equal(record?.ip, '127.0.0.1')
    assert.equal(record?.request_id, made.headers['x-request-id'])
  })

  it('that is refused records nothing', async () => {
    assert.equal((await host.call('POST /v1/projects', { body: { slug: 'shop', name: 'Again' } })).status, 409)
    assert.equal((await trail()).length, 1)
  })

  it('that fails half-way leaves neither the change nor an entry', async () => {
    assert.equal((await host.call('POST /v1/specimen/failed-write')).status, 500)
    assert.equal((await host.call('GET /v1/projects/rolled-back')).status, 404)
    assert.equal((await trail()).length, 1)
  })
})

describe('a busy database', async () => {
  const host = await startHost({ services: [specimen], dbConnections: 4, dbQueue: 6 })

  it('refuses callers beyond the queue limit immediately, and serves again afterwards', async () => {
    const outside = openPostgres({ at: host.database, connectionsMax: 1, queueMax: 1 })
    const answers: Answer[] = []
    const calls = await outside.transaction(async tx => {
      await tx`select pg_advisory_xact_lock(${SLOW_QUERY_LOCK}::int)`
      const sent = Array.from({ length: 12 }, () =>
        host.call('GET /v1/specimen/slow-query').then(answer => answers.push(answer)),
      )
      await eventually(
        () => answers.length,
        count => count === 7,
      )
      return { sent }
    })
    await outside.close()
    const refused = answers.slice(0, 7)
    await Promise.all(calls.sent)
    assert.deepEqual(
      answers.map(({ status }) => status),
      [...Array(7).fill(503), ...Array(5).fill(204)],
    )
    for (const answer of refused) {
      assert.equal(answer.body.error.code, 'overloaded')
      assert.equal(answer.headers['retry-after'], '1')
    }
    assert.equal((await host.call('GET /v1/specimen/slow-query')).status, 204)
  })
})

describe('an organisation with many calls', async () => {
  const host = await startHost({ services: [...services, specimen], dbConnections: 4, dbQueue: 20 })

  it('does not delay the calls of others', async () => {
    const outside = openPostgres({ at: host.database, connectionsMax: 1, queueMax: 1 })
    await host.call('GET /v1/projects', { as: host.other.key })
    const { flood } = await outside.transaction(async tx => {
      await tx`select pg_advisory_xact_lock(${SLOW_QUERY_LOCK}::int)`
      const flood = Array.from({ length: 40 }, () => host.call('GET /v1/specimen/slow-query'))
      await Promise.any(flood.map(call => call.then(({ status }) => assert.equal(status, 503)))) // Its queue is full.
      for (let at = 0; at < 10; at++) {
        assert.equal((await host.call('GET /v1/projects', { as: host.other.key })).status, 200)
        const body = { slug: `project-${at}`, name: 'Project' }
        assert.equal((await host.call('POST /v1/projects', { as: host.other.key, body })).status, 201)
      }
      return { flood }
    })
    await outside.close()
    const statuses = new Set((await Promise.all(flood)).map(({ status }) => status))
    assert.deepEqual([...statuses].sort(), [204, 503])
  })
})

describe('an unreachable database', async () => {
  const host = await startHost({ services })

  it('is answered 503 by every operation, and named by the health check', async t => {
    assert.deepEqual((await host.call('GET /v1/health', { as: null })).body, { status: 'up', engines: { db: 'up' } })
    await host.call('GET /v1/projects')
    const [row] = await host.db<{ name: string }>`select current_database() as name`
    const outside = await testDatabase()
    t.after(outside.drop)
    // Without new connections and with the old ones terminated, the database is unreachable for the host.
    await outside.db.script(`alter database ${row?.name} allow_connections false`)
    await outside.db`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${row?.name ?? ''}`
    const health = await host.call('GET /v1/health', { as: null })
    assert.equal(health.status, 503)
    assert.equal(health.body.error.code, 'database_unreachable')
    assert.deepEqual(health.body.error.fields, [{ path: 'engines.db', says: 'is down' }])
    const listing = await host.call('GET /v1/projects')
    assert.equal(listing.status, 503)
    assert.equal(listing.headers['retry-after'], '2')
    // Operations that need no database still answer a page of another origin, without CORS headers.
    const page = await host.call('GET /v1', { headers: { origin: 'https://never-asked.example.com' } })
    await outside.db.script(`alter database ${row?.name} allow_connections true`)
    let status = 503
    for (let tries = 0; status === 503 && tries < 100; tries++) {
      await new Promise(done => setTimeout(done, 50))
      status = (await host.call('GET /v1/health', { as: null })).status
    }
    assert.equal(status, 200)
    assert.equal(page.status, 200)
    assert.equal(page.headers['access-control-allow-origin'], undefined)
  })
})

describe('a database whose disk is full', async () => {
  const host = await startHost({ services })

  it('is answered 503 by writes, and named by the health check until a write succeeds', async () => {
    const create = (slug: string) => host.call('POST /v1/projects', { body: { slug, name: 'Project' } })
    await host.db.script(`create function no_space() returns trigger language plpgsql as
      $$ begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$;
      create trigger no_space before insert on projects for each row execute function no_space()`)
    const refused = await create('refused')
    const { code, message } = refused.body.error
    assert.deepEqual([refused.status, code, refused.headers['retry-after']], [503, 'database_unreachable', '60'])
    assert.match(message, /^The disk of the database is full, /)
    assert.equal((await host.call('GET /v1/projects')).status, 200)
    const health = await host.call('GET /v1/health', { as: null })
    assert.deepEqual([health.status, health.body.error.code], [503, 'database_unreachable'])
    assert.deepEqual(health.body.error.fields, [{ path: 'engines.db', says: 'has no disk space left' }])
    await host.db.script('drop function no_space cascade')
    assert.equal((await create('saved')).status, 201)
    assert.equal((await host.call('GET /v1/health', { as: null })).status, 200)
  })
})
