// Deliveries, from the bus to an endpoint on this machine and its log.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { describe, it } from 'node:test'
import { Webhook } from 'standardwebhooks'
import Stripe from 'stripe'
import { verifyWebhook } from '../../../client/stoa.ts'
import { eventually } from '../../../test/eventually.ts'
import type { Delivered } from '../../../test/webhook-receiver.ts'
import { arrived, deliveryIn, ended, type Row, secondsIn, startWebhooks } from '../../../test/webhook-world.ts'

const { host, receiver, newEndpoint, answerWith } = await startWebhooks()

describe('an event', () => {
  it('is delivered as it is on the bus, signed in both formats', async () => {
    const { endpoint, org, received, send, rows } = await newEndpoint()
    answerWith(202, 'taken')
    await send('shop.order.created', { text: 'Grüße \u2028', big: 1e21, list: [] })
    const [delivered] = (await arrived(received, 1)) as [Delivered]
    const { headers, body } = delivered
    const published = host.emitted.find(one => one.tenant === org && one.type === 'shop.order.created')
    assert.equal(body, JSON.stringify(published))
    assert.equal(headers['x-webhook-event'], 'shop.order.created')
    const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
    assert.match(String(deliveryIn(delivered)), uuid)
    const { secret } = endpoint
    const signature = createHmac('sha256', secret)
      .update(`${secondsIn(delivered)}.${body}`)
      .digest('hex')
    assert.equal(headers['x-webhook-signature'], `t=${secondsIn(delivered)},v1=${signature}`)
    const texts = headers as Record<string, string>
    assert.deepEqual(new Webhook(secret).verify(body, texts), published)
    const stripe = new Stripe('sk_test')
    const constructed: unknown = stripe.webhooks.constructEvent(body, String(headers['x-webhook-signature']), secret)
    assert.deepEqual(constructed, published)
    assert.deepEqual(await verifyWebhook({ payload: body, headers: texts, secret }), published)
    const [row] = (await ended(rows, 'ok')) as [Row]
    const { id, durationMs, created } = row
    const about = { id, delivery: deliveryIn(delivered), subject: 'shop.order.created', durationMs, created }
    assert.deepEqual(row, { ...about, attempt: 1, status: 'ok', httpStatus: 202, response: 'taken' })
  })

  it('reaches active endpoints of its organisation that want it, and no others', async () => {
    answerWith(200)
    const [wanting, other, foreign, disabled, all] = [
      await newEndpoint(),
      await newEndpoint({ events: ['shop.refund.>', 'shop.*'] }),
      await newEndpoint(),
      await newEndpoint(),
      await newEndpoint({ events: [] }),
    ]
    await host.call(`PATCH ${disabled.path}`, { as: disabled.key, body: { status: 'disabled' } })
    for (const one of [wanting, other, disabled, all]) await one.send('shop.order.created', { tenant: foreign.org })
    await arrived(wanting.received, 1)
    await eventually(all.received, list => list.some(one => one.headers['x-webhook-event'] === 'shop.order.created'))
    for (const one of [other, disabled]) {
      await one.send('shop.last')
      assert.deepEqual(
        one === other ? (await arrived(one.received, 1)).length : one.received().length,
        one === other ? 1 : 0,
      )
    }
    assert.equal(foreign.received().length, 0)
  })
})

