// A process that gets no notifications, and another one that changes what it has cached.
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { until } from '../../test/conformance/db.ts'
import { proxyTo } from '../../test/database-proxy.ts'
import { startHost } from '../../test/host.ts'
import { keyCalls } from '../../test/keys.ts'
import { openPostgres } from '../engines/db/postgres.ts'

const host = await startHost()
const { made, revoke } = keyCalls(host)

async function startBeside(t: TestContext) {
  const proxy = await proxyTo({ at: host.database }, t)
  const limits = { connectionsMax: 5, queueMax: 200, waitMs: 60_000 }
  const db = openPostgres({ at: proxy.at, ...limits, heartbeat: { everyMs: 50, answerMs: 2_000 } })
  const second = await startHost({ beside: host, wrapDb: () => db }, t)
  t.after(() => db.close())
  return { second, db, proxy }
}

describe('a process that gets no notifications', () => {
  it('answers requests, but not from caches', async t => {
    const { second, db, proxy } = await startBeside(t)
    const { id, key } = await made()
    const use = () => second.call('GET /v1/ai/settings', { as: key })
    const models = async () => {
      const { status, body } = await second.call('GET /v1/models', { as: host.home.key })
      return status === 200 && body.data.some((model: { id: string }) => model.id === 'added')
    }
    assert.deepEqual([(await use()).status, await models()], [200, false])
    proxy.loseListen(true)
    proxy.muteFirst() // The LISTEN connection was opened first or not at all.
    await until(() => !db.isListening())

    assert.equal((await use()).status, 200)
    const price = { input: 1, output: 1 }
    const provider = { name: 'added', baseUrl: 'http://127.0.0.1:9', models: [{ id: 'added', price }] }
    const added = await host.call('POST /v1/ai/providers', { as: host.admin.key, body: provider })
    assert.equal(added.status, 201, added.text)
    assert.ok(await models(), 'a provider that was added elsewhere is known')
    assert.equal((await revoke(id)).status, 204)
    assert.equal((await use()).status, 401, 'a key that was revoked elsewhere is refused')
    const body = { slug: 'written', name: 'Written' }
    assert.equal((await second.call('POST /v1/projects', { body })).status, 201)
    assert.ok(!db.isListening())

    proxy.loseListen(false)
    await until(() => db.isListening())
    assert.equal((await use()).status, 401)
  })

  it("continues when the server's process for its LISTEN connection is stopped", async t => {
    const { second, db } = await startBeside(t)
    const { id, key } = await made()
    const use = () => second.call('GET /v1/projects', { as: key })
    assert.equal((await use()).status, 200)
    const listening = () => host.db<{ pid: number }>`select pid from pg_stat_activity
      where datname = current_database() and application_name = 'stoa listening' order by backend_start desc limit 1`
    const [stopped] = await listening()
    const pid = stopped?.pid as number
    const running = db`select pg_sleep(4)`
    process.kill(pid, 'SIGSTOP')
    t.after(() => process.kill(pid, 'SIGCONT'))
    await revoke(id)
    await until(async () => (await listening())[0]?.pid !== pid || !db.isListening())
    await until(() => db.isListening())
    assert.equal((await use()).status, 401)
    assert.equal((await second.call('GET /v1/projects')).status, 200)
    await running
  })
})
