// What ingest makes of an event: its time, its subject, what is removed from it, and who may send how much.
import assert from 'node:assert/strict'
import { BlockList } from 'node:net'
import { describe, it } from 'node:test'
import { type RequestOptions, startHost } from '../../../test/host.ts'
import { deleteOld } from '../../../test/removal.ts'
import { catchUp } from '../../../test/warehouse.ts'
import { type Database, EngineUnavailable } from '../../engines/engines.ts'

const host = await startHost({ runsBackground: true })
const { home, other } = host
const publishable = async (on = host) =>
  (await on.call('POST /v1/account/keys', { body: { name: 'Web', type: 'publishable' } })).body.key as string
const pk = await publishable()

type Row = Record<string, unknown> & { properties: Record<string, unknown>; timestamp: string; clamped: boolean }
let made = 0
const unique = () => `a${++made}`

/** Sends one event and returns its row and envelope. */
async function arrive(event: object, options: RequestOptions & { around?: object } = {}) {
  const { around = {}, ...more } = options
  const name = unique()
  const body = { ...around, batch: [{ event: name, properties: {}, ...event }] }
  const answer = await host.call('POST /v1/event', { body, ...more })
  assert.deepEqual([answer.status, answer.body.accepted], [200, 1], answer.text)
  await catchUp(host)
  const [row] = await host.db<Row>`select * from events where event = ${(event as { event?: string }).event ?? name}
    order by received desc limit 1`
  const [logged] = await host.db<{ envelope: string }>`select envelope from bus_log order by at desc limit 1`
  return { row: row as Row, envelope: JSON.parse(logged?.envelope as string) }
}

/** What the schedule does. */
const sweep = () => deleteOld(host, 'event')

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const at = (ms: number) => new Date(host.clock.now().getTime() + ms).toISOString()

describe('the time of an event', () => {
  it('is that of its arrival if it has none', async () => {
    const { row, envelope } = await arrive({})
    assert.deepEqual([row.timestamp, row.clamped, envelope.time], [at(0), false, at(0)])
  })

  it('is corrected by when the client says that it sent it', async () => {
    const wrong = 400 * DAY_MS
    const { row } = await arrive({ timestamp: at(wrong - 30_000) }, { around: { sentAt: at(wrong) } })
    assert.deepEqual([row.timestamp, row.clamped], [at(-30_000), false])
  })

  for (const [credential, ms, expected, isClamped] of [
    ['publishable', -6 * DAY_MS, -6 * DAY_MS, false],
    ['publishable', -8 * DAY_MS, -7 * DAY_MS, true],
    ['publishable', 4 * MINUTE_MS, 4 * MINUTE_MS, false],
    ['publishable', DAY_MS, 5 * MINUTE_MS, true],
    ['secret', -1_000 * DAY_MS, -1_000 * DAY_MS, false],
    ['secret', DAY_MS, 5 * MINUTE_MS, true],
  ] as const) {
    it(`${ms / MINUTE_MS} minutes from now, of a ${credential} key, is ${expected / MINUTE_MS}`, async () => {
      const { row, envelope } = await arrive({ timestamp: at(ms) }, { as: credential === 'secret' ? home.key : pk })
      assert.deepEqual([row.timestamp, row.clamped, envelope.time], [at(expected), isClamped, at(expected)])
    })
  }
})

describe('the subject of an event', () => {
  for (const [name, subject] of [
    ['$pageview', 'event.pageview'],
    ['Order Completed', 'event.order_completed'],
    ['Uni.code>*', 'event.uni_code__'],
    ['Ünï.code>*', 'event._n__code___369323c4'],
    ['$$', 'event._'],
    ['x'.repeat(100), `event.${'x'.repeat(48)}`],
  ] as const) {
    it(`${name.slice(0, 20)} is ${subject.slice(0, 20)}`, async () => {
      assert.equal((await arrive({ event: name })).envelope.type, subject)
    })
  }

  it('can be chosen with a secret key, outside the families of the platform', async () => {
    const { envelope } = await arrive({ subject: 'commerce.order.created' })
    assert.deepEqual([envelope.type, envelope.tenant], ['commerce.order.created', 'home'])
    const families = ['event', 'iam', 'account', 'project', 'risk', 'ai', 'billing', 'webhook', 'auto', 'IAM']
    for (const family of [...families, 'task', 'kms', 'search', 'o11y', 'platform']) {
      const body = { event: 'x', properties: {}, subject: `${family}.member.added` }
      const refused = await host.call('POST /v1/event', { body })
      assert.deepEqual([refused.status, refused.body.error.code], [403, 'insufficient_capability'], family)
      assert.match(refused.body.error.message, /only Stoa publishes: `event`, `iam`, .*`platform`/)
    }
    const body = { event: 'x', properties: {}, subject: 'commerce.order.created' }
    assert.equal((await host.call('POST /v1/event', { body, as: pk })).status, 403)
    for (const subject of ['commerce', 'commerce.>', 'a..b', '.a', 'a b.c']) {
      const refused = await host.call('POST /v1/event', { body: { ...body, subject } })
      assert.equal(refused.status, 400, subject)
      assert.match(refused.body.error.message, /Event 0 has a `subject` that is not 2 to 16 words/)
    }
  })
})

