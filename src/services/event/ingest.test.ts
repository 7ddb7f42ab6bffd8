// Ingest through the real host: shapes of bodies, credentials, order of checks, receipts, deduplication, privacy.
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { describe, it } from 'node:test'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { eventually } from '../../../test/eventually.ts'
import { startHost } from '../../../test/host.ts'
import { catchUp } from '../../../test/warehouse.ts'

const host = await startHost()
const { home, other } = host
const pk = (await host.call('POST /v1/account/keys', { body: { name: 'Web', type: 'publishable' } })).body.key as string

type Stored = {
  event: string
  id: string
  org: string
  distinct_id: string | null
  properties: Record<string, unknown>
}
const stored = async (org = home.org) => {
  await catchUp(host)
  return host.db<Stored & Record<string, unknown>>`select * from events where org = ${org} order by received, id`
}
const published = async (org = home.org) =>
  (await host.db<{ envelope: string }>`select envelope from bus_log where tenant = ${org} order by position`)
    .map(({ envelope }) => JSON.parse(envelope))
    .filter(({ type }) => !/^(iam|account|project|risk)\./.test(type))

let made = 0
const unique = () => `e${++made}`
const send = (body: unknown, more: { as?: string | null; headers?: Record<string, string>; path?: string } = {}) =>
  host.call(`POST /v1/event${more.path ?? ''}`, { as: home.key, ...more, body })
const byName = async (name: string) => (await stored()).filter(({ event }) => event === name)

describe('the receipt', () => {
  it('ends with a newline, except the `1` with which an SDK compares the whole body', async () => {
    const textOf = async (path: string, body: unknown) =>
      (await host.call(`POST /v1/event${path}`, { as: home.key, body })).text
    assert.equal(await textOf('', { event: unique() }), '{"accepted":1,"dropped":0}\n')
    const sent = [{ event: unique(), properties: { token: pk, distinct_id: 'a' } }]
    assert.match(await textOf('/mixpanel/track?verbose=1', sent), /^\{.*\}\n$/)
    assert.equal(await textOf('/mixpanel/track', sent), '1')
  })
})

describe('a body', () => {
  const name = unique()
  const event = { event: name, properties: { n: 1 } }
  for (const [shape, body, count] of [
    ['a bare event', event, 1],
    ['a bare list', [event, event], 2],
    ['an object with batch', { batch: [event, event, event] }, 3],
    ['an object with events', { events: [event] }, 1],
    ['an object with both', { batch: [event], events: [event, event] }, 3],
  ] as const) {
    it(`may be ${shape}`, async () => {
      const before = (await byName(name)).length
      const { status, body: receipt } = await send(body)
      assert.deepEqual([status, receipt], [200, { accepted: count, dropped: 0 }])
      const rows = (await byName(name)).slice(before)
      assert.equal(rows.length, count)
      assert.deepEqual(rows[0]?.properties, { n: 1 })
      const envelope = (await published()).at(-1)
      assert.deepEqual([envelope.type, envelope.tenant, envelope.data.event], [`event.${name}`, 'home', name])
    })
  }

  it('may be encoded, announced or not, and of any content type', async () => {
    const name = unique()
    const text = JSON.stringify({ event: name, properties: {} })
    const post = (body: Buffer | string, headers: Record<string, string>) =>
      host.call('POST /v1/event', { body, headers: { 'content-type': 'text/plain', ...headers } })
    const data = new URLSearchParams({ data: Buffer.from(text).toString('base64') }).toString()
    for (const [body, headers] of [
      [gzipSync(text), { 'content-encoding': 'gzip' }],
      [gzipSync(text), {}],
      [brotliCompressSync(text), { 'content-encoding': 'br' }],
      [data, { 'content-type': 'application/x-www-form-urlencoded' }],
      [text, { 'content-type': 'text/plain;charset=UTF-8' }],
    ] as const) {
      assert.deepEqual((await post(body, headers)).body, { accepted: 1, dropped: 0 })
    }
    assert.equal((await byName(name)).length, 5)
  })
})

