// The lenses over what strangers send: each event counts, whatever it contains, and no request is more than its answer needs.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startHost } from '../../../../test/host.ts'
import { catchUp } from '../../../../test/warehouse.ts'

const host = await startHost({ now: '2026-11-15T09:40:00.000Z' })

async function organisation(name: string) {
  const { key } = await host.organisation(name)
  const { body } = await host.call('POST /v1/account/keys', { as: key, body: { name: 'Web', type: 'publishable' } })
  const send = async (events: object[], as = key) => {
    const answer = await host.call('POST /v1/event', { as, body: events })
    assert.deepEqual([answer.status, answer.body.accepted], [200, events.length], answer.text)
    await catchUp(host)
    return answer.body
  }
  const read = async (path: string) => {
    const answer = await host.call(`GET /v1/event/${path}`, { as: key })
    assert.equal(answer.status, 200, answer.text)
    return answer.body
  }
  return { key, publishable: body.key as string, send, read }
}

describe('an event of a publishable key', () => {
  it('cannot stop those after it with a text that an address has percent-encoded', async () => {
    const { publishable, send, read } = await organisation('encoded')
    const address = (query: string) => ({
      event: '$pageview',
      properties: { $current_url: `https://x.example/${query}` },
    })
    await send([address('?utm_source=%00&utm_campaign=a%00b'), address('?utm_source=%ED%A0%80')], publishable)
    await send([address('?utm_source=letter')])
    const { events } = await read('overview')
    assert.equal(events, 3)
    const { data } = await read('top?by=source')
    assert.deepEqual(data.map(({ value }: { value: string }) => value).toSorted(), ['letter', '\ufffd\ufffd\ufffd'])
    assert.deepEqual((await read('top?by=campaign')).data, [])
  })

  it('cannot break a sum with a large amount, which is a warning', async () => {
    const { publishable, send, read } = await organisation('amounts')
    const paid = (revenue: number) => ({ event: 'buy', distinctId: 'u', revenue, currency: 'EUR' })
    const { warnings } = await send([paid(1.5e308), paid(-1e15), paid(999_999_999_999_999)], publishable)
    assert.deepEqual(
      warnings.map(({ index, reason }: { index: number; reason: string }) => [index, reason]),
      [
        [0, 'revenue_invalid'],
        [1, 'revenue_invalid'],
      ],
    )
    for (const where of ['', '?where=event:is:buy']) {
      assert.deepEqual((await read(`overview${where}`)).revenue, { EUR: 999_999_999_999_999 })
    }
  })

  it('cannot break a sum with amounts that a former version accepted', async () => {
    const { key, send, read } = await organisation('former-amounts')
    await send([{ event: 'buy', distinctId: 'u', revenue: 1, currency: 'EUR' }])
    const [{ org }] = (await host.db`select org from events where event = 'buy' order by arrival desc limit 1`) as [
      { org: string },
    ]
    for (const amount of ['1.5e308', 'Infinity']) {
      await host.db`update event_deltas set amount = ${amount}::numeric * 1 where org = ${org} and dimension = 11`
      assert.ok((await read('overview')).revenue.EUR >= 1e300, key)
    }
    await host.db`update events set revenue = 1.5e308 where org = ${org}`
    await send([{ event: 'buy', distinctId: 'u', revenue: 1, currency: 'EUR' }])
    await host.db`update events set revenue = 1.5e308 where org = ${org}`
    assert.ok((await read('overview?where=event:is:buy')).revenue.EUR >= 1e300)
  })
})

describe('a breakdown', () => {
  it('has the values that are longer than what is shown', async () => {
    const { send, read } = await organisation('long-values')
    await send([{ event: 'x', distinctId: 'u', properties: { p: 'L'.repeat(450) } }])
    const [{ value, events }] = (await read('top?by=properties.p')).data
    assert.deepEqual([value, events], ['L'.repeat(400), 1])
    const [{ name, points }] = (await read('timeseries?by=properties.p&metric=events')).series
    assert.equal(name, value)
    assert.equal(
      points.reduce((sum: number, one: { value: number }) => sum + one.value, 0),
      1,
    )
  })
})

describe('errors', () => {
  it('are all in the sparkline, whenever the time begins', async () => {
    const { key, send, read } = await organisation('sparkline')
    await host.call('PATCH /v1/event/settings', { as: key, body: { zone: 'Europe/Vienna' } })
    const thrown = (timestamp: string) => ({
      event: '$exception',
      timestamp,
      properties: { $exception_list: [{ type: 'E' }] },
    })
    await send([thrown('2026-10-13T18:00:00Z'), thrown('2026-11-01T18:00:00Z'), thrown('2026-11-06T16:59:00Z')])
    for (const where of ['', '&where=event:is:$exception']) {
      for (const from of ['2026-10-13T17:00:00Z', '2026-10-12T22:00:00Z', '2026-10-13T18:00:00Z']) {
        const { data, sparklineFrom } = await read(`errors?from=${from}&to=2026-11-06T17:00:00Z${where}`)
        const [{ count, sparkline }] = data
        assert.deepEqual([count, sparkline.reduce((a: number, b: number) => a + b)], [3, 3], from)
        assert.ok(Date.parse(sparklineFrom) <= Date.parse(from))
      }
    }
  })

  it('keep releases apart that contain a line end', async () => {
    const { send, read } = await organisation('releases')
    await send([{ event: '$exception', properties: { $release: '1.0\n6.6', $exception_list: [{ type: 'E' }] } }])
    assert.deepEqual((await read('errors')).data[0].releases, ['1.0\n6.6'])
  })
})

describe('numbers', () => {
  it('are compared however many digits they have', async () => {
    const { send, read } = await organisation('digits')
    await send([1e31, 1e-35, 5, '7', '1e5', 'many', null, { n: 9 }].map(n => ({ event: 'x', properties: { n } })))
    const eventsOf = async (where: string) => (await read(`overview?where=properties.n:${where}`)).events
    assert.deepEqual([await eventsOf('gt:4'), await eventsOf('lt:1'), await eventsOf('gt:6')], [3, 1, 2])
  })
})
