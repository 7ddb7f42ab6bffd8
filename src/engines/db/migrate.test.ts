import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { pathToFileURL } from 'node:url'
import { testDatabase } from '../../../test/database.ts'
import { eventually } from '../../../test/eventually.ts'
import { type Database, EngineUnavailable, type Tx } from '../engines.ts'
import { type Migration, type MigrationLog, migrate, readMigrations } from './migrate.ts'
import { openPostgres } from './postgres.ts'

const step = (name: string, text: string): Migration => ({ service: 'test', name, text })
const names = (migrations: Migration[]) => migrations.map(({ name }) => name)
const table = step(
  '0001-table.sql',
  'create table t (id int); create table u (word text); insert into t values (1), (2);',
)
const index = step(
  '0002-index.sql',
  `-- no transaction
-- Each is dropped first: an interrupted run leaves an invalid one.
drop index concurrently if exists t_id;
create unique index concurrently t_id
  on t (id);
drop index concurrently if exists u_word;
create index concurrently u_word on u (word);
`,
)

/** A database without tables. */
async function emptyDatabase(t: TestContext, limits = {}): Promise<Database> {
  const { db, drop } = await testDatabase(limits)
  t.after(drop)
  await db.script('drop schema public cascade; create schema public')
  return db
}

function recorder() {
  const lines: Parameters<MigrationLog>[] = []
  const log: MigrationLog = (...line) => void lines.push(line)
  return { lines, log, texts: () => lines.map(([, text]) => text) }
}

/** Keeps a transaction open until `end` is called. */
async function openTransaction(db: Database, begin: (tx: Tx) => Promise<unknown> = async () => {}) {
  const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const whole = db.transaction(async tx => {
    await begin(tx)
    begun.resolve()
    await ended.promise
  })
  return {
    begun: begun.promise,
    end: () => {
      ended.resolve()
      return whole
    },
  }
}

const indexes = async (db: Database) =>
  Object.fromEntries(
    (
      await db<{ name: string; valid: boolean }>`
        select relname as name, indisvalid as valid from pg_index join pg_class on oid = indexrelid
        where indrelid in ('t'::regclass, 'u'::regclass) order by relname`
    ).map(({ name, valid }) => [name, valid]),
  )

/** Resolves when the migrating session waits for another transaction while it creates an index. */
const untilIndexWaits = (db: Database, index: 't_id' | 'u_word') =>
  eventually(
    () =>
      db<{ pid: number }>`select pid from pg_stat_activity where datname = current_database()
        and application_name = 'stoa migrating' and query like ${`create%${index}%`} and wait_event_type = 'Lock'`,
    rows => rows.length === 1,
  )

const untilSleeps = (db: Database, sessions: number) =>
  eventually(
    () =>
      db`select 1 from pg_stat_activity where datname = current_database() and query like '%pg_sleep(600)%'
        and application_name = 'stoa migrating' and state = 'active'`,
    rows => rows.length === sessions,
  )

const endSession = (db: Database) =>
  db`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'stoa migrating'`