describe('a credential', () => {
  const workspaceToken = async () => {
    const { id } = (await host.call('POST /v1/iam/workspaces', { body: { name: 'Team' } })).body
    return (await host.call(`POST /v1/iam/workspaces/${id}/tokens`, { body: {} })).body.token as string
  }
  const lands = async (body: object, more: Parameters<typeof send>[1]) => {
    const name = unique()
    const answer = await send(
      { ...body, event: name, properties: { ...(body as { properties?: object }).properties } },
      more,
    )
    assert.deepEqual([answer.status, answer.body.accepted], [200, 1], answer.text)
    const [row] = await byName(name)
    assert.ok(row && !JSON.stringify(row).includes(pk), 'the key is not stored')
    return row
  }

  it('is a bearer, a header or a parameter', async () => {
    await lands({}, { as: home.key })
    await lands({}, { as: pk })
    await lands({}, { as: null, headers: { 'x-service-ingest-key': pk } })
    await lands({}, { as: null, path: `?ingest_key=${pk}` })
    await lands({}, { as: null, headers: { 'x-service-ingest-key': home.key } })
  })

  it('is in the place of an SDK, if it is publishable', async () => {
    const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(`${text}:`).toString('base64')}` })
    await lands({ api_key: pk }, { as: null })
    await lands({ writeKey: pk }, { as: null })
    await lands({ properties: { token: pk, distinct_id: 'u' } }, { as: null })
    await lands({}, { as: null, headers: basic(pk) })
    await lands({}, { as: null, headers: { 'x-write-key': pk } })
    for (const secret of [{ api_key: home.key }, { writeKey: home.key }]) {
      const refused = await send({ event: 'x', properties: {}, ...secret }, { as: null })
      assert.deepEqual([refused.status, refused.body.error.code], [403, 'ingest_key_unknown'])
    }
    const refused = await send({ event: 'x', properties: {} }, { as: null, headers: basic(home.key) })
    assert.equal(refused.status, 403)
  })

  it('in a usual place comes before one of an SDK', async () => {
    const { body } = await host.call('POST /v1/account/keys', {
      as: other.key,
      body: { name: 'Web', type: 'publishable' },
    })
    const name = unique()
    await send({ event: name, properties: {}, api_key: body.key }, { as: pk })
    assert.equal((await byName(name)).length, 1)
    assert.ok(!(await stored(other.org)).some(({ event }) => event === name))
  })

  it('that is missing or unknown is refused, and nothing is stored', async () => {
    const before = (await stored()).length
    const event = { event: unique(), properties: {} }
    for (const [more, status, code] of [
      [{ as: null }, 401, 'ingest_key_required'],
      [{ as: `pk-${'x'.repeat(49)}` }, 403, 'ingest_key_unknown'],
      [{ as: 'nothing' }, 403, 'ingest_key_unknown'],
      [{ as: null, path: '?ingest_key=nothing' }, 403, 'ingest_key_unknown'],
    ] as const) {
      const { status: found, body } = await send(event, more)
      assert.deepEqual([found, body.error.code], [status, code], JSON.stringify(more))
    }
    const unreadable = await host.call('POST /v1/event', { as: null, body: Buffer.from('{') })
    assert.equal(unreadable.body.error.code, 'ingest_key_required')
    assert.equal((await stored()).length, before)
  })

  it('that may not write events is refused', async () => {
    const limited = await host.call('POST /v1/account/keys', { body: { name: 'x', limit: ['read:*'] } })
    const { status, body } = await send({ event: unique(), properties: {} }, { as: limited.body.key })
    assert.deepEqual([status, body.error.code], [403, 'key_limit'])
    const got = await host.call('GET /v1/event/mixpanel/track?data=e30=', { as: limited.body.key })
    assert.equal(got.status, 403, 'also with GET, which some SDKs write with')
  })

  it('of a workspace writes page views, errors and autocapture, without who it was and what was paid', async () => {
    const as = await workspaceToken()
    const identity = { distinctId: 'user-1', revenue: 5, currency: 'EUR' }
    const properties = { $set: { email: 'a@b.example' }, plan: 'pro', $groups: { a: 1 }, email: 'a@b.example' }
    const sent = ['$pageview', '$exception', '$click', '$input', '$change', '$submit', '$view', 'Order', '$identify']
    const { status, body } = await send(
      sent.map(event => ({ event, ...identity, properties })),
      { as },
    )
    assert.deepEqual([status, body.accepted, body.dropped], [200, 7, 2])
    assert.deepEqual(body.errors, [
      { index: 7, reason: 'not_allowed_for_token' },
      { index: 8, reason: 'not_allowed_for_token' },
    ])
    const rows = (await stored()).filter(({ workspace }) => workspace !== null)
    assert.equal(rows.length, 7)
    for (const row of rows) {
      assert.deepEqual([row.revenue, row.currency, row.anonymous_id], [null, null, null])
      assert.match(String(row.distinct_id), /^visitor_/)
      assert.deepEqual(row.properties, { plan: 'pro' })
    }
    const refused = await send([{ event: 'Order', properties: {} }], { as })
    assert.deepEqual([refused.status, refused.body.error.code], [403, 'insufficient_capability'])
  })
})

describe('the order of checks', () => {
  const tooLarge = JSON.stringify({ event: 'x', properties: { text: 'x'.repeat(70_000) } })
  const many = Array.from({ length: 51 }, () => ({ event: 'x', properties: {} }))
  const bad = `pk-${'x'.repeat(49)}`

  it('is size, credential, privacy, count', async () => {
    const dnt = { dnt: '1' }
    const size = await host.call('POST /v1/event', { as: bad, body: Buffer.from(tooLarge), headers: dnt })
    assert.deepEqual([size.status, size.body.error.code], [413, 'body_too_large'])
    assert.equal((await send(many, { as: bad, headers: dnt })).status, 403)
    const privacy = await send(many, { headers: dnt })
    assert.deepEqual([privacy.status, privacy.body], [200, { accepted: 0, dropped: 51, reason: 'privacy' }])
    const count = await send(many)
    assert.deepEqual([count.status, count.body.error.code], [400, 'too_many_events'])
    assert.equal((await send(many.slice(1))).body.accepted, 50)
  })

  it('counts the bytes on the wire, and bounds what they are decoded to', async () => {
    const ofLength = (length: number) => {
      const start = '{"event":"x","properties":{"text":"'
      return Buffer.from(`${start}${'x'.repeat(length - start.length - 3)}"}}`)
    }
    assert.equal((await host.call('POST /v1/event', { body: ofLength(65_537) })).status, 413)
    const most = await host.call('POST /v1/event', { body: ofLength(65_536) })
    assert.equal(most.status, 200, most.text)
    for (const headers of [{ 'content-encoding': 'gzip' }, {}] as Record<string, string>[]) {
      const bomb = gzipSync(Buffer.alloc(20_000_000, ' '))
      assert.equal((await host.call('POST /v1/event', { body: bomb, headers })).status, 413)
    }
  })

  it('refuses a body without events', async () => {
    for (const body of [[], { batch: [] }, { events: [] }, [5], [null], [[]], { properties: {} }]) {
      const { status, body: answer } = await send(body)
      assert.deepEqual([status, answer.error.code], [400, 'unroutable_events'], JSON.stringify(body))
    }
  })
})

