// What the SDKs were seen to send, shortened, and the events it is read as.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { find } from './aliases.ts'
import { readEvents } from './read.ts'
import { EVENTS_MAX, type Hints, type ReadBody, type ReadEvent, type WireName } from './wire.ts'

const AT = Date.UTC(2026, 10, 16, 8, 36, 8, 367)
const ISO = '2026-11-16T08:36:08.367Z'
const SENT_AT = AT + 2633
const SENT_ISO = '2026-11-16T08:36:11.000Z'

/** Reads a body as if it were sent to a path below a vendor; without one, to `/v1/event`. */
function read(body: unknown, path = '', query = ''): Omit<ReadBody, 'count' | 'max'> {
  const [vendor = '', ...rest] = path.split('/')
  const alias = path === '' ? null : find(vendor, rest.join('/'), 'POST')
  if (path !== '') assert.equal(alias?.does, 'ingest', `there is nothing at ${path}`)
  const hint = alias?.does === 'ingest' ? alias.hint : null
  const hints: Hints = { contentType: null, query: new URLSearchParams(query), path: hint }
  const { count, max, ...found } = readEvents(body, hints)
  assert.deepEqual([count, max], [found.items.length, hint?.eventsMax ?? EVENTS_MAX])
  return found
}

const event = (wire: WireName, name: string, known: Partial<ReadEvent>): ReadEvent => ({
  wire,
  event: name,
  distinctId: null,
  anonymousId: null,
  sessionId: null,
  messageId: null,
  timestamp: null,
  properties: {},
  revenue: null,
  currency: null,
  subject: null,
  ...known,
})

describe('posthog-node', () => {
  const common = { $lib: 'posthog-node', $lib_version: '5.67.0', $is_server: true }
  const item = (uuid: string, name: string, properties: object) => ({
    event: name,
    properties: { ...properties, ...common },
    timestamp: ISO,
    uuid,
    distinct_id: 'u-1',
  })
  const exceptions = [{ type: 'TypeError', value: 'boom', mechanism: { handled: true } }]
  const body = {
    api_key: 'pk-1',
    batch: [
      item('1', '$pageview', { $current_url: 'https://shop.example/' }),
      item('2', 'Order Completed', { revenue: 12.5, currency: 'EUR' }),
      item('3', '$exception', { $exception_list: exceptions }),
      item('4', '$identify', { $set: { plan: 'pro' }, $set_once: { first: 1 } }),
      item('5', '$create_alias', { distinct_id: 'u-1', alias: 'a-1' }),
    ],
    sent_at: SENT_ISO,
  }
  const expected = [
    { event: '$pageview', properties: { $current_url: 'https://shop.example/', ...common } },
    { event: 'Order Completed', properties: common, revenue: 12.5, currency: 'EUR' },
    { event: '$exception', properties: { $exception_list: exceptions, ...common } },
    { event: '$identify', properties: { $set: { plan: 'pro' }, $set_once: { first: 1 }, ...common } },
    { event: '$create_alias', properties: { alias: 'a-1', ...common } },
  ].map(({ event: name, ...known }, at) =>
    event('posthog', name, { distinctId: 'u-1', messageId: String(at + 1), timestamp: AT, ...known }),
  )

  for (const path of ['posthog/batch/', '']) {
    it(`is read at /${path}`, () => {
      assert.deepEqual(read(body, path), { items: expected, key: 'pk-1', sentAt: SENT_AT, wire: 'posthog' })
    })
  }
})

