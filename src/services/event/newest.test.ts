import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startHost } from '../../../test/host.ts'
import { catchUp } from '../../../test/warehouse.ts'
import { EngineUnavailable } from '../../engines/engines.ts'

const host = await startHost()

type Shown = { id: string; event: string; properties: object; propertiesOmitted?: number; received: string }
const send = async (as: string, body: unknown) => {
  const answer = await host.call('POST /v1/event', { as, body })
  await catchUp(host)
  return answer
}

async function allPages(as: string, limit: number): Promise<Shown[]> {
  const all: Shown[] = []
  let after = ''
  do {
    const { status, body, text } = await host.call(`GET /v1/event?limit=${limit}&after=${after}`, { as })
    assert.equal(status, 200, text)
    all.push(...body.data)
    after = body.next
  } while (after)
  return all
}

describe('the list of events', () => {
  it('has what was sent, corrected, the newest arrival first', async () => {
    const { key } = await host.organisation('listed')
    await send(key, {
      event: 'Order paid',
      distinctId: 'u1',
      revenue: 12.5,
      currency: 'EUR',
      properties: { plan: 'pro' },
    })
    host.clock.advance(1_000)
    await send(key, { event: '$pageview', anonymousId: 'a1', sessionId: 's1' })
    const [second, first, ...rest] = await allPages(key, 50)
    assert.equal(rest.length, 0)
    const { id, received, ...paid } = first as Shown
    assert.match(id, /^evt_/)
    assert.deepEqual(paid, {
      timestamp: received,
      event: 'Order paid',
      wire: 'native',
      distinctId: 'u1',
      revenue: 12.5,
      currency: 'EUR',
      properties: { plan: 'pro' },
    })
    assert.equal(second?.event, '$pageview')
    assert.equal(Date.parse(second?.received ?? '') - Date.parse(received), 1_000)
  })

  it('has pages of at most 100, in which each event is once, also those that arrived together', async () => {
    const { key } = await host.organisation('paged')
    for (let n = 0; n < 5; n++) {
      await send(
        key,
        Array.from({ length: 50 }, (_, i) => ({ event: `e${n}-${i}` })),
      )
    }
    for (const limit of [7, 100]) {
      const events = await allPages(key, limit)
      assert.equal(new Set(events.map(({ event }) => event)).size, 250)
      assert.equal(events.length, 250)
    }
    const { body } = await host.call('GET /v1/event?limit=200', { as: key })
    assert.equal(body.data.length, 100)
    assert.equal((await host.call('GET /v1/event?after=bm9uZQ', { as: key })).status, 400)
  })

  it('omits the largest properties if they are too long together', async () => {
    const { key } = await host.organisation('large')
    for (let n = 0; n < 14; n++) await send(key, { event: 'large', properties: { text: `${n}`.padEnd(50_000) } })
    host.clock.advance(1_000)
    await send(key, { event: 'small', properties: { n: 1 } })
    const { body, text } = await host.call('GET /v1/event', { as: key })
    assert.ok(text.length < 600_000)
    assert.deepEqual(body.data[0].properties, { n: 1 })
    const omitted = body.data.filter((one: Shown) => one.propertiesOmitted)
    assert.ok(omitted.length >= 4 && omitted.length < 14, `${omitted.length}`)
    assert.deepEqual([omitted[0].properties, omitted[0].propertiesOmitted > 50_000], [{}, true])
    const { body: few } = await host.call('GET /v1/event?limit=10', { as: key })
    assert.ok(few.data.every((one: Shown) => one.propertiesOmitted === undefined))
  })

  it('belongs to the organisation, and is refused to publishable keys', async () => {
    const { key } = await host.organisation('alone')
    await send(host.home.key, { event: 'theirs' })
    assert.deepEqual(await allPages(key, 50), [])
    const { body } = await host.call('POST /v1/account/keys', { as: key, body: { name: 'Web', type: 'publishable' } })
    assert.equal((await host.call('GET /v1/event', { as: body.key })).status, 403)
    assert.equal((await host.call('GET /v1/event', { as: null })).status, 401)
  })

  it('is answered 503 while the warehouse cannot be reached', async t => {
    const own = await startHost({}, t)
    own.engines.warehouse.newestEvents = () => Promise.reject(new EngineUnavailable('warehouse', 'down'))
    const { status, body, headers } = await own.call('GET /v1/event')
    assert.deepEqual([status, body.error.code, typeof headers['retry-after']], [503, 'warehouse_unreachable', 'string'])
  })
})
