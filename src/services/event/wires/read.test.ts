import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { ALIASES } from './aliases.ts'
import { readEvents } from './read.ts'
import type { AliasHint, DropReason, Hints, ReadEvent, ReadItem } from './wire.ts'

const hints = (path: AliasHint | null = null): Hints => ({ contentType: null, query: new URLSearchParams(), path })
const read = (body: unknown) => readEvents(body, hints())
const only = (body: unknown) => read(body).items[0] as ReadEvent

const NATIVE = {
  wire: 'native',
  event: 'a',
  distinctId: null,
  anonymousId: null,
  sessionId: null,
  messageId: null,
  timestamp: null,
  properties: {},
  revenue: null,
  currency: null,
  subject: null,
}

describe('our own events', () => {
  const cases: [what: string, sent: object, expected: object][] = [
    ['the minimum', { event: 'a', properties: {} }, {}],
    ['no properties', { event: 'a' }, {}],
    ['properties', { event: 'a', properties: { plan: 'pro' } }, { properties: { plan: 'pro' } }],
    [
      'every field',
      {
        event: 'a',
        distinctId: 'u',
        anonymousId: 'v',
        sessionId: 's',
        messageId: 'm',
        timestamp: '2026-11-16T00:00:00Z',
        revenue: 12.5,
        currency: 'EUR',
        subject: 'commerce.order.created',
      },
      {
        distinctId: 'u',
        anonymousId: 'v',
        sessionId: 's',
        messageId: 'm',
        timestamp: Date.UTC(2026, 10, 16),
        revenue: 12.5,
        currency: 'EUR',
        subject: 'commerce.order.created',
      },
    ],
    [
      'names with underscores',
      { event: 'a', distinct_id: 'u', anonymous_id: 'v', session_id: 's', uuid: 'm' },
      { distinctId: 'u', anonymousId: 'v', sessionId: 's', messageId: 'm' },
    ],
    [
      'names of PostHog among the properties',
      {
        event: 'a',
        properties: { distinct_id: 'u', $session_id: 's', $insert_id: 'm', revenue: '12.50', currency: 'eur' },
      },
      { distinctId: 'u', sessionId: 's', messageId: 'm', revenue: 12.5, currency: 'EUR' },
    ],
    ['numbers as ids', { event: 'a', distinctId: 7 }, { distinctId: '7' }],
    [
      'what cannot be read stays',
      { event: 'a', revenue: 'much', currency: 'beads', distinctId: { id: 1 } },
      {
        properties: { revenue: 'much', currency: 'beads', distinctId: { id: 1 } },
        notices: [{ reason: 'id_invalid' }, { reason: 'revenue_invalid' }, { reason: 'currency_invalid' }],
      },
    ],
    [
      'other fields become properties',
      { event: 'a', page: '/x', properties: { b: 1 } },
      { properties: { b: 1, page: '/x' } },
    ],
    [
      'two values for a name both stay',
      { event: 'a', distinctId: 'u', distinct_id: 'v', page: 1, set: { a: 1 }, properties: { page: 2, set: { b: 2 } } },
      { distinctId: 'u', properties: { page: 2, set: { a: 1, b: 2 }, distinct_id: 'v', $extra: { page: 1 } } },
    ],
    [
      'a property named token',
      { event: 'a', properties: { token: 'color-red' } },
      { properties: { token: 'color-red' } },
    ],
  ]
  for (const [what, sent, expected] of cases) {
    it(what, () => assert.deepEqual(only(sent), { ...NATIVE, ...expected }))
  }

  it('lose the key of the body', () => {
    const sent = { event: 'a', token: 'pk-1', writeKey: 'pk-2', properties: { api_key: 'pk-3', b: 1 } }
    assert.deepEqual(only(sent).properties, { b: 1 })
  })
})