describe('a migration', () => {
  it('has no time limits', async t => {
    const db = await emptyDatabase(t)
    const text = `create table limits as select current_setting('statement_timeout') as statement,
      current_setting('idle_in_transaction_session_timeout') as idle, current_setting('lock_timeout') as lock`
    await migrate(db, [step('0001-limits.sql', text)])
    assert.deepEqual([...(await db`select * from limits`)], [{ statement: '0', idle: '0', lock: '0' }])
  })

  it('does not wait for the connections of the pool', async t => {
    const db = await emptyDatabase(t, { dbConnections: 1, dbQueue: 1 })
    const [running, waiting] = [await openTransaction(db), await openTransaction(db)]
    await running.begun
    assert.deepEqual(db.load(), { running: 1, waiting: 1 })
    await assert.rejects(db.ping(), /db is busy/)
    assert.deepEqual(names(await migrate(db, [table])), ['0001-table.sql'])
    await running.end()
    await waiting.end()
  })

  it('is logged with its position and its time, and a start without new ones logs nothing', async t => {
    const db = await emptyDatabase(t)
    const first = recorder()
    await migrate(db, [table], first.log)
    const linesOf = ({ lines }: typeof first) =>
      lines.map(([{ ms, ...fields }, text]) => [{ ...fields, ...(ms !== undefined && { ms: typeof ms }) }, text])
    assert.deepEqual(linesOf(first), [[{ count: '1', ms: 'number' }, 'created the tables']])
    const second = recorder()
    await migrate(db, [table, index, step('0003-more.sql', 'create table more ()')], second.log)
    assert.deepEqual(linesOf(second), [
      [{ migration: 'test/0002-index.sql', count: '1 of 2' }, 'migrating'],
      [{ migration: 'test/0002-index.sql', count: '1 of 2', ms: 'number' }, 'migrated'],
      [{ migration: 'test/0003-more.sql', count: '2 of 2' }, 'migrating'],
      [{ migration: 'test/0003-more.sql', count: '2 of 2', ms: 'number' }, 'migrated'],
    ])
    const third = recorder()
    assert.deepEqual(await migrate(db, [table, index, step('0003-more.sql', 'create table more ()')], third.log), [])
    assert.deepEqual(third.lines, [])
  })

  it('that fails is named in the error', async t => {
    const db = await emptyDatabase(t)
    const wrong = step('0002-wrong.sql', 'create table v (x nonsense)')
    await assert.rejects(migrate(db, [table, wrong]), {
      message: 'the migration test/0002-wrong.sql failed: type "nonsense" does not exist',
    })
  })

  it('fails when its connection is lost, and is not applied', async t => {
    const db = await emptyDatabase(t)
    const slow = step('0002-slow.sql', 'select pg_sleep(600)')
    const failed = assert.rejects(migrate(db, [table, slow]), /0002-slow\.sql failed: .*connection/)
    await untilSleeps(db, 1)
    await endSession(db)
    await failed
    await assert.rejects(db`select * from t`, { code: '42P01' })
  })
})

describe('a session', () => {
  it('does not continue on another connection after a loss', async t => {
    const db = await emptyDatabase(t)
    const isDown = (error: unknown) => error instanceof EngineUnavailable && error.state === 'down'
    const lost = db.session(async session => {
      await session.script('begin; create table t (id int)')
      await assert.rejects(session`select pg_terminate_backend(pg_backend_pid())`)
      await assert.rejects(session.script('commit'), isDown)
      await session`select 1`
    })
    await assert.rejects(lost, isDown)
    await assert.rejects(db`select * from t`, { code: '42P01' })
  })

  it('is ended by the server when its client is gone, even during a statement', async t => {
    const { db, at, drop } = await testDatabase()
    t.after(drop)
    const socketDirectory = mkdtempSync(join(tmpdir(), 'stoa-proxy-'))
    t.after(() => rmSync(socketDirectory, { recursive: true }))
    const sockets: Socket[] = []
    const proxy = createServer(near => {
      const far = connect(join(at.socketDirectory, '.s.PGSQL.5432'))
      for (const socket of [near, far]) sockets.push(socket.on('error', () => {}))
      near.pipe(far).pipe(near)
    })
    t.after(() => proxy.close())
    await once(proxy.listen(join(socketDirectory, '.s.PGSQL.5432')), 'listening')
    const proxied = openPostgres({ at: { ...at, socketDirectory }, connectionsMax: 1, queueMax: 1 })
    t.after(() => proxied.close())
    const lost = assert.rejects(proxied.session(session => session`select pg_sleep(600)`))
    await untilSleeps(db, 1)
    for (const socket of sockets) socket.destroy()
    await lost
    await untilSleeps(db, 0)
  })

  it('fails when the server cannot be reached', async t => {
    const { at, drop } = await testDatabase()
    t.after(drop)
    const db = openPostgres({ at: { ...at, database: 'none' }, connectionsMax: 1, queueMax: 1 })
    t.after(() => db.close())
    await assert.rejects(
      db.session(async () => {}),
      /db is down/,
    )
  })
})

