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
import { EngineUnavailable } from '../engines.ts'
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
    await assert.rejects(requireVersion(db), /^Error: DATABASE_URL: .*the server does not answer/)
  })

  it('is down for ping when it accepts connections and sends nothing', async t => {
    const sockets: Socket[] = []
    const db = await serve(t, socket => void sockets.push(socket))
    await assert.rejects(db.ping(), down)
    for (const socket of sockets) socket.destroy()
  })
})

describe('the LISTEN connection', () => {
  const limits = { connectionsMax: 1, queueMax: 1, heartbeatMs: 100 }
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
    const sockets: Socket[] = []
    const proxy = createServer(near => {
      const far = connect(`${at.socketDirectory}/.s.PGSQL.5432`)
      for (const socket of [near, far]) sockets.push(socket.on('error', () => {}))
      near.pipe(far).pipe(near)
    })
    const listen = (port: number) => new Promise<void>(resolve => proxy.listen(port, '127.0.0.1', resolve))
    const refuse = () => {
      proxy.close()
      for (const socket of sockets) socket.destroy()
    }
    t.after(refuse)
    t.after(drop)
    await listen(0)
    const { port } = proxy.address() as AddressInfo
    const listener = await listenOn({ url: `postgres://${at.user}@127.0.0.1:${port}/${at.database}` }, t)
    return { db, ...listener, sockets, refuse, accept: () => listen(port) }
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
    for (const socket of sockets) socket.unpipe().pause()
    await until(() => connections() === 2)
    await db`select pg_notify('news', 'again')`
    await until(() => received.includes('again'))
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

describe('a statement that violates a foreign key', () => {
  it('fails with busy, so that a retry can report what is missing', async t => {
    const { db, drop } = await testDatabase()
    t.after(drop)
    await db.script('create table parents (id int primary key); create table children (id int references parents)')
    await assert.rejects(
      db`insert into children values (1)`,
      (error: unknown) => error instanceof EngineUnavailable && error.state === 'busy',
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