describe('the shape of a body', () => {
  const event = { event: 'a', properties: {} }
  for (const [what, body] of [
    ['an object', event],
    ['a list', [event]],
    ['a batch', { batch: [event] }],
    ['events', { events: [event] }],
  ] as const) {
    it(`may be ${what}`, () => assert.deepEqual(read(body).items, [NATIVE]))
  }

  it('may mix wires, item by item', () => {
    const items = [
      { event: 'a' },
      { event_type: 'b' },
      { type: 'track', event: 'c' },
      { type: 'page', messageId: 'm' },
      { $distinct_id: 'u', $set: {} },
      { event: 'd', properties: { token: 'pk-1', mp_lib: 'web' } },
      { event: 'e', properties: { token: 'pk-1', $lib: 'web' } },
      { api_key: 'pk-1', event: 'f' },
    ]
    const wires = ['native', 'amplitude', 'segment', 'segment', 'mixpanel', 'mixpanel', 'posthog', 'posthog']
    assert.deepEqual(
      read(items).items.map(item => (item as ReadEvent).wire),
      wires,
    )
    assert.deepEqual(read({ batch: items.slice(1) }).wire, 'amplitude')
  })

  const dropped: [what: string, item: unknown, reason: string][] = [
    ['a text', 'a', 'event_not_an_object'],
    ['null', null, 'event_not_an_object'],
    ['a list', [], 'event_not_an_object'],
    ['an empty object', {}, 'event_missing'],
    ['an event of GA4', { name: 'a', params: {} }, 'event_missing'],
    ['an event of Umami', { type: 'event', payload: { website: 'w' } }, 'event_missing'],
    ['an empty name', { event: '' }, 'event_name_missing'],
    ['a name that is not a text', { event: 5 }, 'event_name_missing'],
    ['a name of Amplitude that is not a text', { event_type: null }, 'event_name_missing'],
    ['properties that are not an object', { event: 'a', properties: [] }, 'properties_not_an_object'],
    ['properties of Amplitude that are a text', { event_type: 'a', event_properties: 'b' }, 'properties_not_an_object'],
  ]
  for (const [what, item, reason] of dropped) {
    it(`drops ${what} and nothing beside it`, () => {
      assert.deepEqual(read([item, event]).items, [{ drop: reason }, NATIVE])
    })
  }

  it('may be no list at all', () => {
    assert.deepEqual(read([]).items, [])
    assert.deepEqual(read({ batch: [] }).items, [])
    assert.deepEqual(read(5).items, [{ drop: 'event_not_an_object' }])
  })

  it('decides about the receipt, unless the path does', () => {
    assert.equal(read([]).wire, 'native')
    assert.equal(read([5, { event_type: 'a' }, { event: 'b' }]).wire, 'amplitude')
    assert.equal(readEvents([{ event: 'b' }], hints({ wire: 'mixpanel', type: null, eventsMax: 50 })).wire, 'mixpanel')
  })
})

describe('the key', () => {
  const cases: [what: string, body: unknown, key: string | null][] = [
    ['of PostHog and Amplitude', { api_key: 'pk-1', batch: [] }, 'pk-1'],
    ['of Segment', { writeKey: 'pk-1', batch: [] }, 'pk-1'],
    ['of the body before that of an event', { api_key: 'pk-1', batch: [{ event: 'a', api_key: 'pk-2' }] }, 'pk-1'],
    ['of a single event', { api_key: 'pk-1', event: 'a' }, 'pk-1'],
    ['of the first event that has one', [{ event: 'a' }, { event: 'b', properties: { token: 'pk-1' } }], 'pk-1'],
    ['of a profile of Mixpanel', [{ $token: 'pk-1', $distinct_id: 'u' }], 'pk-1'],
    ['that is not ours, where an SDK has its key', [{ event: 'a', properties: { token: 'x', mp_lib: 'web' } }], 'x'],
    ['but not a property', { event: 'a', properties: { token: 'color-red' } }, null],
    ['but not what is no text', { api_key: 5, batch: [] }, null],
    ['but not a masked one', { writeKey: 'pk-1:***', batch: [] }, null],
  ]
  for (const [what, body, key] of cases) it(what, () => assert.equal(read(body).key, key))
})

/** Names with a meaning somewhere, and names with a meaning for JavaScript. */
const NAMES = [
  ...['event', 'properties', 'type', 'batch', 'events', 'distinct_id', 'distinctId', 'userId', 'anonymousId', 'uuid'],
  ...[
    'event_type',
    'event_properties',
    'user_properties',
    'groups',
    'group_properties',
    'context',
    'traits',
    'groupId',
  ],
  ...['timestamp', 'time', '$time', 'offset', 'revenue', '$revenue', 'price', 'currency', 'messageId', 'insert_id'],
  ...['$set', '$set_once', '$append', '$transactions', '$distinct_id', '$group_key', '$group_id', '$insert_id'],
  ...['$session_id', '$device_id', '$anon_distinct_id', '$extra', '$context', 'integrations', 'previousId', 'mp_lib'],
  ...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'length', 'a', 'b'],
]
const KEYS = ['token', 'api_key', 'writeKey', '$token', 'sent_at', 'sentAt', 'client_upload_time']

const name = fc.constantFrom(...NAMES)
const keyOrName = fc.constantFrom(...NAMES, ...KEYS)
const HINTS = ALIASES.flatMap(alias => (alias.does === 'ingest' ? [alias.hint] : []))
const hint = fc.constantFrom(null, ...HINTS)

/** From pairs, because a dictionary with `__proto__` must be made as JSON.parse makes it. */
const objectOf = <T>(key: fc.Arbitrary<string>, value: fc.Arbitrary<T>) =>
  fc.array(fc.tuple(key, value), { maxLength: 8 }).map(pairs => Object.fromEntries(pairs) as Record<string, T>)