describe('a migration without a transaction', () => {
  it('does not deadlock with another process that waits to migrate', async t => {
    const db = await emptyDatabase(t)
    await migrate(db, [table])
    const writing = await openTransaction(db, tx => tx`insert into t values (3)`)
    await writing.begun
    const [first, second] = [recorder(), recorder()]
    const migratingFirst = migrate(db, [table, index], first.log)
    await untilIndexWaits(db, 't_id')
    const migratingSecond = migrate(db, [table, index], second.log)
    await eventually(second.texts, texts => texts.length > 0)
    await writing.end()
    assert.deepEqual(names(await migratingFirst), ['0002-index.sql'])
    assert.deepEqual(await migratingSecond, [])
    assert.deepEqual(first.texts(), ['migrating', 'migrated'])
    assert.deepEqual(second.texts(), ['another process is migrating the database; waiting for it'])
    assert.deepEqual(await indexes(db), { t_id: true, u_word: true })
  })

  it('runs again as a whole after it was interrupted between its statements', async t => {
    const db = await emptyDatabase(t)
    await migrate(db, [table])
    const writing = await openTransaction(db, tx => tx`insert into u values ('open')`)
    await writing.begun
    const interrupted = assert.rejects(migrate(db, [table, index]), /0002-index\.sql failed/)
    await untilIndexWaits(db, 'u_word')
    await endSession(db)
    await interrupted
    await writing.end()
    assert.deepEqual(await indexes(db), { t_id: true, u_word: false })
    assert.deepEqual(names(await migrate(db, [table, index])), ['0002-index.sql'])
    assert.deepEqual(await indexes(db), { t_id: true, u_word: true })
  })

  it('replaces the invalid index left by a failed run', async t => {
    const db = await emptyDatabase(t)
    await migrate(db, [table])
    await db`insert into t values (1)`
    await assert.rejects(migrate(db, [table, index]), /0002-index\.sql failed: could not create unique index "t_id"/)
    assert.deepEqual(await indexes(db), { t_id: false })
    await db`delete from t where ctid = (select max(ctid) from t)`
    assert.deepEqual(names(await migrate(db, [table, index])), ['0002-index.sql'])
    assert.deepEqual(await indexes(db), { t_id: true, u_word: true })
  })

  it('keeps what was applied before it when a later one fails', async t => {
    const db = await emptyDatabase(t)
    const later = step('0003-later.sql', 'create table later (x int)')
    const wrong = step('0004-wrong.sql', 'create table v (x nonsense)')
    await assert.rejects(migrate(db, [table, index, later, wrong]), /0004-wrong/)
    await assert.rejects(db`select * from later`, { code: '42P01' })
    assert.deepEqual(names(await migrate(db, [table, index, later])), ['0003-later.sql'])
  })

  it('may only create indexes, and drops each before', t => {
    const directory = mkdtempSync(join(tmpdir(), 'stoa-migrations-'))
    t.after(() => rmSync(directory, { recursive: true }))
    const read = (text: string) => {
      writeFileSync(join(directory, '0001-x.sql'), text)
      return readMigrations('x', pathToFileURL(`${directory}/`))
    }
    assert.equal(read(index.text).length, 1)
    assert.equal(read('create table t (id int);').length, 1)
    for (const statements of [
      'create table t (id int);',
      'create index concurrently t_id on t (id);',
      'drop index concurrently if exists other;\ncreate index concurrently t_id on t (id);',
      'drop index concurrently t_id;\ncreate index concurrently t_id on t (id);',
      'drop index concurrently if exists t_id;\ncreate index t_id on t (id);',
      'drop index concurrently if exists t_id;\ncreate index concurrently if not exists t_id on t (id);',
      'drop index concurrently if exists t_id; create index concurrently t_id on t (id);',
      'drop index concurrently if exists t_id;\ncreate index concurrently t_id on t (id); drop table t;',
    ]) {
      assert.throws(() => read(`-- no transaction\n${statements}\n`), /^Error: x\/migrations\/0001-x\.sql: without/)
    }
  })
})