describe('privacy', () => {
  const count = async () => {
    await catchUp(host)
    const [row] = await host.db<{ n: number }>`select (select count(*) from events) + (select count(*) from bus_log)
      + (select count(*) from event_ids) + (select count(*) from event_salts) as n`
    return row?.n
  }
  for (const headers of [{ dnt: '1' }, { 'sec-gpc': '1' }] as Record<string, string>[]) {
    it(`${JSON.stringify(headers)} stores nothing, not even in the log`, async () => {
      const before = await count()
      host.logged.length = 0
      const body = [{ event: 'private-thing', messageId: unique(), properties: { a: 'private-text' } }]
      const answer = await host.call('POST /v1/event', { body, headers, as: pk })
      assert.deepEqual([answer.status, answer.body], [200, { accepted: 0, dropped: 1, reason: 'privacy' }])
      assert.equal(await count(), before)
      const lines = host.logged.join('')
      assert.match(lines, /"operation":"ingestEvents"/)
      assert.doesNotMatch(lines, /private|127\.0\.0\.1/)
    })
  }

  it('counts also at the paths of SDKs', async () => {
    const before = await count()
    const body = { api_key: pk, batch: [{ event: 'x', uuid: unique(), properties: {} }] }
    const answer = await host.call('POST /v1/event/posthog/batch/', { body, headers: { dnt: '1' }, as: null })
    assert.deepEqual([answer.status, answer.body.accepted, answer.body.reason], [200, 0, 'privacy'])
    assert.equal(await count(), before)
  })

  it('is the default for addresses', async () => {
    const { row } = await arrive({ properties: { $ip: '192.0.2.7', context: { ip: '192.0.2.7' }, plan: 'pro' } })
    assert.deepEqual(row.properties, { context: {}, plan: 'pro' })
    assert.ok(!JSON.stringify(row).includes('127.0.0.1'))
  })
})

describe('the settings of an organisation', () => {
  it('are private by default, and changed by its admins', async () => {
    const first = { zone: 'UTC', storeAddresses: false, scrub: false, retentionDays: null }
    assert.deepEqual((await host.call('GET /v1/event/settings')).body, first)
    const member = await host.member(home.org, 'member')
    const body = { storeAddresses: true }
    assert.equal((await host.call('PATCH /v1/event/settings', { body, as: member.key })).status, 403)
    assert.deepEqual((await host.call('PATCH /v1/event/settings', { body })).body, { ...first, ...body })
    assert.deepEqual((await host.call('GET /v1/event/settings', { as: other.key })).body, first)
    const { row } = await arrive({ properties: { plan: 'pro' } })
    assert.deepEqual(row.properties, { plan: 'pro', $ip: '127.0.0.1' })
    await host.call('PATCH /v1/event/settings', { body: { storeAddresses: false } })
    assert.deepEqual((await arrive({})).row.properties, {})
  })

  it('can have secrets and card numbers removed', async () => {
    const secrets = {
      key: `before ${home.key} after`,
      list: ['Bearer abcdefghijklmnopqrstuv', { card: '4111 1111 1111 1111', other: '4111 1111 1111 1112' }],
      jwt: `eyJ${'x'.repeat(20)}.${'y'.repeat(20)}.${'z'.repeat(20)}`,
    }
    assert.deepEqual((await arrive({ properties: secrets })).row.properties, secrets, 'not unless it is chosen')
    await host.call('PATCH /v1/event/settings', { body: { scrub: true } })
    const { row, envelope } = await arrive({ properties: secrets })
    const expected = {
      key: 'before [removed] after',
      list: ['Bearer [removed]', { card: '[removed]', other: '4111 1111 1111 1112' }],
      jwt: '[removed]',
    }
    assert.deepEqual([row.properties, envelope.data.properties], [expected, expected])
    await host.call('PATCH /v1/event/settings', { body: { scrub: false } })
  })

  it('can have events deleted after some days', async () => {
    const { row } = await arrive({})
    await host.call('PATCH /v1/event/settings', { body: { retentionDays: 2 } })
    await host.db`update events set received = received - interval '3 days' where id = ${row.id as string}`
    const left = () => host.db`select from events where id = ${row.id as string}`
    assert.equal((await left()).length, 1)
    await sweep()
    assert.equal((await left()).length, 0)
    await host.call('PATCH /v1/event/settings', { body: { retentionDays: null } })
  })
})