describe('a delivery that fails', () => {
  it('is tried three times, 1 s and 5 s apart, with a fresh signature and the same id', async () => {
    const { received, send, rows, path, key } = await newEndpoint()
    answerWith(503, 'busy')
    await send()
    await arrived(received, 1)
    await ended(rows, 'retrying')
    host.clock.advance(900)
    await new Promise(resolve => setTimeout(resolve, 50))
    assert.equal(received().length, 1, 'too early')
    host.clock.advance(100)
    await arrived(received, 2)
    await eventually(rows, all => all.length === 2)
    host.clock.advance(5_000)
    const all = await arrived(received, 3)
    const listed = await ended(rows, 'failed')
    assert.equal(new Set(all.map(deliveryIn)).size, 1)
    assert.ok(secondsIn(all[2] as Delivered) >= secondsIn(all[0] as Delivered) + 6)
    assert.deepEqual(
      listed.map(({ attempt, status, httpStatus, error, response }) => [attempt, status, httpStatus, error, response]),
      [
        [3, 'failed', 503, 'It answered 503.', 'busy'],
        [2, 'retrying', 503, 'It answered 503.', 'busy'],
        [1, 'retrying', 503, 'It answered 503.', 'busy'],
      ],
    )
    host.clock.advance(60_000)
    await new Promise(resolve => setTimeout(resolve, 100))
    assert.equal(received().length, 3)
    const { deliveries7d, failures7d } = (await host.call(`GET ${path}`, { as: key })).body
    assert.deepEqual([deliveries7d, failures7d], [1, 1])
  })

  it('succeeds at most once', async () => {
    const { received, send, rows } = await newEndpoint()
    answerWith(500)
    await send()
    await ended(rows, 'retrying')
    answerWith(200)
    host.clock.advance(1_000)
    await ended(rows, 'ok')
    host.clock.advance(60_000)
    await new Promise(resolve => setTimeout(resolve, 100))
    assert.equal(received().length, 2)
  })
})

describe('a rotation', () => {
  it('signs the next attempt with the new secret, and with both during an overlap', async () => {
    const { endpoint, received, send, rows, call } = await newEndpoint()
    answerWith(500)
    await send()
    await ended(rows, 'retrying')
    const next = (await call('/secret')).body.secret
    host.clock.advance(1_000)
    const [, second] = (await arrived(received, 2)) as [Delivered, Delivered]
    const verify = ({ body, headers }: Delivered, secret: string) =>
      new Webhook(secret).verify(body, headers as Record<string, string>)
    assert.ok(verify(second, next))
    assert.throws(() => verify(second, endpoint.secret))
    await eventually(rows, all => all.length === 2)
    const last = (await call('/secret', { overlap: 60 })).body.secret
    host.clock.advance(5_000)
    const third = (await arrived(received, 3))[2] as Delivered
    for (const secret of [next, last]) assert.ok(verify(third, secret))
    assert.equal(String(third.headers['x-webhook-signature']).match(/v1=/g)?.length, 2)
    answerWith(200)
    host.clock.advance(61_000)
    await send()
    const after = (await arrived(received, 4))[3] as Delivered
    assert.ok(String(after.headers['x-webhook-signature']).match(/v1=/g)?.length === 1)
  })
})

describe('a test delivery', () => {
  it('is sent once, signed and logged, also to a disabled endpoint', async () => {
    const { endpoint, received, rows, path, key, call } = await newEndpoint()
    await host.call(`PATCH ${path}`, { as: key, body: { status: 'disabled' } })
    answerWith(200, 'hello')
    const { status, body } = await call('/test')
    const { delivery, delivered, httpStatus } = body
    assert.deepEqual([status, delivered, httpStatus], [200, true, 200])
    const [one] = received() as [Delivered]
    assert.deepEqual([deliveryIn(one), one.headers['x-webhook-event']], [delivery, 'webhook.test'])
    assert.ok(new Webhook(endpoint.secret).verify(one.body, one.headers as Record<string, string>))
    const [row] = (await rows()) as [Row]
    assert.deepEqual([row.delivery, row.subject, row.status, row.response], [delivery, 'webhook.test', 'ok', 'hello'])
    answerWith(500)
    const failed = (await call('/test')).body
    assert.deepEqual([failed.delivered, failed.error], [false, 'It answered 500.'])
    assert.equal((await rows())[0]?.status, 'failed')
    host.clock.advance(120_000)
    await new Promise(resolve => setTimeout(resolve, 100))
    assert.equal(received().length, 2)
  })
})