const json = fc.letrec(tie => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(
      'track',
      'page',
      'identify',
      'group',
      'alias',
      'pk-1',
      '',
      'EUR',
      '2026-11-16',
      0,
      1e12,
      12.5,
      null,
    ),
    fc.jsonValue({ maxDepth: 1 }),
    objectOf(keyOrName, tie('value')),
    fc.array(tie('value'), { maxLength: 4 }),
  ),
})).value

const isDropped = (item: ReadItem): item is { drop: DropReason } => 'drop' in item

describe('whatever is sent', () => {
  it('is read without failing, item by item, and touches no prototype', () => {
    const before = Object.getOwnPropertyNames(Object.prototype)
    fc.assert(
      fc.property(json, hint, (body, path) => {
        const text = JSON.stringify(body)
        const { items } = readEvents(body, hints(path))
        assert.equal(JSON.stringify(body), text, 'the body is changed')
        const list = Array.isArray(body) ? body : listIn(body)
        assert.equal(items.length, list?.length ?? 1)
        for (const item of items) {
          if (isDropped(item)) continue
          assert.equal(Object.getPrototypeOf(item.properties), Object.prototype)
          assert.ok(item.event !== '')
        }
      }),
      { numRuns: 1000 },
    )
    assert.deepEqual(Object.getOwnPropertyNames(Object.prototype), before)
  })

  it('is neither lost nor repeated', () => {
    let count = 0
    const leaf = fc.constant(null).map(() => `<${count++}>`)
    const inner = objectOf(name, leaf)
    const item = fc
      .tuple(objectOf(name, fc.oneof(leaf, inner)), fc.constantFrom('event', 'event_type', '$distinct_id'), inner)
      .map(([fields, naming, properties]) => {
        const own = naming === 'event_type' ? 'event_properties' : 'properties'
        // Not a list, which would be read as several events.
        return { ...fields, batch: 1, events: 1, type: 'track', [naming]: 'name', [own]: properties }
      })
    fc.assert(
      fc.property(item, hint, (sent, path) => {
        const [one] = readEvents(sent, hints(path)).items
        if (!one || isDropped(one)) return
        const before = leavesOf(sent)
        // Where objects are joined that have a name in common, one of the two stays.
        const after = leavesOf(one)
        assert.deepEqual(after, [...new Set(after)], 'repeated')
        assert.deepEqual(
          before.filter(text => !after.includes(text) && !isJoined(sent, text)),
          [],
          'lost',
        )
      }),
      { numRuns: 1000 },
    )
  })
})

function listIn(body: unknown): unknown[] | null {
  if (typeof body !== 'object' || body === null) return null
  const { batch, events } = body as { batch?: unknown; events?: unknown }
  const lists = [batch, events].filter(list => Array.isArray(list))
  return lists.length > 0 ? lists.flat(1) : null
}

const leavesOf = (value: unknown): string[] => JSON.stringify(value).match(/<\d+>/g) ?? []

/** Whether the name of a value inside an object occurs in another object too. */
function isJoined(sent: object, text: string): boolean {
  const objects = Object.values(sent).filter(value => typeof value === 'object' && value !== null)
  const key = objects.flatMap(Object.entries).find(([, value]) => value === text)?.[0]
  return key !== undefined && objects.filter(one => Object.hasOwn(one, key)).length > 1
}

describe('takes linear time', () => {
  const names = Array.from({ length: 20_000 }, (_, at) => `n${at}`)
  const all = (prefix: string, value: unknown) => Object.fromEntries(names.map(name => [prefix + name, value]))
  const extras = Object.fromEntries(names.map((_, at) => [`$extra_${at}`, at]))
  const bodies: [what: string, body: unknown][] = [
    ['many items that are no events', names.map(() => 0)],
    ['many events', names.map(name => ({ event: name, properties: { name } }))],
    ['many fields', { event: 'a', ...all('', 1), properties: all('', 1) }],
    ['many conflicts', { event: 'a', ...all('', 1), properties: { ...all('', 2), ...extras, $extra: 0 } }],
    ['many traits', { type: 'identify', traits: all('', 1), context: { traits: all('', 2) }, properties: { $set: 0 } }],
    [
      'many operations',
      { event_type: 'a', user_properties: all('$', 1), event_properties: { ...all('$', 2), ...extras } },
    ],
    ['a large profile', { $distinct_id: 'u', ...all('', 1), $set: all('', 1) }],
  ]
  /** Reading takes a few times as long as parsing; a quadratic step would take hundreds of times as long. */
  const RATIO_MAX = 50
  const timed = (run: () => void) => {
    const start = performance.now()
    run()
    return performance.now() - start
  }
  for (const [what, body] of bodies) {
    it(`on ${what}`, () => {
      const text = JSON.stringify(body)
      const parseMs = timed(() => JSON.parse(text))
      const readMs = timed(() => read(body))
      assert.ok(readMs < parseMs * RATIO_MAX + 100, `${readMs} ms to read, ${parseMs} ms to parse`)
    })
  }
})
