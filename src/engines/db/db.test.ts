import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it, type TestContext } from 'node:test'
import { pathToFileURL } from 'node:url'
import { databaseConforms, until } from '../../../test/conformance/db.ts'
import { testDatabase } from '../../../test/database.ts'
import { externalPostgres } from '../../../test/external.ts'
import { ConstraintViolated, EngineUnavailable } from '../engines.ts'
import { readMigrations } from './migrate.ts'
import { openPostgres, requireVersion } from './postgres.ts'

const embedded = await testDatabase()
after(embedded.drop)
databaseConforms('embedded PostgreSQL', async limits => openPostgres({ at: embedded.at, ...limits }))

const external = await externalPostgres()
if ('url' in external) {
  after(external.stop)
  databaseConforms(`external PostgreSQL ${external.version}`, async limits => {
    return openPostgres({ at: { url: external.url }, ...limits })
  })
  it('gives the listener a pool connection if it has lost its own and the server has no more', async t => {
    const owner = openPostgres({ at: { url: external.url }, connectionsMax: 1, queueMax: 1 })
    await owner.script("create role few login password 'few' connection limit 3")
    const url = Object.assign(new URL(external.url), { username: 'few', password: 'few' }).href
    const heartbeat = { everyMs: 50, answerMs: 200 }
    const db = openPostgres({ at: { url }, connectionsMax: 10, queueMax: 20, heartbeat })
    t.after(async () => {
      await db.close()
      await owner.close()
    })
    await db.listen(
      'none',
      () => {},
      () => {},
    )
    await Promise.all([db`select pg_sleep(0.1)`, db`select pg_sleep(0.1)`])
    const calls = Promise.allSettled(Array.from({ length: 6 }, () => db`select pg_sleep(0.1)`))
    await owner`select pg_terminate_backend(pid) from pg_stat_activity
      where usename = 'few' and application_name = 'stoa listening'`
    await calls
    const isListening = async () =>
      (await owner`select from pg_stat_activity where usename = 'few' and application_name = 'stoa listening'`).length >
      0
    await until(async () => isListening())
    await until(async () => (await Promise.allSettled([db`select 1`]))[0]?.status === 'fulfilled')
  })

  it('encrypts the connection if the URL says so, and tries its hosts in order', async t => {
    const url = external.url.replace('127.0.0.1', '127.0.0.1:1,127.0.0.1')
    const db = openPostgres({ at: { url }, connectionsMax: 1, queueMax: 1 })
    t.after(() => db.close())
    assert.deepEqual([...(await db`select ssl from pg_stat_ssl where pid = pg_backend_pid()`)], [{ ssl: true }])
  })
} else {
  it('passes the database tests on an external PostgreSQL', { skip: external.missing })
}

describe('an unreachable server', () => {
  const limits = { connectionsMax: 1, queueMax: 1 }

  it('is reported as down', async t => {
    const db = openPostgres({ at: { url: 'postgres://nobody@127.0.0.1:1/none' }, ...limits })
    t.after(() => db.close())
    await assert.rejects(db.ping(), (error: unknown) => error instanceof EngineUnavailable && error.state === 'down')
    await assert.rejects(requireVersion(db), /^Error: DATABASE_URL: ECONNREFUSED/)
  })
})

describe('an unresponsive server', () => {
  const down = (error: unknown) => error instanceof EngineUnavailable && error.state === 'down'
  const serve = async (t: TestContext, accept: (socket: Socket) => void) => {
    const server = createServer(accept)
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const db = openPostgres({ at: { url: `postgres://x@127.0.0.1:${port}/x` }, connectionsMax: 4, queueMax: 5 })
    t.after(() => {
      server.close()
      void db.close()
    })
    return db
  }

  it('is down for ping, queries and transactions when it closes every connection', async t => {
    const db = await serve(t, socket => socket.end())
    await Promise.all([
      assert.rejects(db.ping(), down),
      assert.rejects(db`select 1`, down),
      assert.rejects(
        db.transaction(async tx => tx`select 1`),
        down,
      ),
    ])
    assert.deepEqual(db.load(), { running: 0, waiting: 0 })
    await assert.rejects(requireVersion(db), /^Error: DATABASE_URL: CONNECTION_CLOSED the server closed/)
  })

  it('is down for ping when it accepts connections and sends nothing', async t => {
    const sockets: Socket[] = []
    const db = await serve(t, socket => void sockets.push(socket))
    await assert.rejects(db.ping(), down)
    for (const socket of sockets) socket.destroy()
  })
})

