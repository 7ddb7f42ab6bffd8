// What becomes of deliveries when too many wait for an endpoint, or for too long.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { eventually } from '../../../test/eventually.ts'
import { arrived, type Row, startWebhooks } from '../../../test/webhook-world.ts'

const settings = { STOA_WEBHOOKS_BACKLOG_MAX: 5, STOA_WEBHOOKS_AT_ONCE: 2, STOA_WEBHOOKS_BACKLOG_DAYS: 3 }
const { host, receiver, newEndpoint, answerWith } = await startWebhooks({ settings })

/** Requests that hang until they are released. */
function hang() {
  const waiting: (() => void)[] = []
  receiver.state.answer = response => void waiting.push(() => response.end())
  return () => {
    answerWith(200)
    for (const end of waiting.splice(0)) end()
  }
}

describe('the backlog of an endpoint that hangs', () => {
  it('is bounded: what is over it is one failed attempt, which can be sent again', async () => {
    const release = hang()
    const { rows, received, send, call, path, key } = await newEndpoint()
    for (let n = 0; n < 8; n++) await send('shop.order.created', { n })
    const over = await eventually(rows, all => all.length === 3)
    for (const { attempt, status, error, httpStatus, subject } of over) {
      assert.deepEqual([attempt, status, error, httpStatus], [1, 'failed', 'backlog', undefined])
      assert.equal(subject, 'shop.order.created')
    }
    await arrived(received, 2)
    release()
    await eventually(rows, all => all.filter(({ status }) => status === 'ok').length === 5)
    const sentTo = () => received().map(({ body }) => JSON.parse(body).data.properties.n as number)
    assert.deepEqual(sentTo().sort(), [0, 1, 2, 3, 4])
    assert.equal((await call('/resend', { since: '2020-01-01T00:00:00Z' })).body.count, 3)
    await arrived(received, 8)
    assert.deepEqual(sentTo().sort(), [0, 1, 2, 3, 4, 5, 6, 7])
    const { body } = await eventually(
      () => host.call(`GET ${path}`, { as: key }),
      ({ body: { deliveries7d } }) => deliveries7d === 11,
    )
    assert.equal(body.failures7d, 3)
    assert.ok(!host.emitted.some(({ type }) => type === 'webhook.endpoint.failing'))
  })

  it('is not that of another endpoint of the organisation', async () => {
    const release = hang()
    const { org, key, rows, send } = await newEndpoint()
    for (let n = 0; n < 6; n++) await send()
    await eventually(rows, all => all.length === 1)
    answerWith(200)
    const other = (await host.call('POST /v1/webhooks', { as: key, body: { url: `${receiver.url}/${org}-2` } })).body
    await send()
    const list = async (): Promise<Row[]> =>
      (await host.call(`GET /v1/webhooks/${other.id}/deliveries`, { as: key })).body.data
    await eventually(list, all => all.some(({ status }) => status === 'ok'))
    release()
  })

  it('is given up after some days', async () => {
    const release = hang()
    const { endpoint, rows, received, send } = await newEndpoint()
    for (let n = 0; n < 4; n++) await send()
    await arrived(received, 2)
    // One that is added after the clock was advanced is due then.
    const waiting = () => host.db`select from queue_jobs where key = ${endpoint.id}`
    await eventually(waiting, jobs => jobs.length === 4)
    host.clock.advance(3 * 86_400_000 + 60_000)
    const given = (all: Row[]) => all.filter(({ error }) => error === 'backlog')
    const expired = given(await eventually(rows, all => given(all).length === 2))
    assert.deepEqual([...new Set(expired.map(({ status, attempt }) => `${status} ${attempt}`))], ['failed 1'])
    release()
    const isOver = ({ status }: Row) => status !== 'retrying'
    await eventually(
      () => {
        host.clock.advance(1_000)
        return rows()
      },
      all => all.filter(isOver).length === 4,
    )
  })
})

describe('a retry behind a backlog', () => {
  it('comes after its pause, before what waits longer', async () => {
    const order: number[] = []
    const hanging: (() => void)[] = []
    const { org, rows, send } = await newEndpoint()
    receiver.state.answer = async (response, { body, path }) => {
      if (path !== `/${org}`) return void response.end()
      const { n } = JSON.parse(body).data.properties
      order.push(n)
      if (n === 0) response.writeHead(order.length === 1 ? 500 : 200).end()
      else hanging.push(() => response.end())
    }
    const sent = (count: number) =>
      eventually(
        () => order,
        ({ length }) => length >= count,
      )
    for (let n = 0; n < 5; n++) await send('shop.order.created', { n })
    await eventually(rows, all => all.some(({ status }) => status === 'retrying'))
    await sent(3)
    host.clock.advance(1_000)
    for (let n = 1; n < 5; n++) {
      await eventually(
        () => hanging,
        ({ length }) => length > 0,
      )
      hanging.shift()?.()
      await sent(Math.min(6, 3 + n))
    }
    await eventually(rows, all => all.filter(({ status }) => status === 'ok').length === 5)
    // One of the others may begin while the retry is loaded.
    assert.ok(order.lastIndexOf(0) <= 4, `the order was ${order}`)
  })
})
