// What becomes of deliveries while endpoints change, hang, or its process is gone.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { eventually } from '../../../../test/eventually.ts'
import { startHost } from '../../../../test/host.ts'
import type { Delivered } from '../../../../test/webhook-receiver.ts'
import { arrived, deliveryIn, ended, type Row, startWebhooks } from '../../../../test/webhook-world.ts'
import { systemRandom } from '../../../engines/random/random.ts'
import { lowestUuid, newUuid, uuidOf } from '../../../kit/uuid.ts'
import { lockEndpoints } from './store.ts'

/** URLs for which there is no file descriptor. */
const short = new Set<string>()
const { host, receiver, newEndpoint, answerWith } = await startWebhooks({
  settings: { STOA_WEBHOOKS_AT_ONCE: '2' },
  isShort: url => short.has(url),
})
const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))

describe('between two attempts', () => {
  it('an endpoint that is disabled gets no other', async () => {
    const { path, key, received, rows, send } = await newEndpoint()
    answerWith(500)
    await send()
    await ended(rows, 'retrying')
    await host.call(`PATCH ${path}`, { as: key, body: { status: 'disabled' } })
    host.clock.advance(1_000)
    const [row] = (await ended(rows, 'failed')) as [Row]
    assert.deepEqual([row.attempt, row.error], [2, 'The endpoint was disabled.'])
    assert.equal(received().length, 1)
  })

  it('an endpoint that is deleted gets no other', async () => {
    const { path, key, received, rows, send } = await newEndpoint()
    answerWith(500)
    await send()
    await ended(rows, 'retrying')
    assert.equal((await host.call(`DELETE ${path}`, { as: key })).status, 204)
    host.clock.advance(10_000)
    const other = await newEndpoint()
    answerWith(200)
    await other.send()
    await arrived(other.received, 1)
    assert.equal(received().length, 1)
  })

  it('the new URL of an endpoint is used', async () => {
    const { path, key, org, rows, send } = await newEndpoint()
    answerWith(500)
    await send()
    await ended(rows, 'retrying')
    await host.call(`PATCH ${path}`, { as: key, body: { url: `${receiver.url}/moved-${org}` } })
    answerWith(200)
    host.clock.advance(1_000)
    await ended(rows, 'ok')
    assert.equal(receiver.received.filter(one => one.path === `/moved-${org}`).length, 1)
  })
})

describe('an endpoint that hangs', () => {
  it('has as many attempts at once as the setting says, and delays no other', async () => {
    const [slow, other] = [await newEndpoint(), await newEndpoint()]
    const waiting: (() => void)[] = []
    receiver.state.answer = (response, { path }) => {
      if (path === `/${slow.org}`) waiting.push(() => response.end())
      else response.end()
    }
    for (let count = 0; count < 5; count++) await slow.send()
    await arrived(slow.received, 2)
    for (let count = 0; count < 20; count++) await other.send()
    await arrived(other.received, 20)
    assert.equal(slow.received().length, 2)
    waiting.shift()?.()
    await arrived(slow.received, 3)
    assert.equal(slow.received().length, 3)
    while (slow.received().length < 5 || waiting.length > 0) {
      waiting.shift()?.()
      await pause(2)
    }
    await eventually(slow.rows, rows => rows.filter(({ status }) => status === 'ok').length === 5)
  })

  it('gets what is new, and what is tried again, while one attempt hangs', async () => {
    const { rows, send, received } = await newEndpoint()
    let release = () => {}
    receiver.state.answer = response => {
      release = () => response.end()
    }
    await send('shop.hangs')
    await arrived(received, 1)
    answerWith(500)
    await send('shop.fails')
    await ended(rows, 'retrying')
    answerWith(200)
    host.clock.advance(1_000)
    await ended(rows, 'ok')
    assert.equal(received().length, 3)
    release()
    await eventually(rows, all => all.some(({ subject }) => subject === 'shop.hangs'))
  })
})

