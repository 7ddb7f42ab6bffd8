// The lenses over what strangers send: each event counts, whatever it contains, and no request is more than its answer needs.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startHost } from '../../../../test/host.ts'
import { deleteOld } from '../../../../test/removal.ts'
import { catchUp } from '../../../../test/warehouse.ts'

const host = await startHost({ now: '2026-11-15T09:40:00.000Z' })

async function organisation(name: string) {
  const { org, key } = await host.organisation(name)
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
  return { org, key, publishable: body.key as string, send, read }
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
    const { org, send, read } = await organisation('former-amounts')
    await send([{ event: 'buy', distinctId: 'u', revenue: 1, currency: 'EUR' }])
    for (const amount of ['1.5e308', 'Infinity']) {
      await host.db`update event_deltas set amount = ${amount}::numeric * 1 where org = ${org} and dimension = 11`
      assert.ok((await read('overview')).revenue.EUR >= 1e300)
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

describe('amounts', () => {
  it('are added up without the errors of floating point', async () => {
    const { send, read } = await organisation('cents')
    const amounts = [99_999_999_999_999, 0.01, -99_999_999_999_999, 0.1, 0.2, 1e-7]
    await send(amounts.map(revenue => ({ event: 'pay', revenue, currency: 'EUR' })))
    assert.deepEqual((await read('overview')).revenue, { EUR: 0.31 })
    assert.deepEqual((await read('overview?where=event:is:pay')).revenue, { EUR: 0.31 })
  })
})

describe('a breakdown of sessions', () => {
  it('has the sessions of each value', async () => {
    const { send, read } = await organisation('visits')
    const at = (minute: number) => `2026-11-15T08:0${minute}:00.000Z`
    const seen = (distinctId: string, utm_source: string, minute: number) => ({
      ...{ event: '$pageview', distinctId, timestamp: at(minute), properties: { utm_source } },
    })
    await send([seen('a', 'x', 0), seen('a', 'x', 1), seen('b', 'y', 2)])
    for (const [metric, x, y] of [
      ['sessions', 1, 1],
      ['visitSeconds', 60, 0],
      ['bounceRate', 0, 1],
    ] as const) {
      const { series } = await read(`timeseries?by=source&metric=${metric}`)
      const sums = series.map(({ name, points }: { name: string; points: { value: number }[] }) => [
        name,
        points.reduce((sum, { value }) => sum + value, 0),
      ])
      assert.deepEqual(sums.toSorted(), [
        ['x', x],
        ['y', y],
      ])
    }
  })
})

describe('the retention', () => {
  it('keeps the sessions of the events that it keeps', async () => {
    const { key, send, read } = await organisation('retention')
    await host.call('PATCH /v1/event/settings', { as: key, body: { retentionDays: 30 } })
    const timestamp = '2026-10-06T08:00:00.000Z'
    await send([
      { event: 'old', distinctId: 'a', sessionId: 'S1', timestamp },
      { event: 'old', distinctId: 'b', timestamp },
    ])
    const figures = async (where: string) => {
      const { events, sessions } = await read(`overview?from=2026-10-01T00:00:00Z${where}`)
      return [events, sessions]
    }
    await deleteOld(host, 'event')
    assert.deepEqual(
      [await figures(''), await figures('&where=event:is:old')],
      [
        [2, 2],
        [2, 2],
      ],
    )
    await send([{ event: 'old', distinctId: 'a', sessionId: 'S1', timestamp }])
    assert.deepEqual(
      [await figures(''), await figures('&where=event:is:old')],
      [
        [3, 2],
        [3, 2],
      ],
    )
    await host.clock.advance(31 * 86_400_000)
    await deleteOld(host, 'event')
    assert.deepEqual(
      [await figures(''), await figures('&where=event:is:old')],
      [
        [3, 2],
        [0, 0],
      ],
    )
    const [left] = await host.db`select from event_sessions where org = 'retention'`
    assert.equal(left, undefined)
  })
})

describe('the place of an event in the order of arrival', () => {
  it('says nothing about other organisations', async () => {
    const one = await organisation('first')
    const two = await organisation('second')
    await one.send([{ event: 'a' }, { event: 'b' }])
    await two.send([{ event: 'a' }])
    await one.send([{ event: 'c' }])
    const arrivals = async ({ read }: typeof one) =>
      (await read('events')).data.map(({ arrival }: { arrival: number }) => arrival).toSorted()
    assert.deepEqual([await arrivals(one), await arrivals(two)], [[1, 2, 3], [1]])
  })
})
