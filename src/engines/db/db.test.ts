import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it, type TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { databaseConforms, until } from '../../../test/conformance/db.ts'
import { externalPostgres } from '../../../test/external.ts'
import { testDatabase } from '../../../test/host.ts'
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

/** A proxy to a database, whose connections can be cut, refused or frozen. */
async function proxyTo({ at }: Pick<Awaited<ReturnType<typeof testDatabase>>, 'at'>, t: TestContext) {
  const sockets: Socket[] = []
  const frozen = new Set<() => void>()
  const state = { isFrozen: false, onSent: (_bytes: Buffer) => {} }
  const pass = (from: Socket, to: Socket, seen: (bytes: Buffer) => void) =>
    from.on('data', bytes => {
      const send = () => void to.write(bytes)
      if (state.isFrozen) frozen.add(send)
      else send()
      seen(bytes)
    })
  const proxy = createServer(near => {
    const far = connect(`${at.socketDirectory}/.s.PGSQL.5432`)
    for (const socket of [near, far]) sockets.push(socket.on('error', () => {}))
    pass(near, far, bytes => state.onSent(bytes))
    pass(far, near, () => {})
    near.on('close', () => far.destroy())
    far.on('close', () => near.destroy())
  })
  const listen = (port: number) => new Promise<void>(resolve => proxy.listen(port, '127.0.0.1', resolve))
  const refuse = () => {
    proxy.close()
    for (const socket of sockets) socket.destroy()
  }
  t.after(refuse)
  await listen(0)
  const { port } = proxy.address() as AddressInfo
  return {
    at: { url: `postgres://${at.user}@127.0.0.1:${port}/${at.database}` },
    sockets,
    refuse,
    accept: () => listen(port),
    /** Called with what clients send. */
    onSent: (seen: (bytes: Buffer) => void) => {
      state.onSent = seen
    },
    /** Nothing arrives any more, as from a stopped server. */
    freeze: () => {
      state.isFrozen = true
    },
    thaw: () => {
      state.isFrozen = false
      for (const send of frozen) send()
      frozen.clear()
    },
  }
}

describe('a server that stops answering', () => {
  const isDown = (error: unknown) => error instanceof EngineUnavailable && error.state === 'down'
  const open = async (t: TestContext) => {
    const database = await testDatabase()
    const proxy = await proxyTo(database, t)
    const heartbeat = { everyMs: 50, answerMs: 200 }
    const db = openPostgres({ at: proxy.at, connectionsMax: 3, queueMax: 20, heartbeat })
    t.after(async () => {
      proxy.thaw()
      await db.close()
      await database.drop()
    })
    await database.db.script('create table things (id int primary key)')
    await db.listen(
      'none',
      () => {},
      () => {},
    )
    const count = async () => (await database.db`select from things`).length
    return { db, proxy, count }
  }

  it('is noticed by the heartbeat: running and waiting calls fail, new ones at once, and all work when it is back', async t => {
    const { db, proxy } = await open(t)
    await db`select 1`
    proxy.freeze()
    const calls = Array.from({ length: 5 }, () => assert.rejects(db`select 1`, isDown))
    const unfinished = assert.rejects(
      db.transaction(tx => tx`insert into things values (1)`),
      isDown,
    )
    await Promise.all([...calls, unfinished])
    assert.deepEqual(db.load(), { running: 0, waiting: 0 })
    await assert.rejects(db`select 1`, isDown)
    proxy.thaw()
    await until(async () => (await Promise.allSettled([db`select 1`]))[0]?.status === 'fulfilled')
  })

  it('rolls back a transaction whose caller was told that it failed', async t => {
    const { db, proxy, count } = await open(t)
    const [inserted, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const failed = assert.rejects(
      db.transaction(async tx => {
        await tx`insert into things values (1)`
        proxy.freeze()
        inserted.resolve()
        await released.promise
      }),
      isDown,
    )
    await inserted.promise
    await failed
    proxy.thaw()
    released.resolve()
    await until(async () => (await Promise.allSettled([db`select 1`]))[0]?.status === 'fulfilled')
    assert.equal(await count(), 0)
  })

  it('delays the answer to a transaction whose COMMIT was sent until its outcome is known', async t => {
    const { db, proxy, count } = await open(t)
    proxy.onSent(bytes => {
      if (bytes.includes('commit')) proxy.freeze()
    })
    let outcome = ''
    const saved = db
      .transaction(tx => tx`insert into things values (1)`)
      .then(
        () => {
          outcome = 'saved'
        },
        error => {
          outcome = error.state
        },
      )
    await until(async () => (await Promise.allSettled([db`select 1`]))[0]?.status === 'rejected')
    assert.equal(outcome, '')
    proxy.onSent(() => {})
    proxy.thaw()
    await saved
    assert.deepEqual([outcome, await count()], ['saved', 1])
  })

  it('leaves it unknown whether a COMMIT succeeded if the connection is lost meanwhile', async t => {
    const { db, proxy } = await open(t)
    proxy.onSent(bytes => {
      if (bytes.includes('commit')) for (const socket of proxy.sockets) socket.destroy()
    })
    await assert.rejects(
      db.transaction(tx => tx`insert into things values (1)`),
      (error: unknown) => error instanceof EngineUnavailable && error.state === 'unknown',
    )
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

describe('the LISTEN connection', () => {
  const limits = { connectionsMax: 1, queueMax: 1, heartbeat: { everyMs: 100, answerMs: 200 } }
  const listenOn = async (at: Parameters<typeof openPostgres>[0]['at'], t: TestContext) => {
    const db = openPostgres({ at, ...limits })
    t.after(() => db.close())
    const received: string[] = []
    let connections = 0
    await db.listen(
      'news',
      payload => received.push(payload),
      () => connections++,
    )
    return { received, connections: () => connections }
  }

  /** Listens through a proxy, so that the connection can be cut. */
  const listenThroughProxy = async (t: TestContext) => {
    const { db, at, drop } = await testDatabase()
    const proxy = await proxyTo({ at }, t)
    t.after(drop)
    const listener = await listenOn(proxy.at, t)
    return { db, ...listener, ...proxy }
  }

  it('is restored after the server refused connections for a while', async t => {
    const { db, received, connections, refuse, accept } = await listenThroughProxy(t)
    refuse()
    await wait(1_000)
    assert.equal(connections(), 1)
    await accept()
    await until(() => connections() === 2)
    await db`select pg_notify('news', 'back')`
    await until(() => received.includes('back'))
  })

  it('is reopened when the network drops it silently', async t => {
    const { db, received, connections, sockets } = await listenThroughProxy(t)
    for (const socket of sockets) socket.removeAllListeners('data').pause()
    await until(() => connections() === 2)
    await db`select pg_notify('news', 'again')`
    await until(() => received.includes('again'))
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
  it('fails with busy', async t => {
    const { db, drop } = await testDatabase()
    t.after(drop)
    const expired = db.transaction(async tx => {
      await tx`set local statement_timeout = 50`
      await tx`select pg_sleep(5)`
    })
    await assert.rejects(expired, (error: unknown) => error instanceof EngineUnavailable && error.state === 'busy')
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
