// Kills one of two processes on one database, again and again, while both accept and deliver events: every acknowledged
// event has one ended delivery with at most one success, and no counter of the queue drifts.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { openPostgres } from '../../src/engines/db/postgres.ts'
import { seededRandom, systemRandom } from '../../src/engines/random/random.ts'
import { eventually } from '../eventually.ts'
import { externalPostgres } from '../external.ts'
import { client, firstRunOf, freshDirectory, start, up } from '../process.ts'
import { startReceiver } from '../webhook-receiver.ts'
import { rounds } from './rounds.ts'

const KILLS = 10
const KILLS_LEAST = 4
const seed = process.env.STOA_CRASH_SEED ?? systemRandom.token(8)
const random = seededRandom(seed)
const below = (bound: number) => random.bytes(4).readUInt32LE() % bound

describe(`kill -9 of one of two processes (repeat with STOA_CRASH_SEED=${seed})`, () => {
  it('loses no delivery, and records at most one success', { timeout: 900_000 }, async t => {
    const external = await externalPostgres()
    if ('missing' in external) return t.skip(external.missing)
    t.after(external.stop)
    const receiver = await startReceiver({ keepAliveTimeout: 600_000 })
    t.after(receiver.close)
    receiver.state.answer = (response, { headers }) => {
      receiver.received.length = 0
      const isRefused = String(headers['x-webhook-delivery']).endsWith('0')
      void wait(below(60)).then(() => response.writeHead(isRefused ? 500 : 200).end())
    }
    const settings = {
      ...{ DATABASE_URL: external.url, STOA_ROOT_KEY: Buffer.alloc(32, 7).toString('base64') },
      ...{ STOA_OUTBOUND_ALLOW: '127.0.0.1', STOA_OUTBOUND_CA: join(process.env.STOA_TEST_TLS as string, 'ca.pem') },
      ...{ STOA_EVENTS_PER_CLIENT: '999999', STOA_EVENTS_PER_PEER: '999999' },
    }
    const directories = [freshDirectory(t), freshDirectory(t)] as const
    let key = ''
    const run = async (at: 0 | 1) => {
      const started = start({ ...settings, STOA_DATA: directories[at] })
      const baseUrl = await up(started)
      key ||= firstRunOf(directories[at]).home.key
      return { started, ...client(directories[at], baseUrl, key) }
    }
    const running = [await run(0), await run(1)] as [Awaited<ReturnType<typeof run>>, Awaited<ReturnType<typeof run>>]
    for (let n = 0; n < 4; n++) {
      const { status } = await running[0].call('POST /v1/webhooks', { url: `${receiver.url}/${n}`, events: ['shop.>'] })
      assert.equal(status, 201)
    }
    const acknowledged = new Set<number>()
    const over = { isOver: false }
    let sent = 0
    const send = async (at: 0 | 1) => {
      while (!over.isOver) {
        const n = sent++
        const body = { event: 'order', subject: 'shop.order.created', properties: { n } }
        const answer = await running[at].call('POST /v1/event', body).catch(() => null) // It was killed.
        if (answer?.status === 200) acknowledged.add(n)
        await wait(below(40))
      }
    }
    const sending = [send(0), send(0), send(1), send(1)]
    let kills = 0
    for (const round of rounds(KILLS, KILLS_LEAST)) {
      await wait(500 + below(1_500))
      const at = (round % 2) as 0 | 1
      running[at].started.child.kill('SIGKILL')
      await running[at].started.ended
      await running[at].close()
      running[at] = await run(at)
      kills++
    }
    over.isOver = true
    await Promise.all(sending)

    const db = openPostgres({ at: { url: external.url }, connectionsMax: 1, queueMax: 10 })
    t.after(db.close)
    const left = async () =>
      (
        await db<{ count: number }>`select (select count(*) from queue_jobs where queue = 'webhooks.deliveries') +
        (select count(*) from consumer_waiting) as count`
      )[0]?.count
    await eventually(left, count => count === 0)
    const read = () => db<{ n: number; deliveries: number; ok: number; over: number }>`
      select (e.body::json -> 'data' -> 'properties' ->> 'n')::int as n, count(distinct a.delivery) as deliveries,
        count(*) filter (where a.status = 'ok') as ok, count(*) filter (where a.status <> 'retrying') as over
      from webhook_events as e join webhook_attempts as a on a.event = e.id group by e.id, 1`
    const rows = await eventually(read, found => [...acknowledged].every(n => found.some(one => one.n === n)))
    for (const { n, deliveries, ok, over: ended } of rows) {
      assert.deepEqual([deliveries, ended], [4, 4], `event ${n}`)
      assert.ok(ok <= 4, `event ${n}`)
    }
    assert.equal(new Set(rows.map(({ n }) => n)).size, rows.length, 'an event has two deliveries to an endpoint')
    const drifted = await db`select from queue_keys where waiting <> 0`
    assert.equal(drifted.length, 0)
    for (const { close } of running) await close()
    t.diagnostic(`${kills} kills, ${acknowledged.size} of ${sent} events acknowledged, ${rows.length} delivered`)
  })
})
