import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { readEvents } from './read.ts'
import { reduce } from './reduced.ts'
import type { Fields, Hints, ReadEvent } from './wire.ts'

const HINTS: Hints = { contentType: null, query: new URLSearchParams(), path: null }

function reduced(body: unknown): ReadEvent | { drop: string } {
  return reduce(readEvents(body, HINTS).items[0] as ReadEvent)
}
const propertiesOf = (properties: Fields) => (reduced({ event: '$pageview', properties }) as ReadEvent).properties

describe('a workspace token', () => {
  const posthog = (event: string, properties: Fields = {}) => ({ api_key: 'k', batch: [{ event, properties }] })
  const amplitude = (name: string) => ({ api_key: 'k', events: [{ event_type: name }] })
  const mixpanel = (event: string) => [{ event, properties: { token: 'k', mp_lib: 'web' } }]
  const allowed: [body: unknown, event: string][] = [
    [{ event: '$pageview' }, '$pageview'],
    [{ event: 'pageview' }, '$pageview'],
    [{ event: '$exception' }, '$exception'],
    [{ event: '$error' }, '$error'],
    ...['$click', '$input', '$change', '$submit', '$view'].map(name => [{ event: name }, name] as [unknown, string]),
    [posthog('$pageview'), '$pageview'],
    [posthog('$autocapture', { $event_type: 'click' }), '$click'],
    [posthog('$autocapture', { $event_type: 'submit' }), '$submit'],
    [{ type: 'page' }, '$pageview'],
    [{ type: 'track', event: '$error' }, '$error'],
    [amplitude('[Amplitude] Page Viewed'), '$pageview'],
    [amplitude('[Amplitude] Element Clicked'), '$click'],
    [mixpanel('$mp_web_page_view'), '$pageview'],
    [mixpanel('$mp_click'), '$click'],
  ]
  for (const [body, event] of allowed) {
    it(`writes ${event} from ${JSON.stringify(body)}`, () => assert.equal((reduced(body) as ReadEvent).event, event))
  }

  const refused: unknown[] = [
    ...[
      'Order Completed',
      '$identify',
      '$set',
      '$create_alias',
      '$groupidentify',
      '$pageleave',
      '$Pageview',
      '$click ',
    ].map(event => ({ event })),
    posthog('$autocapture', { $event_type: 'copy' }),
    posthog('$autocapture', { $event_type: '__proto__' }),
    posthog('$autocapture'),
    { type: 'identify', userId: 'u' },
    { type: 'screen', name: 'x' },
    amplitude('revenue_amount'),
    [{ $distinct_id: 'u', $set: {} }],
    { event: 'toString' },
  ]
  for (const body of refused) {
    it(`does not write ${JSON.stringify(body)}`, () => {
      assert.deepEqual(reduced(body), { drop: 'not_allowed_for_token' })
    })
  }

  it('removes names in whatever case', () => {
    const properties = {
      $Group_0: 'g',
      $SET: { plan: 'pro' },
      emailAddress: 'a@example.com',
      Order_Total: 9,
      title: 'Cart',
    }
    assert.deepEqual((reduced({ event: '$pageview', properties }) as ReadEvent).properties, { title: 'Cart' })
  })

  it('says neither who it was nor what was paid', () => {
    const body = {
      event: '$pageview',
      distinctId: 'secret',
      anonymousId: 'secret',
      sessionId: 's-1',
      messageId: 'm-1',
      timestamp: 1794818168367,
      revenue: 12.5,
      currency: 'EUR',
      subject: 'commerce.order.created',
      properties: { $current_url: '/' },
    }
    assert.deepEqual(reduced(body), {
      wire: 'native',
      event: '$pageview',
      distinctId: null,
      anonymousId: null,
      sessionId: 's-1',
      messageId: 'm-1',
      timestamp: 1794818168367,
      properties: { $current_url: '/' },
      revenue: null,
      currency: null,
      subject: null,
    })
  })
})