describe('the id of a delivery', () => {
  it('depends on the event and the endpoint alone, so that a restored host sends the same', async () => {
    answerWith(200)
    const { endpoint, received, rows, send, call } = await newEndpoint()
    await send()
    await arrived(received, 1)
    const [first] = received() as [Delivered]
    const { id, time } = JSON.parse(first.body)
    assert.equal(deliveryIn(first), uuidOf(`${id} ${endpoint.id}`, new Date(time)))
    await ended(rows, 'ok')
    const resent = (await call(`/deliveries/${deliveryIn(first)}/resend`)).body.delivery
    await arrived(received, 2)
    const tested = (await call('/test')).body.delivery
    await arrived(received, 3)
    assert.deepEqual(received().map(deliveryIn), [deliveryIn(first), resent, tested])
    assert.equal(new Set([deliveryIn(first), resent, tested]).size, 3)
  })

  it('has the time of its creation if the event is old, so that the delivery is kept as long as others', async () => {
    answerWith(200)
    const { key, received } = await newEndpoint({ events: ['event.>'] })
    const before = host.clock.now()
    const timestamp = new Date(before.getTime() - 40 * 86_400_000).toISOString()
    await host.call('POST /v1/event', { as: key, body: { event: 'imported', timestamp } })
    await arrived(received, 1)
    const [first] = received() as [Delivered]
    assert.equal(JSON.parse(first.body).time, timestamp)
    assert.ok(String(deliveryIn(first)) >= lowestUuid(before))
  })
})

describe('an endpoint whose process is gone', () => {
  it('is taken over when it was not renewed, and attempts without outcome are closed', async () => {
    const { org, endpoint, rows, received } = await newEndpoint()
    answerWith(200)
    const [delivery, event] = [newUuid(systemRandom, host.clock.now()), newUuid(systemRandom, host.clock.now())]
    const started = host.clock.now().toISOString()
    await host.db`insert into webhook_events (id, org, subject, body) values (${event}, ${org}, 'shop.order', '{}')`
    await host.db`insert into queue_jobs (id, queue, key, rank, due, attempts, attempts_max, started, payload)
      values (${delivery}, 'webhooks.deliveries', ${endpoint.id}, 1, ${started}, 1, 3, ${started},
        ${JSON.stringify({ event, resendOf: null })})`
    await host.db`insert into queue_keys (queue, key, org, waiting, holder)
      values ('webhooks.deliveries', ${endpoint.id}, ${org}, 1, 'gone')`
    await pause(50)
    assert.equal(received().length, 0)
    await host.db`insert into queue_holders values ('gone', clock_timestamp())`
    const [last, first] = (await eventually(rows, all => all[0]?.status === 'ok')) as [Row, Row]
    assert.deepEqual(
      [first.status, first.error],
      ['retrying', 'It was interrupted; it is not known whether it arrived.'],
    )
    assert.deepEqual([last.attempt, last.delivery, first.subject], [2, first.delivery, 'shop.order'])
    assert.deepEqual(received().map(deliveryIn), [delivery])
  })
})

describe('a process without file descriptors', () => {
  it('makes its attempts again, and does not blame the endpoint', async () => {
    answerWith(200)
    const { endpoint, rows, send } = await newEndpoint()
    short.add(endpoint.url)
    for (let count = 0; count < 5; count++) await send()
    const postponed = () => host.db`select from queue_jobs
      where key = ${endpoint.id} and started is null and due > ${host.clock.now().toISOString()}`
    await eventually(postponed, all => all.length === 5)
    assert.deepEqual(await rows(), [])
    short.clear()
    const all = await eventually(
      async () => {
        host.clock.advance(5_000)
        await pause(20)
        return rows()
      },
      list => list.filter(({ status }) => status === 'ok').length === 5,
    )
    assert.deepEqual([...new Set(all.map(({ attempt }) => attempt))], [1])
    assert.equal(all.length, 5)
  })
})

describe('attempts', () => {
  it('are counted in the metrics by endpoint', async () => {
    const { org, endpoint, rows, send } = await newEndpoint()
    answerWith(500)
    await send()
    await ended(rows, 'retrying')
    answerWith(200)
    host.clock.advance(1_000)
    await ended(rows, 'ok')
    const text = await (await fetch(`http://127.0.0.1:${host.metricsPort}/metrics`)).text()
    for (const outcome of ['ok', 'failed']) {
      const labels = `{org="${org}",webhook="${endpoint.id}",outcome="${outcome}"}`
      assert.ok(text.includes(`stoa_webhook_attempts_total${labels} 1\n`))
    }
    assert.match(text, new RegExp(`stoa_webhook_seconds_total{org="${org}",webhook="${endpoint.id}"} \\d`))
  })
})

