// Connects through a proxy that loses data, as networks do.
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { until } from '../../../test/conformance/db.ts'
import { testDatabase } from '../../../test/database.ts'
import { proxyTo } from '../../../test/database-proxy.ts'
import { EngineUnavailable } from '../engines.ts'
import { openPostgres } from './postgres.ts'

const isDown = (error: unknown) => error instanceof EngineUnavailable && error.state === 'down'
const openBehindProxy = async (t: TestContext, more: { deadlineMs?: number; cancelMs?: number } = {}) => {
  const database = await testDatabase()
  const proxy = await proxyTo(database, t)
  const heartbeat = { everyMs: 50, answerMs: 200 }
  const idle = { idleMs: 100, answerMs: 200 }
  const db = openPostgres({ at: proxy.at, connectionsMax: 3, queueMax: 20, heartbeat, idle, ...more })
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

describe('a server that stops answering', () => {
  const open = openBehindProxy

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
    for (const other of [db.background, db.analytics]) await assert.rejects(other`select 1`, isDown)
    proxy.thaw()
    await until(async () => (await Promise.allSettled([db`select 1`]))[0]?.status === 'fulfilled')
    for (const other of [db.background, db.analytics]) await other`select 1`
  })

  it('rolls back a transaction whose caller got a failure', async t => {
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

  it('does not receive a write after its caller got a failure', async t => {
    const { db, proxy, count } = await open(t)
    proxy.freeze()
    await assert.rejects(db.autocommit`insert into things values (1)`, isDown)
    proxy.thaw()
    await until(async () => (await Promise.allSettled([db`select 1`]))[0]?.status === 'fulfilled')
    await wait(300)
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

describe('the network', () => {
  const open = openBehindProxy

  it('may forget an idle connection: another one is used', async t => {
    const { db, proxy } = await open(t)
    await Promise.all([db`select 1`, db`select 1`])
    proxy.mute(1)
    await wait(150)
    assert.equal((await db`select 1 as one`).length, 1)
  })

  it('may forget a connection in use: only the call on it fails', async t => {
    const { db, proxy } = await open(t, { deadlineMs: 2_000, cancelMs: 500 })
    await db`select 1`
    proxy.mute(1)
    const lost = assert.rejects(db`select 'lost'`, isDown)
    const others = (async () => {
      for (const endMs = performance.now() + 5_000; performance.now() < endMs; ) await db`select pg_sleep(0.2)`
    })()
    await Promise.all([lost, others])
    await until(async () => db.load().running === 0)
  })

  it('may forget the connection for LISTEN, and the next one before it listens', async t => {
    const { db, proxy } = await open(t)
    let times = 0
    proxy.onSent(bytes => {
      if (bytes.includes('listen "none"') && times++ === 0) proxy.mute()
    })
    proxy.sockets[0]?.destroy()
    await until(async () => times > 1 && (await Promise.allSettled([db`select 1`]))[0]?.status === 'fulfilled')
  })
})

describe('a silent LISTEN connection', () => {
  const open = openBehindProxy

  it('is replaced without failing any call', async t => {
    const { db, proxy } = await open(t)
    const received: string[] = []
    let connections = 0
    await db.listen(
      'news',
      payload => received.push(payload),
      () => connections++,
    )
    const long = db`select pg_sleep(2)`
    proxy.muteFirst()
    await until(async () => {
      await Promise.all([db`select 1`, db.background`select 1`, db.analytics`select 1`])
      return connections === 2
    })
    await long
    await db`select pg_notify('news', 'back')`
    await db.waitForNotifications()
    assert.deepEqual(received, ['back'])
  })

  it('stops no calls while no other connection can listen, and writes do not wait for notifications', async t => {
    const { db, proxy } = await open(t)
    let connections = 0
    await db.listen(
      'news',
      () => {},
      () => connections++,
    )
    proxy.loseListen(true)
    proxy.muteFirst()
    await until(() => !db.isListening())
    for (const endMs = performance.now() + 2_000; performance.now() < endMs; ) {
      await db`select pg_sleep(0.05)`
      await db.waitForNotifications()
      assert.ok(!db.isListening())
    }
    const startedMs = performance.now()
    for (let times = 0; times < 20; times++) await db.waitForNotifications()
    assert.ok(performance.now() - startedMs < 1_000)
    proxy.loseListen(false)
    await until(() => db.isListening())
    assert.equal(connections, 2)
  })

  it('delays only the first write that uses it, by a second', async t => {
    const { at, drop } = await testDatabase()
    const proxy = await proxyTo({ at }, t)
    const heartbeat = { everyMs: 60_000, answerMs: 60_000 }
    const own = openPostgres({ at: proxy.at, connectionsMax: 3, queueMax: 20, heartbeat })
    t.after(() => own.close().then(drop))
    await own.listen(
      'none',
      () => {},
      () => {},
    )
    proxy.loseListen(true)
    proxy.muteFirst()
    await own.waitForNotifications()
    assert.ok(!own.isListening())
    const startedMs = performance.now()
    for (let times = 0; times < 20; times++) await own.waitForNotifications()
    assert.ok(performance.now() - startedMs < 1_000)
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
