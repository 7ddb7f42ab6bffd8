// Deliveries while the database is suspended, and how soon they continue after a process was killed.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { eventually } from '../eventually.ts'
import { externalPostgres } from '../external.ts'
import { client, databasePids, firstRunOf, freshDirectory, type Started, start, up } from '../process.ts'
import { type Delivered, startReceiver } from '../webhook-receiver.ts'

const UNLIMITED = { STOA_EVENTS_PER_CLIENT: '999999', STOA_EVENTS_PER_PEER: '999999' }

async function openWorld(t: TestContext, more: Record<string, string> = {}) {
  const receiver = await startReceiver({ keepAliveTimeout: 600_000 })
  t.after(receiver.close)
  const ca = join(process.env.STOA_TEST_TLS as string, 'ca.pem')
  const settings = { STOA_OUTBOUND_ALLOW: '127.0.0.1', STOA_OUTBOUND_CA: ca, ...UNLIMITED, ...more }
  const run = async (data: string, key?: string) => {
    const started = start({ ...settings, STOA_DATA: data })
    const { call, close } = client(data, await up(started), key ?? firstRunOf(data).home.key)
    t.after(close)
    return { started, call }
  }
  return { receiver, run }
}

type Call = Awaited<ReturnType<Awaited<ReturnType<typeof openWorld>>['run']>>['call']

const send = async (call: Call, n: number) => {
  const { status } = await call('POST /v1/event', { event: 'order', subject: 'shop.order.created', properties: { n } })
  assert.equal(status, 200)
}
const newEndpoint = async (call: Call, url: string): Promise<string> => {
  const { status, body } = await call('POST /v1/webhooks', { url, events: ['shop.>'] })
  assert.equal(status, 201, JSON.stringify(body))
  return body.id
}
const numberIn = ({ body }: Delivered): number => JSON.parse(body).data.properties.n

async function kill({ child, ended }: Started): Promise<number> {
  child.kill('SIGKILL')
  const atMs = performance.now()
  await ended
  return atMs
}

describe('a database that stands still for 40 s', () => {
  it('does not require clients to resend answered requests', { timeout: 300_000 }, async t => {
    const { receiver, run } = await openWorld(t, { STOA_DB_WAIT_S: '5' })
    const data = freshDirectory(t)
    const { call } = await run(data)
    const ids: string[] = []
    for (let n = 0; n < 15; n++) ids.push(await newEndpoint(call, `${receiver.url}/${n}`))
    receiver.state.answer = response => void wait(2_000).then(() => response.end('noted'))
    for (let n = 0; n < 8; n++) await send(call, n)
    await eventually(
      () => receiver.received.length,
      count => count >= 60,
    )
    const pids = databasePids(data)
    const signalAll = (signal: NodeJS.Signals) => {
      for (const pid of pids) process.kill(pid, signal)
    }
    signalAll('SIGSTOP')
    await wait(40_000)
    signalAll('SIGCONT')
    const outcomes = async () => {
      const pages = await Promise.all(ids.map(id => call(`GET /v1/webhooks/${id}/deliveries?status=ok&limit=200`)))
      return pages.every(({ status }) => status === 200) ? pages.flatMap(({ body }) => body.data) : []
    }
    const rows = await eventually(outcomes, found => found.length >= 120)
    await wait(3_000)
    assert.equal(rows.length, 120)
    const sent = receiver.received.map(one => `${one.path} ${numberIn(one)}`)
    const twice = sent.filter((one, at) => sent.indexOf(one) !== at)
    assert.deepEqual(twice, [], `${twice.length} of 120 deliveries were sent again`)
  })
})

describe('after a process was killed', () => {
  it('deliveries go on 5 s after it is started again, with an embedded database', { timeout: 300_000 }, async t => {
    const { receiver, run } = await openWorld(t)
    const data = freshDirectory(t)
    const first = await run(data)
    await newEndpoint(first.call, `${receiver.url}/all`)
    receiver.state.answer = () => {} // It hangs.
    for (let n = 0; n < 20; n++) await send(first.call, n)
    await eventually(
      () => receiver.received.length,
      count => count >= 8,
    )
    await kill(first.started)
    const before = receiver.received.length
    receiver.state.answer = response => void response.end('noted')
    await run(data)
    const upMs = performance.now()
    await eventually(
      () => receiver.received.length,
      count => count > before,
    )
    const ms = performance.now() - upMs
    t.diagnostic(`${Math.round(ms)} ms after it was up`)
    assert.ok(ms < 5_000, `${ms} ms after it was up`)
    // Deliveries in flight are sent again, the others for the first time.
    await eventually(
      () => new Set(receiver.received.slice(before).map(numberIn)).size,
      size => size === 20,
    )
  })

  it('another process takes over within 15 s', { timeout: 300_000 }, async t => {
    const external = await externalPostgres()
    if ('missing' in external) return t.skip(external.missing)
    t.after(external.stop)
    const shared = { DATABASE_URL: external.url, STOA_ROOT_KEY: Buffer.alloc(32, 7).toString('base64') }
    const { receiver, run } = await openWorld(t, shared)
    const data = freshDirectory(t)
    const first = await run(data)
    const { key } = firstRunOf(data).home
    await newEndpoint(first.call, `${receiver.url}/all`)
    receiver.state.answer = () => {} // It hangs.
    for (let n = 0; n < 20; n++) await send(first.call, n)
    await eventually(
      () => receiver.received.length,
      count => count >= 8,
    )
    // It starts when the endpoint is held by the other, and has run for longer than it must before it judges others.
    const second = await run(freshDirectory(t), key)
    await wait(6_000)
    const deadMs = await kill(first.started)
    const before = receiver.received.length
    receiver.state.answer = response => void response.end('noted')
    await eventually(
      () => receiver.received.length,
      count => count > before,
    )
    const ms = performance.now() - deadMs
    t.diagnostic(`${Math.round(ms)} ms after the kill`)
    assert.ok(ms < 15_000, `${ms} ms after the kill`)
    const { status } = await second.call('GET /v1/webhooks')
    assert.equal(status, 200)
  })
})