describe('test deliveries', () => {
  it('are two at once for an endpoint', async () => {
    const { call, received } = await newEndpoint()
    const waiting: (() => void)[] = []
    receiver.state.answer = response => void waiting.push(() => response.end())
    const running = [call('/test'), call('/test')]
    await arrived(received, 2)
    const refused = await call('/test')
    assert.deepEqual([refused.status, refused.body.error.code], [429, 'too_many_tries'])
    assert.ok(refused.headers['retry-after'])
    for (const end of waiting) end()
    for (const { body } of await Promise.all(running)) assert.equal(body.delivered, true)
    answerWith(200)
    assert.equal((await call('/test')).status, 200)
  })
})

describe('sending again', () => {
  const failing = async () => {
    const one = await newEndpoint()
    answerWith(500)
    await one.send()
    for (const ms of [1_000, 5_000, 0]) {
      await eventually(one.rows, all => all.length === (ms === 1_000 ? 1 : ms === 5_000 ? 2 : 3))
      host.clock.advance(ms)
    }
    answerWith(200)
    return one
  }

  it('makes a delivery with an id of its own and the same body', async () => {
    const { received, rows, call } = await failing()
    const [{ delivery }] = (await rows()) as [Row]
    const { status, body } = await call(`/deliveries/${delivery}/resend`)
    assert.equal(status, 202)
    assert.notEqual(body.delivery, delivery)
    const all = await arrived(received, 4)
    assert.deepEqual([all[3]?.body, deliveryIn(all[3] as Delivered)], [all[0]?.body, body.delivery])
    const [row] = (await ended(rows, 'ok')) as [Row]
    assert.deepEqual([row.delivery, row.resendOf], [body.delivery, delivery])
    const unknown = '019a2f5e-7c1b-7d3e-9a64-2b8c1f0e5d47'
    assert.equal((await call(`/deliveries/${unknown}/resend`)).status, 404)
    const foreign = await newEndpoint()
    assert.equal((await foreign.call(`/deliveries/${delivery}/resend`)).status, 404)
  })

  it('waits until a delivery has ended', async () => {
    const { rows, send, call } = await newEndpoint()
    answerWith(500)
    await send()
    const [row] = (await ended(rows, 'retrying')) as [Row]
    const { status, body } = await call(`/deliveries/${row.delivery}/resend`)
    assert.deepEqual([status, body.error.code], [409, 'conflict'])
    assert.match(body.error.message, /has not ended/)
    answerWith(200)
    host.clock.advance(1_000)
    await ended(rows, 'ok')
    assert.equal((await call(`/deliveries/${row.delivery}/resend`)).status, 202)
  })

  it('of all that failed since a time leaves out what was sent again', async () => {
    const { received, rows, call, path, key } = await failing()
    const since = '2020-01-01T00:00:00Z'
    assert.deepEqual((await call('/resend', { since: '2999-01-01T00:00:00Z' })).body, { count: 0 })
    assert.deepEqual((await call('/resend', { since })).body, { count: 1 })
    await arrived(received, 4)
    await ended(rows, 'ok')
    assert.deepEqual((await call('/resend', { since })).body, { count: 0 })
    await host.call(`PATCH ${path}`, { as: key, body: { status: 'disabled' } })
    assert.equal((await call('/resend', { since })).status, 409)
    assert.equal((await call(`/deliveries/${(await rows())[0]?.delivery}/resend`)).status, 409)
  })
})

