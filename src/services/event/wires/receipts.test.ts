import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { faultBody, receiptFor } from './receipts.ts'
import type { AliasHint, WireName } from './wire.ts'

const said = (query = '', path: AliasHint | null = null) => ({ query: new URLSearchParams(query), path })
const AT_MIXPANEL: AliasHint = { wire: 'mixpanel', type: null, eventsMax: 50 }
const RECEIPT = { accepted: 2, dropped: 1, errors: [{ index: 1, reason: 'event_missing' }] }

describe('a receipt', () => {
  const cases: [wire: WireName, more: object][] = [
    ['native', {}],
    ['posthog', { status: 1 }],
    ['segment', { success: true, ok: true }],
    ['amplitude', { code: 200, events_ingested: 2 }],
    ['mixpanel', { status: 1, error: null }],
  ]
  for (const [wire, more] of cases) {
    it(`for ${wire} has the counts and what its SDK reads`, () => {
      assert.deepEqual(receiptFor(wire, RECEIPT, said()), { ...RECEIPT, ...more })
    })
  }

  it('says why nothing was stored', () => {
    const receipt = { accepted: 0, dropped: 1, reason: 'privacy' }
    assert.deepEqual(receiptFor('amplitude', receipt, said()), { ...receipt, code: 200, events_ingested: 0 })
  })

  for (const [query, path, isObject] of [
    ['verbose=0', AT_MIXPANEL, false],
    ['', AT_MIXPANEL, false],
    ['verbose=0', null, false],
    ['verbose=1', AT_MIXPANEL, true],
    ['', null, true],
  ] as const) {
    const where = path ? 'its own path' : '/v1/event'
    it(`for Mixpanel at ${where} with "${query}" is ${isObject ? 'an object' : 'just 1'}`, () => {
      assert.equal(typeof receiptFor('mixpanel', RECEIPT, said(query, path)), isObject ? 'object' : 'number')
    })
  }
})

describe('a fault', () => {
  const fault = { status: 401, code: 'ingest_key_required', message: 'Send a key.' }

  it('has the body of the host where the SDK reads only the status', () => {
    for (const wire of ['native', 'posthog', 'segment'] as const) assert.equal(faultBody(wire, fault), null)
  })

  it('has the message as a text for Mixpanel', () => {
    const body = { status: 0, error: 'Send a key.', code: 401, reason: 'ingest_key_required' }
    assert.deepEqual(faultBody('mixpanel', fault), body)
  })

  const cases: [what: string, fault: Partial<Parameters<typeof faultBody>[1]>, more: object][] = [
    ['a missing key ends it', {}, { missing_field: 'api_key' }],
    ['an unknown key ends it', { status: 403 }, { missing_field: 'api_key' }],
    ['invalid events are named', { status: 400, count: 2 }, { events_with_invalid_fields: { event_type: [0, 1] } }],
    ['an unreadable body ends it', { status: 400 }, { missing_field: 'events' }],
    ['too many events are sent in halves', { status: 400, count: 60, isTooMany: true }, { code: 413 }],
    ['too large a body is sent in halves', { status: 413 }, {}],
    ['too many requests are sent later', { status: 429, count: 2 }, {}],
    ['an outage is waited for', { status: 503 }, {}],
  ]
  for (const [what, other, more] of cases) {
    it(`for Amplitude: ${what}`, () => {
      const sent = { ...fault, ...other }
      const body = { code: sent.status, error: 'Send a key.', reason: 'ingest_key_required' }
      assert.deepEqual(faultBody('amplitude', sent), { ...body, ...more })
    })
  }
})