describe('posthog-js', () => {
  const properties = {
    $lib: 'web',
    $insert_id: 'i-1',
    $time: AT / 1000,
    distinct_id: 'u-1',
    $device_id: 'd-1',
    $user_id: 'u-1',
    $anon_distinct_id: 'd-0',
    token: 'pk-1',
    $session_id: 's-1',
  }
  const item = { uuid: 'm-1', event: '$identify', properties, $set: { email: 'a@b.example' }, $set_once: { a: 1 } }
  const known = { distinctId: 'u-1', anonymousId: 'd-0', sessionId: 's-1', messageId: 'm-1', timestamp: AT }
  const kept = {
    $lib: 'web',
    $insert_id: 'i-1',
    $time: AT / 1000,
    $device_id: 'd-1',
    $user_id: 'u-1',
    $set: { email: 'a@b.example' },
    $set_once: { a: 1 },
  }
  const expected = event('posthog', '$identify', { ...known, properties: kept })

  it('of 2026 sends a batch', () => {
    const body = { api_key: 'pk-1', batch: [{ ...item, timestamp: ISO }], sent_at: SENT_ISO }
    assert.deepEqual(read(body, 'posthog/e/'), { items: [expected], key: 'pk-1', sentAt: SENT_AT, wire: 'posthog' })
  })

  for (const path of ['posthog/e/', '']) {
    it(`of 2024 sends one event to /${path}`, () => {
      const result = read({ ...item, timestamp: ISO }, path, `ip=1&_=${SENT_AT}&ver=1.200.0&compression=gzip-js`)
      assert.deepEqual(result, { items: [expected], key: 'pk-1', sentAt: SENT_AT, wire: 'posthog' })
    })

    it(`of 2024 sends a list to /${path}, with the age of each event`, () => {
      const result = read([{ ...item, offset: 2633 }], path, `_=${SENT_AT}`)
      assert.deepEqual(result, { items: [expected], key: 'pk-1', sentAt: SENT_AT, wire: 'posthog' })
    })

    it(`of 2022 sends to /${path} without an id beside the properties`, () => {
      const { items } = read({ event: '$pageview', properties: { ...properties, $anon_distinct_id: undefined } }, path)
      const { $insert_id, $time, $device_id, $set, $set_once, ...rest } = kept
      const since = { ...known, anonymousId: 'd-1', messageId: 'i-1' }
      const [read1] = items as ReadEvent[]
      assert.deepEqual(
        { ...read1, properties: { ...read1?.properties, $anon_distinct_id: undefined } },
        {
          ...event('posthog', '$pageview', since),
          properties: { ...rest, $anon_distinct_id: undefined },
        },
      )
    })
  }

  it('of clients that repeat the function in `type` is not taken for Segment', () => {
    const old = { type: 'identify', event: '$identify', distinct_id: 'u-1', properties: {}, library: 'posthog-python' }
    const [one] = read({ api_key: 'pk-1', batch: [old] }).items
    assert.deepEqual(
      one,
      event('posthog', '$identify', { distinctId: 'u-1', properties: { library: 'posthog-python' } }),
    )
  })
})