describe('the log of deliveries', () => {
  it('is filtered by status, subject and time, and paged', async () => {
    const { received, rows, send, path, key } = await newEndpoint()
    answerWith(200)
    for (const subject of ['shop.a', 'shop.b', 'shop.a', 'shop.c']) await send(subject)
    await arrived(received, 4)
    const all = await eventually(rows, list => list.length === 4)
    assert.equal((await rows('?subject=shop.a')).length, 2)
    assert.equal((await rows('?status=ok')).length, 4)
    assert.equal((await rows('?status=failed')).length, 0)
    assert.equal((await rows('?since=2999-01-01T00:00:00Z')).length, 0)
    for (const offset of ['+16:00', '-16:00', '+23:59', '-19:30']) {
      const at = encodeURIComponent(`2026-01-01T00:00:00${offset}`)
      const { status, text } = await host.call(`GET ${path}/deliveries?since=${at}`, { as: key })
      assert.equal(status, 400, `${offset}: ${text}`)
    }
    assert.ok((await rows(`?since=${encodeURIComponent('2020-01-01T00:00:00+15:59')}`)).length > 0)
    assert.equal((await rows('?until=2999-01-01T00:00:00Z')).length, 4)
    const ids: string[] = []
    for (let after = ''; ids.length < 4; ) {
      const { data, next } = (await host.call(`GET ${path}/deliveries?limit=1&after=${after}`, { as: key })).body
      ids.push(...data.map(({ id }: Row) => id))
      after = next
    }
    assert.deepEqual(
      ids,
      all.map(({ id }) => id),
    )
  })

  it('has each attempt once on its pages while others are added', async () => {
    const { received, rows, send, path, key } = await newEndpoint()
    answerWith(200)
    for (let count = 0; count < 6; count++) await send()
    await arrived(received, 6)
    const before = (await eventually(rows, list => list.length === 6)).map(({ id }) => id)
    const seen: string[] = []
    for (let after = ''; seen.length === 0 || after !== ''; ) {
      const { data, next } = (await host.call(`GET ${path}/deliveries?limit=2&after=${after}`, { as: key })).body
      seen.push(...data.map(({ id }: Row) => id))
      after = next
      const count = received().length
      await send()
      await eventually(rows, list => list.length === count + 1)
    }
    assert.deepEqual(seen, before)
  })

  it('refuses cursors that it did not make', async () => {
    const { path, key } = await newEndpoint()
    const forged = (id: string) => Buffer.from(`2026-11-15T09:00:00.000Z ${id}`).toString('base64url')
    for (const after of ['x', forged('att_1'), forged(`att_${'f'.repeat(32)}_99`), forged(`att_${'g'.repeat(32)}_1`)]) {
      const { status, body } = await host.call(`GET ${path}/deliveries?after=${after}`, { as: key })
      assert.deepEqual([status, body.error.param], [400, 'after'])
    }
  })
})

describe('one delivery', () => {
  it('is shown with what was sent and what was answered, to admins', async () => {
    const { received, send, rows, path, key, org } = await newEndpoint()
    answerWith(500, `${'no'.repeat(600)}`)
    await send()
    await ended(rows, 'retrying')
    answerWith(200, 'thanks')
    host.clock.advance(1_000)
    const [{ delivery }] = (await ended(rows, 'ok')) as [Row]
    const { status, body } = await host.call(`GET ${path}/deliveries/${delivery}`, { as: key })
    assert.deepEqual([status, body.delivery, body.subject], [200, delivery, 'shop.order.created'])
    assert.equal(body.body, received()[1]?.body)
    assert.deepEqual(
      body.attempts.map(({ attempt, status, response }: Row) => [attempt, status, response?.length]),
      [
        [1, 'retrying', 1_000],
        [2, 'ok', 6],
      ],
    )
    const { key: member } = await host.member(org, 'member')
    assert.equal((await host.call(`GET ${path}/deliveries/${delivery}`, { as: member })).status, 403)
    for (const other of ['019a2f5e-7c1b-7d3e-9a64-2b8c1f0e5d47', 'x']) {
      assert.equal((await host.call(`GET ${path}/deliveries/${other}`, { as: key })).status, 404)
    }
    const { path: elsewhere } = await newEndpoint()
    assert.equal((await host.call(`GET ${elsewhere}/deliveries/${delivery}`, { as: key })).status, 404)
  })
})
