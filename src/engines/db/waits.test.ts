// A call gets a connection within its time limit, or fails then.
import assert from 'node:assert/strict'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { testDatabase } from '../../../test/database.ts'
import { proxyTo } from '../../../test/database-proxy.ts'
import { EngineUnavailable } from '../engines.ts'
import { openPostgres } from './postgres.ts'

/** The tolerance for a slow machine; less than a second wait would take. */
const SLACK_MS = 1_200
const failsWithin = async (withinMs: number, call: () => Promise<unknown>) => {
  const startedMs = performance.now()
  await assert.rejects(call(), (error: unknown) => error instanceof EngineUnavailable)
  const tookMs = performance.now() - startedMs
  assert.ok(tookMs < withinMs + SLACK_MS, `it took ${tookMs} ms`)
}

/** Only the call itself notices that the network is silent. */
const SLOW_HEARTBEAT = { everyMs: 60_000, answerMs: 60_000 }

async function openThroughProxy(t: TestContext, waitMs: number, idle: { idleMs: number; answerMs: number }) {
  const { at, drop } = await testDatabase()
  const proxy = await proxyTo({ at }, t)
  const limits = { connectionsMax: 1, queueMax: 5, waitMs, idle, heartbeat: SLOW_HEARTBEAT }
  const db = openPostgres({ at: proxy.at, ...limits })
  t.after(async () => {
    proxy.thaw()
    await db.close()
    await drop()
  })
  await db`select 1`
  return { db, proxy }
}

describe("the time limit of a call's wait", () => {
  it('includes the check of an idle connection that does not answer', async t => {
    const { db, proxy } = await openThroughProxy(t, 2_000, { idleMs: 0, answerMs: 1_900 })
    proxy.freeze()
    await failsWithin(2_000, () => db`select 1`)
  })

  it('includes the time in the queue', async t => {
    const { db, proxy } = await openThroughProxy(t, 2_000, { idleMs: 60_000, answerMs: 2_000 })
    const first = db`select pg_sleep(60)`.catch(() => {})
    const second = failsWithin(2_000, () => db`select 1`)
    await wait(1_500)
    proxy.freeze()
    for (const socket of proxy.sockets) socket.destroy() // So that the second one needs a new connection.
    await Promise.all([first, second])
  })

  it('also applies to sessions and pings', async t => {
    const sockets: Socket[] = []
    const server = createServer(socket => void sockets.push(socket))
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const db = openPostgres({
      at: { url: `postgres://x@127.0.0.1:${port}/x` },
      connectionsMax: 1,
      queueMax: 1,
      waitMs: 300,
    })
    t.after(async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await db.close()
    })
    await failsWithin(300, db.ping)
    await failsWithin(300, () => db.session(session => session`select 1`))
  })

  it('is the time limit of a ping, however long', async t => {
    const { db, proxy } = await openThroughProxy(t, 30_000, { idleMs: 60_000, answerMs: 2_000 })
    proxy.freeze()
    const ping = db.ping()
    await wait(2_500)
    proxy.thaw()
    await ping
  })
})
