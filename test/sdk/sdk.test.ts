// Common SDKs, unmodified except for the host and the key, deliver each event once, and the events are read back.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { eventually } from '../eventually.ts'
import { CA, startHost } from '../host.ts'
import { catchUp } from '../warehouse.ts'
import { deliver, SDKS, type Sdk, skip } from './deliver.ts'
import { deliverWithPosthogJs, NO_CHROMIUM } from './posthog-js.ts'

type Row = {
  event: string
  wire: string
  distinct_id: string
  revenue: number | null
  currency: string | null
  properties: Record<string, unknown>
}

const EXPECTED: Record<Sdk | 'posthog-js', { wire: string; third: string }> = {
  'posthog-node': { wire: 'posthog', third: '$exception' },
  'posthog-js': { wire: 'posthog', third: '$exception' },
  '@segment/analytics-node': { wire: 'segment', third: '$identify' },
  '@rudderstack/rudder-sdk-node': { wire: 'segment', third: '$identify' },
  '@amplitude/analytics-node': { wire: 'amplitude', third: '$identify' },
  mixpanel: { wire: 'mixpanel', third: '$identify' },
}

describe('events of SDKs', { skip }, async () => {
  if (skip) return
  const host = await startHost({ now: 'real' })
  const organisation = async (slug: string) => {
    const { org, key } = await host.organisation(slug)
    const made = await host.call('POST /v1/account/keys', { as: key, body: { name: 'Web', type: 'publishable' } })
    return { org, secret: key, key: made.body.key as string }
  }
  const rowsOf = async (org: string) => {
    await catchUp(host)
    return host.db<Row>`select event, wire, distinct_id, revenue, currency, properties
      from events where org = ${org} order by event`
  }
  const publishedOf = async (org: string) =>
    (
      await host.db<{ subject: string }>`select subject from bus_log where tenant = ${org} and subject like 'event.%'`
    ).map(({ subject }) => subject)

  async function check(sdk: keyof typeof EXPECTED, org: string, secret: string): Promise<void> {
    const { wire, third } = EXPECTED[sdk]
    const rows = await eventually(
      () => rowsOf(org),
      found => found.length >= 3,
    )
    const names = rows.map(({ event }) => event).sort()
    // posthog-js also sends what the page does by itself, such as $set and $web_vitals.
    if (sdk !== 'posthog-js') assert.deepEqual(names, ['$pageview', 'Order Completed', third].sort())
    for (const name of ['$pageview', 'Order Completed', third]) {
      assert.equal(names.filter(one => one === name).length, 1, `${name} was sent once`)
    }
    assert.ok(rows.every(row => row.wire === wire))
    const order = rows.find(({ event }) => event === 'Order Completed') as Row
    assert.deepEqual([order.revenue, order.currency], [12.5, 'EUR'])
    assert.ok(order.distinct_id)
    const subjects = await publishedOf(org)
    assert.equal(subjects.length, rows.length)
    assert.ok(subjects.includes('event.pageview') && subjects.includes('event.order_completed'))
    const errors = await host.call('GET /v1/errors', { as: secret })
    if (third !== '$exception') assert.deepEqual(errors.body.data, [])
    else {
      const [{ exception, library, fingerprint }] = errors.body.data
      assert.deepEqual([exception.type, exception.message], ['TypeError', 'cart is undefined'])
      assert.ok(exception.frames.length > 0 && library && fingerprint)
    }
  }

  for (const sdk of SDKS) {
    it(`${sdk} delivers, and its events are read back`, async () => {
      const { org, key, secret } = await organisation(`sdk-${SDKS.indexOf(sdk)}`)
      await deliver(sdk, 'some', { baseUrl: host.baseUrl, key, ca: CA() })
      await check(sdk, org, secret)
    })
  }

  for (const sdk of SDKS) {
    it(`${sdk} delivers a burst of 1,000 events with default settings, each once`, async () => {
      const { org, key } = await organisation(`burst-${SDKS.indexOf(sdk)}`)
      await deliver(sdk, 'burst', { baseUrl: host.baseUrl, key, ca: CA() })
      await catchUp(host)
      const [counts] = await host.db`select count(*)::int as events, count(distinct event)::int as names
        from events where org = ${org}`
      assert.deepEqual(counts, { events: 1_000, names: 1_000 })
    })
  }

  it('posthog-js delivers from a page in Chromium', { skip: NO_CHROMIUM }, async () => {
    const { org, key, secret } = await organisation('sdk-js')
    const origin = 'https://shop.example.com'
    await host.call('POST /v1/projects', { as: secret, body: { slug: 'shop', name: 'Shop' } })
    const attached = await host.call('POST /v1/projects/shop/domains', {
      as: secret,
      body: { host: 'shop.example.com' },
    })
    const [record] = attached.body.records
    host.txt.set(record.name, [record.value])
    await host.call('POST /v1/projects/shop/domains/shop.example.com/verify', { as: secret })
    const { errors } = await deliverWithPosthogJs(origin, { baseUrl: host.baseUrl, key })
    assert.deepEqual(errors, [])
    await check('posthog-js', org, secret)
  })
})
