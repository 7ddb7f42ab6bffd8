// Every fault of ingest, at /v1/event and at the paths of SDKs, and what they see.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startHost } from '../../../test/host.ts'

const host = await startHost({ settings: { STOA_EVENTS_PER_CLIENT: 40 } })
const workspace = (await host.call('POST /v1/iam/workspaces', { body: { name: 'Team' } })).body.id
const token = (await host.call(`POST /v1/iam/workspaces/${workspace}/tokens`, { body: {} })).body.token as string
const pk = (await host.call('POST /v1/account/keys', { body: { name: 'Web', type: 'publishable' } })).body.key as string

const order = { event: 'Order', properties: {} }
const manyOf = (count: number) => Array.from({ length: count }, () => order)

type Sent = { body: unknown; as?: string }
/** How each of them is sent, with a key that reads as well. */
const FAULTS: Record<string, [status: number, sent: Sent]> = {
  malformed_request: [400, { body: Buffer.from('{') }],
  unroutable_events: [400, { body: [] }],
  too_many_events: [400, { body: manyOf(51) }],
  insufficient_capability: [403, { body: [order], as: token }],
  body_too_large: [413, { body: Buffer.alloc(65_537, 0x20) }],
}

/** As a query of GET, which the SDK of Mixpanel for Node writes with. */
const inQuery = (body: unknown) => {
  const text = Buffer.isBuffer(body) ? body.toString() : JSON.stringify(body)
  return `?data=${encodeURIComponent(Buffer.from(text).toString('base64'))}`
}

/** At the paths of SDKs, which send fewer events at once after this. */
const { too_many_events: _, ...others } = FAULTS
const AT_VENDORS: typeof FAULTS = { ...others, body_too_large: [413, { body: Buffer.alloc(512 * 1024 + 1, 0x20) }] }

describe('a fault', () => {
  for (const path of ['', '/segment', '/segment/v1/batch']) {
    for (const [code, [status, { body, as = host.home.key }]] of Object.entries(path === '' ? FAULTS : AT_VENDORS)) {
      it(`${code} at POST /v1/event${path}`, async () => {
        const answer = await host.call(`POST /v1/event${path}`, { body, as })
        assert.deepEqual([answer.status, answer.body.error.code], [status, code], answer.text)
      })
    }
  }

  for (const [code, [status, { body, as = host.home.key }]] of Object.entries({
    ...AT_VENDORS,
    body_too_large: [413, { body: manyOf(51) }] as [number, Sent],
  })) {
    it(`${code} at GET /v1/event/mixpanel/track, as its SDK reads it`, async () => {
      const answer = await host.call(`GET /v1/event/mixpanel/track${inQuery(body)}`, { as })
      assert.deepEqual([answer.status, answer.body.status, answer.body.reason], [status, 0, code], answer.text)
    })
  }

  it('of Amplitude is a text, and more than 50 events are to be sent in halves', async () => {
    const refused = await host.call('POST /v1/event/amplitude', { as: null, body: { events: [] } })
    assert.deepEqual([refused.status, refused.body.code, typeof refused.body.error], [401, 401, 'string'])
    const events = Array.from({ length: 51 }, () => ({ event_type: 'x' }))
    const large = await host.call('POST /v1/event', { as: null, body: { api_key: pk, events } })
    assert.deepEqual([large.status, large.body.code], [400, 413])
  })

  it('is a ceiling after too many requests of an address, wherever they are sent', async () => {
    const body = { event: '$pageview', properties: {} }
    const send = (what: string) => host.call(what, what.startsWith('GET') ? { as: pk } : { as: pk, body })
    for (let n = 0; n < 40; n++) await send('POST /v1/event')
    for (const [what, code] of [
      ['POST /v1/event', 'ingest_rate'],
      ['POST /v1/event/segment', 'ingest_rate'],
      ['POST /v1/event/segment/v1/track', 'ingest_rate'],
    ] as const) {
      const { status, body: answer } = await send(what)
      assert.deepEqual([status, answer.error.code], [429, code])
    }
    const got = await send(`GET /v1/event/mixpanel/track${inQuery([body])}`)
    assert.deepEqual([got.status, got.body.reason], [429, 'ingest_rate'])
  })
})