describe('poison', () => {
  const deep = JSON.parse(`${'{"a":'.repeat(40)}1${'}'.repeat(40)}`)
  const cases: [reason: string, event: string][] = [
    ['text_not_storable', '{"event":"x","properties":{"a":"\\ud800"}}'],
    ['text_not_storable', '{"event":"x","properties":{"a":"\\u0000"}}'],
    ['text_not_storable', '{"event":"\\u0000","properties":{}}'],
    ['text_not_storable', '{"event":"x","distinctId":"\\ud800","properties":{}}'],
    ['number_out_of_range', '{"event":"x","properties":{"a":1e400}}'],
    ['name_not_allowed', '{"event":"x","properties":{"__proto__":{"a":1}}}'],
    ['name_not_allowed', '{"event":"x","properties":{"a":{"constructor":{"a":1}}}}'],
    ['name_too_long', `{"event":"x","properties":{"${'k'.repeat(20_000)}":1}}`],
    ['nested_too_deeply', `{"event":"x","properties":${JSON.stringify(deep)}}`],
    ['event_name_too_long', `{"event":"${'n'.repeat(201)}","properties":{}}`],
    ['id_too_long', `{"event":"x","distinctId":"${'n'.repeat(201)}","properties":{}}`],
    ['properties_not_an_object', '{"event":"x","properties":[]}'],
    ['event_name_missing', '{"event":5,"properties":{}}'],
    ['event_not_an_object', '5'],
    ['event_missing', '{"evnet":"x","properties":{}}'],
    ['timestamp_invalid', '{"event":"x","timestamp":"yesterday","properties":{}}'],
    ['timestamp_invalid', '{"event":"x","timestamp":0,"properties":{}}'],
  ]
  for (const [n, [reason, text]] of cases.entries()) {
    it(`is dropped by name and takes no neighbour with it: ${reason} ${n}`, async () => {
      const name = unique()
      const good = JSON.stringify({ event: name, properties: {} })
      const { status, body } = await host.call('POST /v1/event', { body: Buffer.from(`[${good},${text},${good}]`) })
      assert.deepEqual([status, body], [200, { accepted: 2, dropped: 1, errors: [{ index: 1, reason }] }])
      assert.equal((await byName(name)).length, 2)
      const alone = await host.call('POST /v1/event', { body: Buffer.from(`[${text}]`) })
      assert.deepEqual([alone.status, alone.body.error.code], [400, 'unroutable_events'])
      const [{ path, says }] = alone.body.error.fields
      assert.equal(path, 'events.0')
      assert.equal(alone.body.error.message, `None of the events was stored. Event 0 ${says}.`)
    })
  }
})