describe('Segment', () => {
  const context = { library: { name: '@segment/analytics-node', version: '3.1.0' } }
  const about = { context, timestamp: ISO, userId: 'u-1', integrations: {} }
  const known = { distinctId: 'u-1', timestamp: AT }
  const messages = [
    { type: 'page', name: 'Home', category: 'Docs', properties: { url: '/', category: 'Docs' }, anonymousId: 'a-1' },
    {
      type: 'track',
      event: 'Order Completed',
      properties: { revenue: 12.5, currency: 'EUR' },
      integrations: { All: true },
    },
    { type: 'identify', traits: { email: 'a@b.example' } },
    { type: 'group', groupId: 'g-1', traits: { size: 3 } },
    { type: 'alias', previousId: 'a-1' },
    { type: 'screen', name: 'Main', properties: {} },
  ].map((message, at) => ({ ...about, ...message, messageId: `m-${at}`, _metadata: { jsRuntime: 'node' } }))
  const expected = [
    event('segment', '$pageview', { anonymousId: 'a-1', properties: { url: '/', category: 'Docs', name: 'Home' } }),
    event('segment', 'Order Completed', {
      revenue: 12.5,
      currency: 'EUR',
      properties: { $integrations: { All: true } },
    }),
    event('segment', '$identify', { properties: { $set: { email: 'a@b.example' } } }),
    event('segment', '$groupidentify', { properties: { $group_key: 'g-1', $group_set: { size: 3 } } }),
    event('segment', '$create_alias', { properties: { alias: 'a-1' } }),
    event('segment', '$screen', { properties: { name: 'Main' } }),
  ].map((one, at) => {
    const properties = { ...one.properties, $context: context, _metadata: { jsRuntime: 'node' } }
    return { ...one, ...known, messageId: `m-${at}`, properties }
  })

  for (const path of ['segment/v1/batch', 'segment/b', '']) {
    it(`is read in batches at /${path}`, () => {
      const body = { batch: messages, writeKey: 'pk-1', sentAt: SENT_ISO }
      assert.deepEqual(read(body, path), { items: expected, key: 'pk-1', sentAt: SENT_AT, wire: 'segment' })
    })
  }

  for (const [at, short] of ['p', 't', 'i', 'g', 'a', 's'].entries()) {
    const message = { ...messages[at]!, writeKey: 'pk-1', sentAt: SENT_ISO }
    for (const path of [`segment/${short}`, `segment/v1/${message.type}`, '']) {
      it(`is read one by one at /${path}: ${message.type}`, () => {
        const one = { items: [expected[at]], key: 'pk-1', sentAt: SENT_AT, wire: 'segment' }
        assert.deepEqual(read(message, path), one)
        if (path !== '') assert.deepEqual(read({ ...message, type: undefined }, path), one, 'the path says the type')
      })
    }
  }

  it('of RudderStack has the traits twice, and its own names for the time and the session', () => {
    const message = {
      userId: 'u-1',
      traits: { email: 'a@b.example' },
      context: { traits: { email: 'a@b.example' }, sessionId: 1794818170117, library: { name: 'analytics-node' } },
      type: 'identify',
      channel: 'server',
      originalTimestamp: ISO,
      messageId: 'm-1',
      sentAt: SENT_ISO,
    }
    const result = read({ batch: [message], timestamp: SENT_ISO, sentAt: SENT_ISO }, 'rudderstack/v1/batch')
    const properties = {
      $set: { email: 'a@b.example' },
      $context: { library: { name: 'analytics-node' } },
      channel: 'server',
    }
    const one = event('segment', '$identify', { ...known, sessionId: '1794818170117', messageId: 'm-1', properties })
    assert.deepEqual(result, { items: [one], key: null, sentAt: SENT_AT, wire: 'segment' })
  })

  it('of Jitsu masks the key and sends null for what is not known', () => {
    const message = {
      type: 'track',
      event: 'Order Completed',
      properties: { revenue: 12.5 },
      userId: null,
      anonymousId: 'a-1',
      timestamp: ISO,
      sentAt: SENT_ISO,
      messageId: 'm-1',
      writeKey: '***',
      context: { clientIds: {} },
    }
    const properties = { $context: { clientIds: {} } }
    const one = { anonymousId: 'a-1', messageId: 'm-1', timestamp: AT, revenue: 12.5, properties }
    assert.deepEqual(read(message, 'jitsu/api/s/track'), {
      items: [event('segment', 'Order Completed', one)],
      key: null,
      sentAt: SENT_AT,
      wire: 'segment',
    })
  })
})