describe('the partitions of the warehouse', () => {
  it('are made for the coming months', async () => {
    await sweep()
    await sweep()
    const rows = await host.db<{ name: string }>`select inhrelid::regclass::text as name from pg_inherits
      where inhparent = 'events'::regclass order by 1`
    assert.deepEqual(rows.map(({ name }) => name).slice(-3), ['events_202612', 'events_202701', 'events_other'])
  })
})

describe('a visitor without an id', () => {
  const idOf = async (headers: Record<string, string>, as = pk) =>
    (await arrive({}, { as, headers: { 'user-agent': 'A', ...headers } })).row.distinct_id

  it('gets one that is the same for a day, and for one organisation', async () => {
    const first = await idOf({})
    assert.match(String(first), /^visitor_[\w-]{22}$/)
    assert.equal(await idOf({}), first)
    assert.notEqual(await idOf({ 'user-agent': 'B' }), first)
    assert.equal(await idOf({}, home.key), null, 'a server is no visitor')
    assert.equal((await arrive({ anonymousId: 'x' }, { as: pk })).row.distinct_id, null)
    host.clock.advance(DAY_MS)
    assert.notEqual(await idOf({}), first)
  })
})

describe('a ceiling', () => {
  const event = { event: 'x', properties: {} }
  it('holds for a client address and for a peer, for keys that a browser may hold', async t => {
    const trusted = new BlockList()
    trusted.addAddress('127.0.0.1')
    const own = await startHost({ trusted, settings: { STOA_EVENTS_PER_CLIENT: 3, STOA_EVENTS_PER_PEER: 7 } }, t)
    const key = await publishable(own)
    const from = (ip: string, as = key) =>
      own.call('POST /v1/event', {
        as,
        body: event,
        headers: { 'x-forwarded-for': ip, 'x-forwarded-proto': 'https' },
      })
    for (const _ of [1, 2, 3]) assert.equal((await from('192.0.2.1')).status, 200)
    const refused = await from('192.0.2.1')
    assert.deepEqual([refused.status, refused.body.error.code], [429, 'ingest_rate'])
    assert.match(String(refused.headers['retry-after']), /^\d+$/)
    assert.equal((await from('192.0.2.1', own.home.key)).status, 200)
    for (const n of [2, 3, 4, 5]) assert.equal((await from(`192.0.2.${n}`)).status, 200)
    assert.equal((await from('192.0.2.6')).status, 429, 'the peer has sent seven')
    own.clock.advance(60_000)
    assert.equal((await from('192.0.2.1')).status, 200)
  })

  it('counts a GET, with which an SDK sends a single event, as an eighth of a request', async t => {
    const own = await startHost({ settings: { STOA_EVENTS_PER_CLIENT: 2 } }, t)
    const key = await publishable(own)
    const data = Buffer.from(JSON.stringify([{ event: 'x', properties: { token: key } }])).toString('base64url')
    const send = async () => (await own.call(`GET /v1/event/mixpanel/track?data=${data}`, { as: null })).status
    for (let n = 0; n < 16; n++) assert.equal(await send(), 200, `${n}`)
    assert.equal(await send(), 429)
  })
})