describe('a time that is not as it was sent', () => {
  it('is reported in a warning, and the event is stored', async () => {
    const [name, future] = [unique(), new Date(host.clock.now().getTime() + 86_400_000).toISOString()]
    const { status, body } = await send([
      { event: name, properties: {} },
      { event: name, timestamp: future, properties: {} },
    ])
    const warnings = [{ index: 1, reason: 'timestamp_clamped' }]
    assert.deepEqual([status, body], [200, { accepted: 2, dropped: 0, warnings }])
    assert.equal((await byName(name)).length, 2)
  })
})

describe('what an SDK sends with a time that cannot be read', () => {
  const cases: [path: string, body: (event: string) => object, property: string][] = [
    ['posthog/batch/', event => ({ batch: [{ event, distinct_id: 'u', timestamp: 'yesterday' }] }), 'timestamp'],
    ['segment/v1/batch', event => ({ batch: [{ type: 'track', event, timestamp: 'yesterday' }] }), 'timestamp'],
    ['rudderstack/v1/batch', event => ({ batch: [{ type: 'track', event, timestamp: 'yesterday' }] }), 'timestamp'],
    ['amplitude', event => ({ events: [{ event_type: event, time: 'yesterday' }] }), 'time'],
    ['mixpanel/track?verbose=1', event => [{ event, properties: { time: 'yesterday' } }], 'time'],
  ]
  for (const [path, body, property] of cases) {
    it(`is stored with the time of arrival, and a warning says so: ${path}`, async () => {
      const name = unique()
      const { status, body: receipt } = await send(body(name), { path: `/${path}` })
      assert.deepEqual([status, receipt.accepted, receipt.dropped], [200, 1, 0], JSON.stringify(receipt))
      assert.deepEqual(receipt.warnings, [{ index: 0, reason: 'timestamp_invalid' }])
      const [row] = (await byName(name)) as (Stored & Record<string, unknown>)[]
      assert.deepEqual([row?.timestamp, row?.properties[property]], [row?.received, 'yesterday'])
    })
  }
})