describe('Amplitude', () => {
  const common = { event_id: 0, library: 'amplitude-node-ts/1.5.73' }
  const about = { time: AT, insert_id: 'm-1', user_id: 'u-1', ...common }
  const known = { distinctId: 'u-1', messageId: 'm-1', timestamp: AT }
  const cases: [sent: object, expected: ReadEvent][] = [
    [
      { event_type: '[Amplitude] Page Viewed', session_id: AT, event_properties: { '[Amplitude] Page URL': '/' } },
      event('amplitude', '$pageview', { sessionId: String(AT), properties: { '[Amplitude] Page URL': '/' } }),
    ],
    [
      {
        event_type: 'Order Completed',
        device_id: 'd-1',
        session_id: -1,
        event_properties: { revenue: 12.5, currency: 'EUR' },
      },
      event('amplitude', 'Order Completed', { anonymousId: 'd-1', revenue: 12.5, currency: 'EUR' }),
    ],
    [
      {
        event_type: 'revenue_amount',
        event_properties: { $productId: 'p', $quantity: 2, $price: 12.5, $currency: 'EUR' },
      },
      event('amplitude', 'revenue_amount', {
        revenue: 25,
        currency: 'EUR',
        properties: { $productId: 'p', $quantity: 2, $price: 12.5 },
      }),
    ],
    [
      { event_type: '$identify', user_properties: { $set: { plan: 'pro' }, $setOnce: { a: 1 }, $add: { n: 2 } } },
      event('amplitude', '$identify', { properties: { $set: { plan: 'pro' }, $set_once: { a: 1 }, $add: { n: 2 } } }),
    ],
    [
      { event_type: 'X', user_properties: { plan: 'pro' }, groups: { company: ['a', 'b'] } },
      event('amplitude', 'X', { properties: { $set: { plan: 'pro' }, $groups: { company: ['a', 'b'] } } }),
    ],
    [
      { event_type: '$groupidentify', group_properties: { $set: { n: 1 } }, groups: { company: 'acme' } },
      event('amplitude', '$groupidentify', {
        properties: { $group_type: 'company', $group_key: 'acme', $group_set: { n: 1 } },
      }),
    ],
    [
      { event_type: 'X', revenue: 3, currency: 'eur', price: 1.5, quantity: 2, plan: { branch: 'main' } },
      event('amplitude', 'X', {
        revenue: 3,
        currency: 'EUR',
        properties: { price: 1.5, quantity: 2, plan: { branch: 'main' } },
      }),
    ],
  ]
  for (const path of ['amplitude', 'amplitude/2/httpapi', '']) {
    it(`is read at /${path}`, () => {
      const events = cases.map(([sent]) => ({ ...about, ...sent }))
      const items = cases.map(([, one]) => ({ ...one, ...known, properties: { ...one.properties, ...common } }))
      const body = { api_key: 'pk-1', events, options: {}, client_upload_time: SENT_ISO }
      assert.deepEqual(read(body, path), { items, key: 'pk-1', sentAt: SENT_AT, wire: 'amplitude' })
    })
  }
})

describe('Mixpanel', () => {
  const order = {
    event: 'Order Completed',
    properties: { distinct_id: 'u-1', revenue: 12.5, currency: 'EUR', time: AT, token: 'pk-1' },
  }
  const page = {
    event: '$mp_web_page_view',
    properties: {
      $current_url: 'https://shop.example/',
      mp_lib: 'web',
      $insert_id: 'm-1',
      time: AT / 1000,
      distinct_id: '$device:d-1',
      $device_id: 'd-1',
      token: 'pk-1',
    },
  }
  const profile = { $token: 'pk-1', $distinct_id: 'u-1' }
  const group = { $token: 'pk-1', $group_key: 'company', $group_id: 'acme', $set: { n: 1 } }
  const payment = { ...profile, $append: { $transactions: { $amount: 12.5 } } }
  const u1 = { distinctId: 'u-1' }
  const cases: [what: string, path: string, sent: object, expected: ReadEvent][] = [
    [
      'a page view',
      'track',
      page,
      event('mixpanel', '$pageview', {
        distinctId: '$device:d-1',
        anonymousId: 'd-1',
        messageId: 'm-1',
        timestamp: AT,
        properties: { $current_url: 'https://shop.example/', mp_lib: 'web' },
      }),
    ],
    [
      'an event',
      'track',
      order,
      event('mixpanel', order.event, { ...u1, timestamp: AT, revenue: 12.5, currency: 'EUR' }),
    ],
    [
      'a profile',
      'engage',
      { ...profile, $set: { plan: 'pro' }, $time: AT / 1000 },
      event('mixpanel', '$identify', { ...u1, timestamp: AT, properties: { $set: { plan: 'pro' } } }),
    ],
    [
      'a payment',
      'engage',
      payment,
      event('mixpanel', '$identify', { ...u1, revenue: 12.5, properties: { $append: payment.$append } }),
    ],
    [
      'a group',
      'groups',
      group,
      event('mixpanel', '$groupidentify', {
        properties: { $group_type: 'company', $group_key: 'acme', $group_set: { n: 1 } },
      }),
    ],
  ]
  for (const [what, path, sent, expected] of cases) {
    for (const below of [`mixpanel/${path}/`, '']) {
      it(`sends ${what} to /${below}`, () => {
        const one = { items: [expected], key: 'pk-1', sentAt: null, wire: 'mixpanel' }
        assert.deepEqual(read(sent, below), one)
        assert.deepEqual(read([sent], below, `verbose=1&_=${SENT_AT}`), { ...one, sentAt: SENT_AT })
      })
    }
  }
})