describe('an hour without success', () => {
  it('is reported to the organisation once, until a delivery succeeds', async () => {
    const { org, endpoint, rows, send } = await newEndpoint()
    const told = () => host.emitted.filter(one => one.type === 'webhook.endpoint.failing' && one.tenant === org)
    const fail = async () => {
      const before = (await rows()).length
      await send()
      for (const ms of [1_000, 5_000]) {
        await eventually(rows, all => all.length > before && all[0]?.status === 'retrying')
        const seen = (await rows()).length
        host.clock.advance(ms)
        await eventually(rows, all => all.length > seen)
      }
    }
    answerWith(500)
    await fail()
    assert.equal(told().length, 0)
    host.clock.advance(3_600_000)
    await fail()
    await eventually(told, all => all.length === 1)
    const { id, url, since } = (told()[0]?.data ?? {}) as Record<string, string>
    assert.deepEqual([id, url], [endpoint.id, endpoint.url])
    assert.ok(Date.parse(since as string) > 0)
    await fail()
    assert.equal(told().length, 1)
    answerWith(200)
    await send()
    await ended(rows, 'ok')
    answerWith(500)
    await fail()
    assert.equal(told().length, 1, 'the hour begins again')
  })
})

describe('an endpoint that is deleted while an event for it is consumed', () => {
  it('gets no delivery, and another one does', async () => {
    const [{ endpoint }, other] = [await newEndpoint(), await newEndpoint()]
    const isWaiting = () => host.db`select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%for key share%'`
    // The bus tells an event only when all earlier transactions have ended; the consumer is the second one here.
    const { consuming } = await host.db.transaction(async tx => {
      await tx`delete from webhooks where id = ${endpoint.id}`
      const second = host.db.transaction(tx2 => lockEndpoints(tx2, [endpoint.id, other.endpoint.id]))
      await eventually(isWaiting, rows => rows.length === 1)
      return { consuming: second }
    })
    assert.deepEqual([...(await consuming).keys()], [other.endpoint.id])
  })
})

describe('endpoints that fail now and then, and are deleted', () => {
  it('make no transactions wait for each other', async () => {
    const { org, key, send } = await newEndpoint()
    let count = 0
    receiver.state.answer = response => void response.writeHead(++count % 3 === 0 ? 500 : 200).end()
    const url = `${receiver.url}/${org}`
    const ids: string[] = []
    for (let n = 0; n < 30; n++) {
      ids.push((await host.call('POST /v1/webhooks', { as: key, body: { url, events: ['shop.>'] } })).body.id)
    }
    const deadlocks = async () =>
      (
        await host.db<{ deadlocks: number }>`select deadlocks from pg_stat_database
        where datname = current_database()`
      )[0]?.deadlocks
    const before = await deadlocks()
    for (let n = 0; n < 60; n++) {
      await send()
      if (n % 2 === 0) assert.equal((await host.call(`DELETE /v1/webhooks/${ids.pop()}`, { as: key })).status, 204)
      host.clock.advance(200)
    }
    await eventually(
      async () => {
        host.clock.advance(1_000)
        await pause(20)
        return host.db`select from queue_jobs as p join webhooks as w on w.id = p.key where w.org = ${org}`
      },
      left => left.length === 0,
    )
    assert.equal(await deadlocks(), before)
    assert.deepEqual(host.warnings, [])
  })
})