describe('the paths of a vendor', () => {
  const send = (path: string, events: object[], more: object = {}) =>
    host.call(`POST /v1/event/${path}`, { as: null, body: { ...more, batch: events } })
  const event = (text = '') => ({ type: 'track', event: 'x', userId: 'u', properties: { text } })
  /** By default, in Node and in browsers. */
  const SENT = { posthog: 130, segment: 15, rudderstack: 20, amplitude: 200, mixpanel: 50 }
  const MAX = { posthog: 250, segment: 100, rudderstack: 100, jitsu: 100, amplitude: 200, mixpanel: 50 }

  it('accept as many events per request as its SDKs send, and no more', async () => {
    for (const [vendor, max] of Object.entries(MAX)) {
      assert.ok(max >= (SENT[vendor as keyof typeof SENT] ?? 0))
      const all = (count: number) => Array.from({ length: count }, () => event())
      const taken = await send(vendor, all(max), { writeKey: pk })
      assert.deepEqual(
        [taken.status, taken.body.accepted ?? taken.body],
        [200, vendor === 'mixpanel' ? 1 : max],
        vendor,
      )
      const refused = await send(vendor, all(max + 1), { writeKey: pk })
      assert.equal(refused.status, 413, vendor)
      assert.match(refused.text, new RegExp(`at most ${max} events here; this one has ${max + 1}`))
    }
  })

  it('refuse more values than are parsed quickly', async () => {
    const small = (count: number) => ({ event: 'x', properties: { a: Array.from({ length: count }, () => 1) } })
    const many = JSON.stringify({ writeKey: pk, batch: [small(100_001)] })
    const refused = await host.call('POST /v1/event/segment', { as: null, body: Buffer.from(many) })
    assert.equal(refused.status, 401, 'without a key that could be read')
    const known = await host.call('POST /v1/event/segment', { as: pk, body: Buffer.from(many) })
    assert.equal(known.status, 413)
    assert.match(known.text, /more than 100000 values/)
    const few = JSON.stringify({ writeKey: pk, batch: Array.from({ length: 20 }, () => small(4_000)) })
    assert.equal((await host.call('POST /v1/event/segment', { as: null, body: Buffer.from(few) })).status, 200)
  })

  it('take a body of 480 KiB, as Segment sends it, and none above 512 KiB', async () => {
    const wide = (count: number) => Array.from({ length: count }, () => event('x'.repeat(31 * 1024)))
    const taken = await send('segment/v1/batch', wide(15), { writeKey: pk })
    assert.deepEqual([taken.status, taken.body.accepted], [200, 15])
    assert.equal((await send('segment/v1/batch', wide(17), { writeKey: pk })).status, 413)
    assert.equal((await host.call('POST /v1/event', { as: pk, body: wide(3) })).status, 413, 'its own limit stays')
  })
})

describe('a database that cannot be reached', () => {
  it('is answered 503 with Retry-After, and the event can be sent again', async t => {
    const state: { is: 'up' | 'down' | 'unknown' } = { is: 'up' }
    const wrapDb = (db: Database): Database => {
      const ifUp = <T>(write: () => Promise<T>) =>
        state.is === 'up' ? write() : Promise.reject(new EngineUnavailable('db', state.is))
      const transaction: Database['transaction'] = work => ifUp(() => db.transaction(work))
      const atOnce: Database['atOnce'] = work => ifUp(() => db.atOnce(work))
      const wrapped: Database = Object.assign(
        ((strings: TemplateStringsArray, ...values: never[]) => db(strings, ...values)) as Database,
        { ...db, transaction, atOnce, for: () => wrapped },
      )
      return Object.assign(wrapped, { background: wrapped, analytics: wrapped })
    }
    const own = await startHost({ wrapDb }, t)
    const send = () => own.call('POST /v1/event', { body: { event: 'x', messageId: 'same', properties: {} } })
    for (const is of ['down', 'unknown'] as const) {
      state.is = is
      const refused = await send()
      assert.deepEqual([refused.status, refused.body.error.code], [503, 'database_unreachable'])
      assert.ok(refused.headers['retry-after'], is)
    }
    state.is = 'up'
    assert.equal((await send()).status, 200)
    await catchUp(own)
    assert.equal((await own.db`select from events`).length, 1)
  })
})

describe('the paths of SDKs', () => {
  const event = { event: 'x', properties: {} }
  it('take the same bodies, and nothing is at other paths', async () => {
    for (const path of ['posthog/e/', 'posthog/batch', 'segment/v1/batch', 'amplitude', 'amplitude/2/httpapi']) {
      const { status, body } = await host.call(`POST /v1/event/${path}`, { body: [event], as: pk })
      assert.deepEqual([status, body.accepted], [200, 1], path)
    }
    for (const path of ['batch', 'batch/', 'nobody', 'posthog/nothing', 'posthog/s/']) {
      const { status, body } = await host.call(`POST /v1/event/${path}`, { body: [event], as: pk })
      assert.deepEqual([status, body.error.code], [404, 'not_found'], path)
    }
  })

  it('answer that there are no flags', async () => {
    const flags = await host.call('POST /v1/event/posthog/flags/?v=2', {
      as: null,
      body: { token: pk, distinct_id: 'u' },
    })
    assert.deepEqual([flags.status, flags.body.flags], [200, {}])
    const config = await host.call(`GET /v1/event/posthog/array/${pk}/config`, { as: null })
    assert.deepEqual([config.status, config.body.sessionRecording], [200, false])
  })

  it('answer faults as the SDK reads them', async () => {
    const { status, body } = await host.call('POST /v1/event/amplitude', { as: null, body: { events: [] } })
    assert.deepEqual([status, body.code, typeof body.error], [401, 401, 'string'])
    const many = { api_key: pk, events: Array.from({ length: 51 }, () => ({ event_type: 'x' })) }
    const refused = await host.call('POST /v1/event', { as: null, body: many })
    assert.deepEqual([refused.status, refused.body.code], [400, 413])
  })
})
