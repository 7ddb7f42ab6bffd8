// Ingest against senders that mean no good: keys of others, bodies that cost more than they weigh, and hidden addresses.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { type Answer, startHost } from '../../../test/host.ts'
import { catchUp } from '../../../test/warehouse.ts'
import type { Tx } from '../../engines/engines.ts'

const host = await startHost()
const { home, other } = host
const publishable = async (as: string) =>
  (await host.call('POST /v1/account/keys', { as, body: { name: 'Web', type: 'publishable' } })).body.key as string
const [pk, otherPk] = [await publishable(home.key), await publishable(other.key)]

type Stored = { org: string; event: string; properties: Record<string, unknown> }
const stored = async (event: string) => {
  await catchUp(host)
  return host.db<Stored>`select org, event, properties from events where event = ${event} order by received, id`
}
const envelopes = async (subject: string) =>
  (await host.db<{ envelope: string }>`select envelope from bus_log where subject = ${subject}`).map(({ envelope }) =>
    JSON.parse(envelope),
  )

describe('the key of an event in the query', () => {
  const get = (event: string, token?: string) => {
    const json = JSON.stringify({ event, properties: { distinct_id: 'u', ...(token && { token }) } })
    const query = new URLSearchParams({ data: Buffer.from(json).toString('base64') })
    return host.call(`GET /v1/event/mixpanel/track?${query}`, { as: null })
  }

  it('is that of the request itself, not of an earlier one', async () => {
    assert.equal((await get('got_first', pk)).status, 200)
    assert.equal((await get('got_second', otherPk)).status, 200)
    assert.equal((await get('got_third')).status, 401)
    assert.deepEqual(
      [await stored('got_first'), await stored('got_second'), await stored('got_third')].map(rows =>
        rows.map(({ org }) => org),
      ),
      [[home.org], [other.org], []],
    )
  })
})

describe('a key in a usual place', () => {
  for (const [place, headers, query] of [
    ['the header', { 'x-service-ingest-key': pk }, ''],
    ['the query', {}, `?ingest_key=${pk}`],
  ] as const) {
    it(`in ${place} precedes the user of basic authentication, where SDKs put theirs`, async () => {
      const basic = { authorization: `Basic ${Buffer.from('tester:secret').toString('base64')}` }
      const answer = await host.call(`POST /v1/event${query}`, {
        as: null,
        headers: { ...headers, ...basic },
        body: { event: 'basic' },
      })
      assert.deepEqual([answer.status, answer.body.accepted], [200, 1], answer.text)
    })
  }
})

describe('privacy', () => {
  for (const [name, value] of [
    ['dnt', '1, 1'],
    ['sec-gpc', '1, 1'],
    ['dnt', '0, 1'],
  ] as const) {
    it(`is asked for by ${name}: ${value}, as repeated headers arrive`, async () => {
      const answer = await host.call('POST /v1/event', { headers: { [name]: value }, body: { event: 'asked' } })
      assert.deepEqual(answer.body, { accepted: 0, dropped: 1, reason: 'privacy' })
      assert.equal((await stored('asked')).length, 0)
    })
  }

  it('removes addresses whatever their name', async () => {
    const hidden = {
      'X-Forwarded-For': '192.0.2.1',
      clientIp: '192.0.2.1',
      x_real_ip: '192.0.2.1',
      remoteAddress: '192.0.2.1',
      $initial_ip: '192.0.2.1',
      request: { headers: { 'cf-connecting-ip': '192.0.2.1' } },
    }
    const properties = { ...hidden, shipping: 'express', tip: 2 }
    await host.call('POST /v1/event', { body: { event: 'hidden', properties } })
    const kept = { shipping: 'express', tip: 2, request: { headers: {} } }
    assert.deepEqual((await stored('hidden'))[0]?.properties, kept)
    assert.deepEqual((await envelopes('event.hidden'))[0].data.properties, kept)
  })
})

describe('numbers', () => {
  it('that are too large to be stored are not published either', async () => {
    const body = { events: [{ event_type: 'infinite', price: 1e308, quantity: 1_000 }] }
    assert.equal((await host.call('POST /v1/event', { body })).status, 200)
    assert.equal('revenue' in (await envelopes('event.infinite'))[0].data, false)
  })

  it('of hundreds of digits may not be many', async () => {
    const one = (count: number, value: number) => ({ event: 'digits', properties: { a: Array(count).fill(value) } })
    const body = [one(2_000, 1e308), one(2_000, 5e-324), one(2_000, 1e15), one(100, 1e308)]
    const answer = await host.call('POST /v1/event', { body })
    assert.deepEqual(answer.body, {
      accepted: 2,
      dropped: 2,
      errors: [
        { index: 0, reason: 'too_many_values' },
        { index: 1, reason: 'too_many_values' },
      ],
    })
  })
})