describe('a warning', () => {
  it('names the event and the field, also beside a dropped event', async () => {
    const name = unique()
    const { body } = await send([
      { event: '' },
      { event: name, revenue: '12,50', currency: 'Euro' },
      { event: name, distinctid: 'u' },
    ])
    assert.deepEqual(body, {
      accepted: 2,
      dropped: 1,
      errors: [{ index: 0, reason: 'event_name_missing' }],
      warnings: [
        { index: 1, reason: 'revenue_invalid' },
        { index: 1, reason: 'currency_invalid' },
        { index: 2, reason: 'field_unknown', field: 'distinctid', known: 'distinctId' },
      ],
    })
    const kept = new Set((await byName(name)).map(row => JSON.stringify([row.distinct_id, row.properties])))
    assert.deepEqual(kept, new Set(['[null,{"revenue":"12,50","currency":"Euro"}]', '[null,{"distinctid":"u"}]']))
  })

  it('is one of at most 250 in an answer', async () => {
    const misspelt = { userid: 'u', SessionId: 's', messageid: 'm', Revenue: 1, Currency: 'EUR', time: 1 }
    const { body } = await send(Array.from({ length: 50 }, () => ({ event: unique(), ...misspelt })))
    assert.deepEqual([body.accepted, body.warnings.length], [50, 250])
  })
})

describe('an event that is sent again', () => {
  const count = async (name: string) => [
    (await byName(name)).length,
    (await published()).filter(({ data }) => data.event === name).length,
  ]
  const again = (name: string, id: string, more = {}) =>
    send({ event: name, messageId: id, properties: {} }, more).then(({ body }) => body)

  it('counts as accepted and reaches nobody twice', async () => {
    const name = unique()
    for (const _ of [1, 2]) assert.deepEqual(await again(name, name), { accepted: 1, dropped: 0 })
    const event = { event: name, messageId: `${name}b`, properties: {} }
    assert.deepEqual((await send([event, event, event])).body, { accepted: 3, dropped: 0 })
    await Promise.all(Array.from({ length: 20 }, () => again(name, `${name}c`)))
    assert.deepEqual(await count(name), [3, 3])
  })

  it('while another process writes the same ids waits for that one, which need not wait for it', async () => {
    const name = unique()
    const uuidOf = (id: string) => hash('sha256', `trusted\n${id}`).slice(0, 32)
    const ids = [`${name}a`, `${name}b`].sort((a, b) => (uuidOf(a) < uuidOf(b) ? -1 : 1))
    const [low = '', high = ''] = ids
    const other = host.db.transaction(async tx => {
      const insert = (id: string) => tx`insert into event_ids values (${home.org}, ${uuidOf(id)}::uuid, now())`
      await insert(low)
      const sent = send([high, low].map(id => ({ event: name, messageId: id, properties: {} })))
      await eventually(
        () => host.db`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        waiting => waiting.length > 0,
      )
      await insert(high)
      return { sent }
    })
    const { sent } = await other
    assert.deepEqual((await sent).body, { accepted: 2, dropped: 0 })
    assert.deepEqual(await count(name), [0, 0])
  })

  it('is recognised for a week, in its organisation', async () => {
    const name = unique()
    await again(name, name)
    await again(name, name, { as: other.key })
    assert.equal((await stored(other.org)).filter(({ event }) => event === name).length, 1)
    assert.deepEqual(await count(name), [1, 1])
  })

  it('cannot be taken in advance with a publishable key', async () => {
    const name = unique()
    await again(name, name, { as: pk })
    await again(name, name)
    assert.deepEqual(await count(name), [2, 2])
  })
})
