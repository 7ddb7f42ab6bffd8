// The lenses through the API: their answers, times, conditions, access and faults.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startHost } from '../../../../test/host.ts'
import { catchUp } from '../../../../test/warehouse.ts'
import { EngineUnavailable, type Tx } from '../../../engines/engines.ts'
import { countStoredEvents } from '../schedule.ts'

const NOW = '2026-11-15T09:40:00.000Z'
const host = await startHost({ now: NOW })
const { key } = await host.organisation('lenses')
const read = async (path: string, as = key) => {
  const answer = await host.call(`GET /v1/event/${path}`, { as })
  assert.equal(answer.status, 200, answer.text)
  return answer.body
}
const refusal = async (path: string) => {
  const { status, body } = await host.call(`GET /v1/event/${path}`, { as: key })
  return [status, body.error.code, body.error.message]
}
const page = (at: string, distinctId: string, path: string, more: object = {}) => ({
  event: '$pageview',
  timestamp: at,
  distinctId,
  properties: { $current_url: `https://shop.example${path}`, ...more },
})
const send = async (events: object[], as = key) => {
  const { status, body, text } = await host.call('POST /v1/event', { as, body: events })
  assert.deepEqual([status, body.accepted], [200, events.length], text)
  await catchUp(host)
}

await send([
  page('2026-11-15T08:00:00.000Z', 'ada', '/', { $referrer: 'https://www.search.example/q', $browser: 'Firefox' }),
  page('2026-11-15T08:00:04.000Z', 'ada', '/shop'),
  page('2026-11-15T08:10:00.000Z', 'bob', '/', { utm_source: 'letter', utm_campaign: 'spring', plan: 'pro' }),
  { event: 'Order paid', timestamp: '2026-11-15T08:12:00.000Z', distinctId: 'ada', revenue: 12.5, currency: 'EUR' },
  page('2026-11-14T08:12:00.000Z', 'eve', '/shop'),
  {
    event: '$exception',
    timestamp: '2026-11-15T08:13:00.000Z',
    distinctId: 'bob',
    properties: { $release: '1.0', $exception_list: [{ type: 'TypeError', value: 'x is not a function' }] },
  },
])

describe('the overview', () => {
  it('has the figures of the last 24 hours and of those before', async () => {
    const { range, previous, ...figures } = await read('overview')
    assert.deepEqual(range, { from: '2026-11-14T09:00:00.000Z', to: '2026-11-15T09:45:00.000Z', zone: 'UTC' })
    assert.deepEqual(figures, {
      ...{ visitors: 2, sessions: 2, pageviews: 3, events: 5, bounceRate: 0, visitSeconds: 450 },
      ...{ revenue: { EUR: 12.5 }, requests: 0, tokens: 0, spend: 0, distinct: { method: 'exact', error: 0 } },
    })
    assert.deepEqual(
      [previous.visitors, previous.sessions, previous.pageviews, previous.bounceRate, previous.revenue],
      [1, 1, 1, 1, {}],
    )
    assert.equal('previous' in (await read('overview?compare=false')), false)
  })

  it('says how many events a former version stored that are not counted yet', async () => {
    const { org, key: as } = await host.organisation('former')
    await send([page(NOW, 'ada', '/'), page(NOW, 'bob', '/')], as)
    await host.db`update events set visitor = null where org = ${org}`
    assert.equal((await read('overview', as)).uncounted, 2)
    const { db, warehouse, random, clock } = host.engines
    const write = <T>(work: (tx: Tx) => Promise<T>) => db.transaction(work)
    const context = { db, warehouse, random, clock, write, signal: AbortSignal.timeout(10_000) }
    await countStoredEvents.run(context as never)
    const { uncounted, visitors, events } = await read('overview', as)
    // They were counted before too, by this version.
    assert.deepEqual([uncounted, visitors, events], [undefined, 2, 4])
  })

  it('has the sessions of what meets the conditions', async () => {
    const { visitors, sessions, events, revenue, ...rest } = await read(
      'overview?where=path:is:/shop&where=event:is:$pageview',
    )
    assert.deepEqual([visitors, sessions, events, revenue, 'requests' in rest], [1, 1, 1, {}, false])
  })
})