describe('deliveries that are sent again while others end', () => {
  it('make no transactions wait for each other', async () => {
    answerWith(500)
    const { key, path, rows, send } = await newEndpoint()
    for (let n = 0; n < 4; n++) await send()
    await eventually(
      async () => {
        host.clock.advance(2_000)
        await pause(20)
        return rows()
      },
      all => all.filter(({ status }) => status === 'failed').length === 4,
    )
    answerWith(200)
    const failed = (await rows()).filter(({ status }) => status === 'failed').map(({ delivery }) => delivery)
    const deadlocks = async () =>
      (
        await host.db<{ deadlocks: number }>`select deadlocks from pg_stat_database where datname = current_database()`
      )[0]?.deadlocks
    const before = await deadlocks()
    const resend = async (delivery: string) => {
      for (let n = 0; n < 40; n++) {
        const { status } = await host.call(`POST ${path}/deliveries/${delivery}/resend`, { as: key })
        assert.ok(status === 202 || status === 409, String(status))
      }
    }
    await Promise.all([...failed, ...failed].map(resend))
    assert.equal(await deadlocks(), before)
  })
})

describe('an organisation with many endpoints', () => {
  it('gets all deliveries of many events, in transactions that end soon, while others get theirs', async () => {
    answerWith(200)
    const { org, key, endpoint } = await newEndpoint({ events: ['none.such'] })
    await host.db`insert into webhooks (id, org, url, events, description, status, secret, created, updated)
      select id || n, org, url, '{shop.>}', description, status, secret, created, updated
      from webhooks, generate_series(1, 900) as n where id = ${endpoint.id}`
    await host.db.script(`create table inserted (tx text, count integer);
      create function note_inserted() returns trigger language plpgsql as $$
      begin insert into inserted select pg_current_xact_id(), count(*) from fresh where key like '${endpoint.id}%'; return null; end $$;
      create trigger note after insert on queue_jobs referencing new table as fresh
        for each statement execute function note_inserted()`)
    const batch = Array.from({ length: 10 }, (_, n) => ({
      ...{ event: 'order', subject: 'shop.order.created', properties: { n } },
    }))
    assert.equal((await host.call('POST /v1/event', { as: key, body: { batch } })).body.accepted, 10)
    const other = await newEndpoint()
    await other.send()
    await arrived(other.received, 1)
    const counts = async () =>
      (await host.db<{ count: number }>`select sum(count)::int as count from inserted group by tx`).map(
        one => one.count,
      )
    await eventually(counts, all => all.reduce((sum, count) => sum + count, 0) >= 9_000)
    // A transaction may have deliveries of other organisations besides.
    assert.ok(Math.max(...(await counts())) <= 1_000, `${await counts()} deliveries in transactions`)
    await host.db.script('drop trigger note on queue_jobs; drop function note_inserted; drop table inserted')
    await host.db`delete from webhooks where org = ${org}`
    assert.equal((await host.call('GET /v1/webhooks', { as: key })).body.data.length, 0)
  })
})

describe('while the log cannot be read', () => {
  it('endpoints can be managed, and afterwards nothing is missing or sent twice', async t => {
    answerWith(200)
    const { org, key, path, received, send, call } = await newEndpoint()
    const broken = await startHost({ beside: host, runsBackground: false }, t)
    // Whoever reads the log fails for ten minutes of the clock.
    await host.db.script('alter table consumer_positions rename to positions_gone')
    for (let minute = 0; minute < 10; minute++) {
      assert.equal((await send('shop.order.created', { minute })).status, 200)
      host.clock.advance(60_000)
      await pause(10)
    }
    assert.equal((await broken.call('GET /v1/webhooks', { as: key })).status, 200)
    assert.equal((await host.call(`PATCH ${path}`, { as: key, body: { description: 'still' } })).status, 200)
    assert.equal((await call('/secret')).status, 200)
    const made = await host.call('POST /v1/webhooks', { as: key, body: { url: `${receiver.url}/${org}-second` } })
    assert.equal(made.status, 201)
    assert.equal((await call('/test')).body.delivered, true)
    assert.equal(received().length, 1)
    await host.db.script('alter table positions_gone rename to consumer_positions')
    const all = await eventually(
      () => {
        host.clock.advance(1_000)
        return received()
      },
      list => list.length >= 11,
    )
    await pause(200)
    assert.equal(received().length, 11)
    const minutes = all.slice(1).map(({ body }) => JSON.parse(body).data.properties?.minute)
    assert.equal(new Set(minutes).size, 10)
    host.warnings.length = 0
  })
})