/** Every name of the list of fields that identify a person or name an amount. */
const STRIPPED = [
  ...['$set', '$set_once', '$unset', 'alias', '$anon_distinct_id', '$groups', '$group_0', '$group_type', 'distinct_id'],
  ...['$user_id', '$device_id', 'email', '$email', 'user_id', 'device_id', 'userId', 'anonymousId', 'previousId'],
  ...[
    'groupId',
    'traits',
    'user_properties',
    'revenue',
    '$revenue',
    'price',
    'quantity',
    'currency',
    'value',
    'amount',
  ],
  ...[
    '$amount',
    '$price',
    '$quantity',
    '$productId',
    '$transactions',
    '$append',
    'Email',
    'USER_ID',
    'user-id',
    'User Id',
  ],
]

describe('the properties of a reduced event', () => {
  for (const name of STRIPPED) {
    it(`lose ${name} wherever it stands`, () => {
      const kept = { path: '/', list: [{ kept: 1 }], $context: { page: {} }, params: {} }
      const sent = {
        [name]: 'secret',
        path: '/',
        list: [{ kept: 1, [name]: 'secret' }],
        $context: { page: { [name]: { deep: 'secret' } } },
        params: { [name]: 5 },
      }
      assert.deepEqual(propertiesOf(sent), kept)
    })
  }

  it('keep ordinary words', () => {
    const words = { set: 1, add: 1, group: 1, name: 'Cart', url: '/', $screen_width: 5, grouping: 1, values: [1] }
    assert.deepEqual(propertiesOf(words), words)
  })

  it('keep what an exception says, but not about whom', () => {
    const exception = { type: 'TypeError', value: 'cart is undefined', stacktrace: { frames: [{ lineno: 1 }] } }
    assert.deepEqual(propertiesOf({ $exception_list: [{ ...exception, email: 'a@b.example' }], value: 5 }), {
      $exception_list: [exception],
    })
  })

  it('lose what wires add about persons', () => {
    const message = { type: 'page', userId: 'secret', context: { traits: { email: 'secret' }, library: { name: 'x' } } }
    assert.deepEqual((reduced(message) as ReadEvent).properties, { $context: { library: { name: 'x' } } })
    const event = { event: '$pageview', $set: { email: 'secret' }, properties: { $lib: 'web', token: 'pk-1' } }
    const { properties } = reduced({ api_key: 'pk-1', batch: [event] }) as ReadEvent
    assert.deepEqual(properties, { $lib: 'web' })
  })

  it('are cut where they are too deep, without failing', () => {
    let deep: unknown = 'secret'
    for (let at = 0; at < 100_000; at++) deep = at % 2 ? [deep] : { a: deep }
    assert.ok(!JSON.stringify(propertiesOf({ deep })).includes('secret'))
  })

  it('have none of the names, whatever is sent, and change nothing of it', () => {
    const key = fc.constantFrom(...STRIPPED, 'a', 'b', '__proto__', 'constructor')
    const dictionary = (inner: fc.Arbitrary<unknown>) =>
      fc.array(fc.tuple(key, inner), { maxLength: 6 }).map(pairs => Object.fromEntries(pairs))
    const { value } = fc.letrec(tie => ({
      value: fc.oneof({ maxDepth: 5 }, fc.jsonValue({ maxDepth: 0 }), fc.array(tie('value')), dictionary(tie('value'))),
    }))
    fc.assert(
      fc.property(dictionary(value), properties => {
        const text = JSON.stringify(properties)
        const kept = propertiesOf(properties)
        for (const name of STRIPPED) assert.ok(!JSON.stringify(kept).includes(`${JSON.stringify(name)}:`))
        assert.equal(Object.getPrototypeOf(kept), Object.prototype)
        assert.equal(JSON.stringify(properties), text)
      }),
    )
  })
})