describe('a series', () => {
  it('has a point for each hour or day, also where nothing happened', async () => {
    const { interval, series } = await read('timeseries')
    assert.deepEqual(
      [interval, series.map(({ name, points }: { name: string; points: object[] }) => [name, points.length])],
      ['hour', ['visitors', 'sessions', 'pageviews', 'events'].map(name => [name, 25])],
    )
    assert.deepEqual(series[0].points.at(-2), { at: '2026-11-15T08:00:00.000Z', value: 2 })
    const { series: days, previous } = await read('timeseries?range=7d&metric=visitors&compare=true')
    assert.deepEqual(
      days.map(({ points }: { points: { value: number }[] }) => points.map(({ value }) => value)),
      [[0, 0, 0, 0, 0, 1, 2]],
    )
    assert.equal(previous[0].points[0].at, '2026-11-02T00:00:00.000Z')
  })

  it('is broken down by the values with the most visitors', async () => {
    const { series } = await read('timeseries?range=7d&by=path')
    assert.deepEqual(
      series.map(({ name, points }: { name: string; points: { value: number }[] }) => [name, points.at(-1)?.value]),
      [
        ['/', 2],
        ['/shop', 1],
      ],
    )
  })
})

describe('the top values', () => {
  it('are those with the most visitors, of fields and properties', async () => {
    const { data } = await read('top?range=7d')
    assert.deepEqual(data, [
      { value: '/', visitors: 2, events: 2, share: 2 / 3 },
      { value: '/shop', visitors: 2, events: 2, share: 2 / 3 },
    ])
    const valuesOf = async (by: string) =>
      (await read(`top?by=${by}`)).data.map(({ value }: { value: string }) => value)
    assert.deepEqual(await valuesOf('source'), ['(direct)', 'letter', 'search.example'])
    assert.deepEqual(await valuesOf('campaign'), ['spring'])
    assert.deepEqual(await valuesOf('event'), ['$pageview', '$exception', 'Order paid'])
    assert.deepEqual(await valuesOf('properties.plan'), ['pro'])
  })
})

describe('the names of events', () => {
  it('are listed with their number, people and times, page by page', async () => {
    const { data, next } = await read('insights/events?range=7d&limit=2')
    assert.deepEqual(data[0], {
      ...{ event: '$pageview', count: 4, people: 3 },
      ...{ firstSeen: '2026-11-14T08:12:00.000Z', lastSeen: '2026-11-15T08:10:00.000Z' },
    })
    const rest = await read(`insights/events?range=7d&limit=2&after=${next}`)
    assert.deepEqual([data.length, rest.data.length, rest.next], [2, 1, ''])
  })
})

describe('the errors', () => {
  it('are grouped by fingerprint', async () => {
    const { data, sparklineFrom } = await read('errors')
    // 24 parts of five quarters of an hour each.
    assert.equal(sparklineFrom, '2026-11-14T03:45:00.000Z')
    const [{ fingerprint, sparkline, lastExample, ...group }] = data
    assert.match(fingerprint, /^[0-9a-f]{32}$/)
    assert.match(lastExample, /^evt_/)
    assert.deepEqual([sparkline.length, sparkline.reduce((a: number, b: number) => a + b)], [24, 1])
    assert.deepEqual(group, {
      ...{ type: 'TypeError', message: 'x is not a function', count: 1, people: 1, releases: ['1.0'] },
      ...{ firstSeen: '2026-11-15T08:13:00.000Z', lastSeen: '2026-11-15T08:13:00.000Z' },
    })
    assert.deepEqual((await read('errors?where=release:is:1.0')).data, data)
    for (const range of ['30d', '12mo', 'all']) {
      const [one] = (await read(`errors?range=${range}&zone=Asia/Kathmandu`)).data
      assert.deepEqual([one.sparkline.length, one.sparkline.reduce((a: number, b: number) => a + b)], [24, 1])
      assert.deepEqual((await read(`errors?range=${range}&zone=Asia/Kathmandu&where=release:is:1.0`)).data, [one])
    }
    assert.deepEqual((await read('errors?where=release:is:2.0')).data, [])
  })
})