describe('a compressed body of an SDK', () => {
  const post = (body: string, encoding = 'gzip') =>
    host.call('POST /v1/event/posthog/batch/', {
      as: pk,
      body: gzipSync(body),
      headers: encoding ? { 'content-encoding': encoding } : {},
    })
  const batch = (properties: object) =>
    JSON.stringify({ batch: Array.from({ length: 250 }, () => ({ event: 'packed', distinct_id: 'u', properties })) })

  it('of 1 KB costs no more than other small bodies: it may not have ninety thousand values, or half a megabyte', async () => {
    for (const encoding of ['gzip', '']) {
      const values = await post(batch({ a: Array(350).fill(1) }), encoding)
      assert.deepEqual([values.status, values.body.error.code], [413, 'body_too_large'])
      assert.equal((await post(batch({ text: 'x'.repeat(1_900) }), encoding)).status, 413)
    }
    assert.equal((await stored('packed')).length, 0)
  })

  it('of an ordinary batch is accepted', async () => {
    const fields = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`$property_${at}`, `value ${at}`]))
    const batch = Array.from({ length: 100 }, (_, at) => {
      const id = createHash('sha256').update(String(at)).digest('hex')
      return { event: 'ordinary', distinct_id: 'u', properties: { ...fields, $insert_id: id } }
    })
    const { status, body } = await post(JSON.stringify({ batch }))
    assert.deepEqual([status, body.accepted], [200, 100], JSON.stringify(body))
  })
})

describe('ids', () => {
  it('are taken in one order, so that two transactions with the same ones do not block each other', async () => {
    const dedupeId = (id: string) => {
      const hex = createHash('sha256').update(`trusted\n${id}`).digest('hex').slice(0, 32)
      return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
    }
    const [low, high] = ['order 1', 'order 2'].toSorted((a, b) => (dedupeId(a) < dedupeId(b) ? -1 : 1)) as string[]
    const insert = (tx: Tx, id: string | undefined) =>
      tx`insert into event_ids (org, id, at) values (${home.org}, ${dedupeId(id as string)}, now())`
    const sent: ReturnType<typeof host.call>[] = []
    await host.db.transaction(async tx => {
      await insert(tx, low)
      const events = [high, low].map(messageId => ({ event: 'ordered', messageId }))
      sent.push(host.call('POST /v1/event', { body: events }))
      await new Promise(resolve => setTimeout(resolve, 200))
      await insert(tx, high)
    })
    const [{ status, body, text }] = (await Promise.all(sent)) as [Answer]
    assert.deepEqual([status, body], [200, { accepted: 2, dropped: 0 }], text)
  })
})

describe('a small body with many items', () => {
  it('costs little before its credential is known', async () => {
    const body = gzipSync(`[${'{},'.repeat(340_000)}{}]`)
    const started = performance.now()
    const headers = { 'content-type': 'text/plain' }
    for (let at = 0; at < 5; at++) {
      const answer = await host.call('POST /v1/event/segment/page', { as: null, headers, body })
      assert.equal(answer.status, 401)
    }
    const ms = performance.now() - started
    assert.ok(ms < 3_000, `five requests took ${Math.round(ms)} ms`)
  })

  it('is not decompressed twice, which would make much of little', async () => {
    const pages = Array.from({ length: 100 }, () => gzipSync(' '.repeat(600)))
    const twice = gzipSync(Buffer.concat([gzipSync('{"event":"twice"}'), ...pages]))
    for (const encoding of ['gzip', 'x-gzip']) {
      const headers = { 'content-type': 'text/plain', 'content-encoding': encoding }
      const answer = await host.call('POST /v1/event', { headers, body: twice })
      assert.deepEqual([answer.status, answer.body.error?.code], [400, 'malformed_request'])
    }
    assert.equal((await stored('twice')).length, 0)
  })

  it('says how many there were', async () => {
    const batch = Array.from({ length: 4_321 }, () => ({ event: 'x' }))
    const body = { api_key: pk, batch }
    const refused = await host.call('POST /v1/event', { as: null, body })
    assert.deepEqual([refused.status, refused.body.error.code], [400, 'too_many_events'])
    assert.match(refused.body.error.message, /4321/)
    const headers = { dnt: '1' }
    const unstored = await host.call('POST /v1/event', { as: null, headers, body })
    assert.deepEqual([unstored.body.accepted, unstored.body.dropped], [0, 4_321])
  })
})

describe('a delivery of a webhook', () => {
  it('is no event, so that nothing is delivered without end', async () => {
    for (const path of ['/v1/event', '/v1/event/segment/page']) {
      const headers = { 'x-webhook-delivery': '019a2f5e-7c1b-7d3e-9a64-2b8c1f0e5d47' }
      const answer = await host.call(`POST ${path}`, {
        headers,
        body: { event: 'again', type: 'page', messageId: 'm' },
      })
      assert.deepEqual([answer.status, answer.body.error.code], [400, 'malformed_request'])
    }
  })
})
