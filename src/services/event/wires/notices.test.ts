// What a receipt says about values that cannot be read, and about misspelt fields.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readEvents } from './read.ts'
import type { ReadEvent } from './wire.ts'

const only = (body: unknown) =>
  readEvents(body, { contentType: null, query: new URLSearchParams(), path: null }).items[0] as ReadEvent

describe('a notice about our own event', () => {
  const misspelt = (field: string, known: string) => ({ reason: 'field_unknown', field, known })
  const cases: [what: string, sent: object, notices: object[] | undefined][] = [
    ['a decimal comma', { revenue: '12,50' }, [{ reason: 'revenue_invalid' }]],
    ['revenue that is an object', { revenue: {} }, [{ reason: 'revenue_invalid' }]],
    ['revenue among the properties', { properties: { revenue: '€ 5' } }, [{ reason: 'revenue_invalid' }]],
    ['the name of a currency', { currency: 'Euro' }, [{ reason: 'currency_invalid' }]],
    ['a sign of a currency', { currency: '€' }, [{ reason: 'currency_invalid' }]],
    ['three letters that are no currency', { currency: 'EUX' }, [{ reason: 'currency_invalid' }]],
    ['an id that is an object', { sessionId: {} }, [{ reason: 'id_invalid' }]],
    ['two ids that are lists', { sessionId: [], distinctId: [] }, [{ reason: 'id_invalid' }]],
    ['another case', { distinctid: 'u' }, [misspelt('distinctid', 'distinctId')]],
    ['another separator', { 'Session-ID': 's' }, [misspelt('Session-ID', 'sessionId')]],
    ['the user of other formats', { userId: 'u' }, [misspelt('userId', 'distinctId')]],
    ['the same with an underscore', { user_id: 'u' }, [misspelt('user_id', 'distinctId')]],
    ['the time of other formats', { time: 1_700_000_000 }, [misspelt('time', 'timestamp')]],
    ['properties with a capital', { Properties: { a: 1 } }, [misspelt('Properties', 'properties')]],
    ['two spellings of one field', { userid: 'u', DISTINCTID: 'u' }, [misspelt('userid', 'distinctId')]],
    ['two fields', { userid: 'u', Revenue: 5 }, [misspelt('userid', 'distinctId'), misspelt('Revenue', 'revenue')]],
    ['names that are read', { distinct_id: 'u', session_id: 's', message_id: 'm' }, undefined],
    ['a field beside the one it resembles', { distinctId: 'u', userId: 'v' }, undefined],
    ['nothing', { userId: null, revenue: null, currency: null, timestamp: null, subject: null }, undefined],
    ['an empty text', { revenue: '', currency: '', distinctId: '' }, undefined],
    ['other fields', { page: '/x', price: 'much', user: 'u' }, undefined],
    ['the same names among the properties', { properties: { userId: 'u', time: 5, distinctid: 'u' } }, undefined],
    ['amounts and codes that can be read', { revenue: '12.50', currency: 'eur' }, undefined],
  ]
  for (const [what, sent, notices] of cases) {
    it(`is ${notices ? 'given' : 'not given'}: ${what}`, () => {
      assert.deepEqual(only({ event: 'a', ...sent }).notices, notices)
    })
  }

  it('does not change what is stored', () => {
    const { currency, properties, distinctId } = only({ event: 'a', currency: 'btc', userid: 'u', revenue: '5 €' })
    assert.deepEqual([currency, properties, distinctId], ['BTC', { userid: 'u', revenue: '5 €' }, null])
  })

  it('is not needed for a subject that is no text, which drops the event', () => {
    for (const subject of [{}, [], true, ''])
      assert.deepEqual(only({ event: 'a', subject }), { drop: 'subject_invalid' })
  })
})

describe('a time of an SDK that cannot be read', () => {
  const SENT: [wire: string, event: (time: unknown) => object, name: string][] = [
    ['posthog', time => ({ api_key: 'pk-1', event: 'a', timestamp: time }), 'timestamp'],
    ['segment', time => ({ type: 'track', event: 'a', timestamp: time }), 'timestamp'],
    ['amplitude', time => ({ event_type: 'a', time }), 'time'],
    ['mixpanel', time => ({ event: 'a', properties: { mp_lib: 'web', token: 'pk-1', time } }), 'time'],
    ['mixpanel', time => ({ $distinct_id: 'u', $set: {}, $time: time }), '$time'],
  ]
  const TIMES = [
    'yesterday',
    '2026-02-30T00:00:00Z',
    '2026-11-16T12:00:00+25:00',
    '',
    0,
    -1,
    1e308,
    { at: 1 },
    [5],
    true,
  ]
  for (const [wire, event, name] of SENT) {
    it(`keeps the event, and is told: ${wire}, ${name}`, () => {
      for (const time of TIMES) {
        const { timestamp, properties, notices, wire: found } = only(event(time))
        assert.deepEqual([found, timestamp, notices], [wire, null, [{ reason: 'timestamp_invalid' }]], String(time))
        assert.deepEqual(properties[name], time, 'the value stays where it can be found')
      }
      for (const time of [null, undefined, 1_700_000_000]) assert.equal(only(event(time)).notices, undefined)
    })
  }

  it('is told if another field has the time', () => {
    const at = '2026-11-16T00:00:00Z'
    const segment = only({ type: 'track', event: 'a', timestamp: 'now', originalTimestamp: at })
    assert.deepEqual([segment.timestamp, segment.notices], [Date.parse(at), [{ reason: 'timestamp_invalid' }]])
    const posthog = only({ api_key: 'pk-1', event: 'a', offset: 'soon' })
    assert.deepEqual(posthog.notices, [{ reason: 'timestamp_invalid' }])
  })
})