describe('single events', () => {
  it('are listed by the time at which they happened, page by page', async () => {
    const seen: string[] = []
    for (let after = ''; ; ) {
      const { data, next } = await read(`events?range=7d&limit=2&after=${after}`)
      seen.push(...data.map(({ timestamp }: { timestamp: string }) => timestamp))
      if (next === '') break
      after = next
    }
    assert.equal(seen.length, 6)
    assert.deepEqual(seen, seen.toSorted().toReversed())
    const { data } = await read('events?where=event:is:Order%20paid')
    const [{ visitor, session, revenue, arrival }] = data
    assert.deepEqual([data.length, visitor, revenue, typeof arrival], [1, 'ada', 12.5, 'number'])
    assert.match(session, /^[0-9a-f-]{36}$/)
  })

  it('are exported as JSON lines or CSV', async () => {
    const lines = (await host.call('GET /v1/event/export?range=7d', { as: key })).text.trim().split('\n')
    assert.deepEqual([lines.length, JSON.parse(lines[0] as string).event], [6, '$exception'])
    const { text, headers } = await host.call('GET /v1/event/export?range=7d&format=csv&where=campaign:set', {
      as: key,
    })
    const [head, row, ...rest] = text.trim().split('\r\n')
    assert.match(headers['content-type'] ?? '', /text\/csv/)
    assert.match(head as string, /^id,arrival,received,timestamp,event,/)
    assert.match(row as string, /^evt_\w+,\d+,2026-11-15T09:40:00.000Z,2026-11-15T08:10:00.000Z,\$pageview,/)
    assert.deepEqual(rest, [])
  })
})

describe('days', () => {
  it("are of the organisation's zone, or of the one that is asked for", async () => {
    const { key: as } = await host.organisation('zones')
    await send([page('2026-11-14T19:00:00.000Z', 'ada', '/')], as)
    const days = async (query: string) =>
      (await read(`timeseries?range=7d&metric=events&${query}`, as)).series[0].points
        .filter(({ value }: { value: number }) => value > 0)
        .map(({ at }: { at: string }) => at)
    assert.deepEqual(await days(''), ['2026-11-14T00:00:00.000Z'])
    assert.deepEqual(await days('zone=Asia/Kolkata'), ['2026-11-14T18:30:00.000Z'])
    assert.equal(
      (await host.call('PATCH /v1/event/settings', { as, body: { zone: 'Asia/Kathmandu' } })).body.zone,
      'Asia/Kathmandu',
    )
    assert.deepEqual(await days(''), ['2026-11-14T18:15:00.000Z'])
    const { status } = await host.call('PATCH /v1/event/settings', { as, body: { zone: 'Mars/Olympus' } })
    assert.equal(status, 400)
  })
})

describe('who reads', () => {
  it('sees the own organisation, workspace or project', async () => {
    const { key: as } = await host.organisation('scopes')
    await host.call('POST /v1/projects', { as, body: { slug: 'shop', name: 'Shop' } })
    const { id } = (await host.call('POST /v1/iam/workspaces', { as, body: { name: 'Team' } })).body
    const { token } = (await host.call(`POST /v1/iam/workspaces/${id}/tokens`, { as, body: {} })).body
    const limited = (await host.call('POST /v1/account/keys', { as, body: { name: 'Shop', limit: ['project:shop'] } }))
      .body.key
    await send([page(NOW, 'ada', '/')], as)
    await send([page(NOW, 'ada', '/project')], limited)
    await send([{ event: '$pageview', properties: { $current_url: 'https://shop.example/workspace' } }], token)
    const paths = async (one: string) =>
      (await read('top', one)).data.map(({ value }: { value: string }) => value).toSorted()
    assert.deepEqual(await paths(as), ['/', '/project', '/workspace'])
    assert.deepEqual(await paths(limited), ['/project'])
    assert.deepEqual(await paths(token), ['/workspace'])
    const ofWorkspace = await read('overview', token)
    assert.deepEqual([ofWorkspace.pageviews, 'requests' in ofWorkspace], [1, false])
    assert.deepEqual((await read('events', token)).data.length, 1)
    assert.deepEqual((await read('events?where=path:not:/x', limited)).data.length, 1)
    assert.equal((await host.call('GET /v1/event/export', { as: token })).status, 403)
  })
})