describe('a transaction that exceeds its deadline', () => {
  it('is cancelled and rolled back, and its connection is free again', async t => {
    const { db, at, drop } = await testDatabase()
    const limited = openPostgres({ at, connectionsMax: 1, queueMax: 1, deadlineMs: 50 })
    t.after(async () => {
      await limited.close()
      await drop()
    })
    await db.script('create table things (id int primary key)')
    await limited.listen(
      'none',
      () => {},
      () => {},
    )
    const locked = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const blocker = db.transaction(async tx => {
      await tx`select pg_advisory_xact_lock(4711)`
      locked.resolve()
      await release.promise
    })
    await locked.promise
    await assert.rejects(
      limited.transaction(async tx => {
        await tx`insert into things values (1)`
        await tx`select pg_advisory_xact_lock(4711)`
      }),
      (error: unknown) => error instanceof EngineUnavailable && error.state === 'down',
    )
    await until(async () => limited.load().running === 0) // Although the lock is still held.
    await limited`select 1`
    release.resolve()
    await blocker
    assert.equal((await db`select from things`).length, 0)
  })
})

describe('the loss of all connections at once', () => {
  it('does not delay the calls that follow it', async t => {
    const db = openPostgres({ at: embedded.at, connectionsMax: 16, queueMax: 16 })
    t.after(() => db.close())
    let longestMs = 0
    const call = async () => {
      const startedMs = performance.now()
      await db`select pg_sleep(0.01)`.catch(() => {})
      longestMs = Math.max(longestMs, performance.now() - startedMs)
    }
    const calls = () => Promise.all(Array.from({ length: 16 }, call))
    for (let times = 0; times < 5; times++) {
      await calls()
      const running = [calls(), calls()]
      await embedded.db`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and application_name = 'stoa'`
      await Promise.all(running)
    }
    assert.ok(longestMs < 3_000, `a call took ${longestMs} ms`) // A connection that is not made takes five seconds.
  })
})

describe('a statement that exceeds its timeout', () => {
  it('fails with slow', async t => {
    const { db, drop } = await testDatabase()
    t.after(drop)
    const expired = db.transaction(async tx => {
      await tx`set local statement_timeout = 50`
      await tx`select pg_sleep(5)`
    })
    await assert.rejects(expired, (error: unknown) => error instanceof EngineUnavailable && error.state === 'slow')
  })
})

describe('a server that takes no writes, such as a standby or one whose disk is nearly full', () => {
  it('is down for writes', async t => {
    const { db, drop } = await testDatabase()
    t.after(drop)
    const write = db.transaction(async tx => {
      await tx`set transaction read only`
      await tx`delete from projects`
    })
    await assert.rejects(write, (error: unknown) => error instanceof EngineUnavailable && error.state === 'down')
  })
})

describe('a statement that violates a constraint', () => {
  it('fails with the kind of constraint', async t => {
    const { db, drop } = await testDatabase()
    t.after(drop)
    await db.script('create table parents (id int primary key); create table children (id int references parents)')
    const violates = (kind: string) => (error: unknown) => error instanceof ConstraintViolated && error.kind === kind
    await assert.rejects(db.autocommit`insert into children values (1)`, violates('reference'))
    await db.autocommit`insert into parents values (1)`
    await assert.rejects(
      db.transaction(tx => tx`insert into parents values (1)`),
      violates('unique'),
    )
  })
})

describe('migration files', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'stoa-migrations-'))
  after(() => rm(directory, { recursive: true }))
  const folder = (name: string, ...files: string[]) => {
    const path = join(directory, name)
    mkdirSync(path)
    for (const file of files) writeFileSync(join(path, file), 'select 1')
    return pathToFileURL(`${path}/`)
  }

  it('are read in order', () => {
    const read = readMigrations('x', folder('good', '0002-b.sql', '0001-a.sql'))
    assert.deepEqual(
      read.map(({ name }) => name),
      ['0001-a.sql', '0002-b.sql'],
    )
  })

  it('are rejected with a gap, a duplicate number or another name', () => {
    for (const [name, ...files] of [
      ['gap', '0001-a.sql', '0003-b.sql'],
      ['double', '0001-a.sql', '0001-b.sql'],
      ['name', '0001-a.sql', 'notes.txt'],
    ] as [string, ...string[]][]) {
      assert.throws(() => readMigrations('x', folder(name, ...files)), /numbered 0001/)
    }
  })
})

it('statements left running after a transaction ended write nothing', async t => {
  const { db, drop } = await testDatabase()
  t.after(drop)
  await db.script('create table left_running (n int)')
  for (const end of [() => Promise.reject(new Error('gave up')), () => Promise.resolve()]) {
    const ended = db.transaction(async tx => {
      await tx`select 1`
      // ROLLBACK or COMMIT is sent first, and its answer has not arrived.
      const late = async () => {
        for (let turns = 0; turns < 50; turns++) await null
        await tx`insert into left_running values (1)`
      }
      late().catch(() => {})
      await end()
    })
    await ended.catch(() => {})
    await db`select pg_sleep(0.05)`
    const [row] = await db<{ n: number }>`select count(*) as n from left_running`
    assert.equal(row?.n, 0)
  }
})