describe('what cannot be answered', () => {
  for (const [path, says] of [
    ['overview?range=fortnight', /range/],
    ['overview?zone=Mars/Olympus', /time zone such as/],
    ['overview?from=2026-11-15T10:00:00Z&to=2026-11-14T10:00:00Z', /after `from`/],
    ['overview?to=2026-11-14T10:00:00Z', /needs `from`/],
    ['overview?zone=%2B05:37', /time zone such as/],
    ['overview?from=1969-12-31T00:00:00Z', /1970/],
    ['overview?from=2026-11-15T10:00:00Z&to=2999-11-14T10:00:00Z', /a year ahead/],
    ['overview?where=colour:is:red', /names `colour`/],
    ['overview?where=path:like:x', /operator `like`/],
    ['overview?where=path', /where/],
    ['overview?where=properties.n:gt:many', /needs a number/],
    ['overview?where=path:is:%00', /where/],
    ['overview?where=path:set:perhaps', /`true` or `false`/],
    ['overview?from=2024-01-01T00:00:00Z&where=path:is:/', /at most 400 days/],
    ['top?by=colour', /names `colour`/],
    ['top?by=properties.plan&from=2024-01-01T00:00:00Z', /at most 400 days/],
    ['timeseries?by=all', /names `all`/],
    ['timeseries?from=2026-01-01T00:00:00Z&interval=15m', /points/],
    ['timeseries?interval=minute', /interval/],
    ['events?after=eA', /after/],
    [`events?after=${Buffer.from('0000-01-01T00:00:00.000Z 1').toString('base64url')}`, /after/],
    ['insights/events?after=eA', /after/],
  ] as const) {
    it(`is 400 by name: ${path}`, async () => {
      const [status, code, message] = await refusal(path)
      assert.deepEqual([status, code], [400, 'invalid_input'], message)
      assert.match(message, says)
    })
  }

  it('is 503 if it takes too long, and says what to do', async t => {
    const own = await startHost({}, t)
    own.engines.warehouse.lenses.figures = db =>
      db.transaction(async tx => {
        await tx`set local statement_timeout = 50`
        await tx`select pg_sleep(5)`
        return assert.fail('it was not cancelled')
      })
    const { status, body } = await own.call('GET /v1/event/overview')
    assert.deepEqual([status, body.error.code], [503, 'overloaded'])
    assert.match(body.error.message, /took longer than a request may.*a shorter time/)
  })

  it('is 503 while the warehouse cannot be reached, and events are accepted', async t => {
    const own = await startHost({}, t)
    const down = () => Promise.reject(new EngineUnavailable('warehouse', 'down'))
    const { lenses } = own.engines.warehouse
    own.engines.warehouse.lenses = Object.fromEntries(Object.keys(lenses).map(name => [name, down])) as never
    for (const lens of ['overview', 'timeseries', 'top', 'insights/events', 'errors', 'events', 'export']) {
      const { status, body, headers } = await own.call(`GET /v1/event/${lens}`)
      assert.deepEqual(
        [status, body.error.code, typeof headers['retry-after']],
        [503, 'warehouse_unreachable', 'string'],
      )
    }
    assert.equal((await own.call('POST /v1/event', { body: { event: 'x' } })).status, 200)
  })
})
