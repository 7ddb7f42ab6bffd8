import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startHost } from '../../../test/host.ts'
import { keyCalls } from '../../../test/keys.ts'

const host = await startHost()
const { made, listed, patch, rotate } = keyCalls(host)
const EMAIL = 'owner@home.test'
const OWNER = `Acts as ${EMAIL}, an owner of home.`
const ALL = 'Reads and writes whatever this person may.'
const NO_CREDENTIALS = 'Creates and changes no keys or other credentials, but may revoke them.'
const UNTIL_REVOKED = `Works until it is revoked, or ${EMAIL} leaves home.`
const EVENTS = 'Writes events and reads nothing.'

describe('what a new key may do, in words', () => {
  const limited = (...sentences: string[]) => [OWNER, ...sentences, NO_CREDENTIALS, UNTIL_REVOKED]
  const cases: [fields: Record<string, unknown>, may: string[]][] = [
    [{}, [OWNER, ALL, UNTIL_REVOKED]],
    [{ expires: '2026-12-01T01:00:00+01:00' }, [OWNER, ALL, 'Ends at 2026-12-01T00:00:00.000Z.']],
    [
      { limit: ['product:event', 'product:risk'] },
      limited('Reads and writes the services event and risk.', 'Reaches no other service.'),
    ],
    [{ limit: ['read:risk'] }, limited('Only reads the service risk.', 'Reaches no other service.')],
    [
      { limit: ['product:event', 'read:event', 'read:risk', 'read:ai', 'read:iam'] },
      limited(
        'Reads and writes the service event.',
        'Only reads the services risk, ai and iam.',
        'Reaches no other service.',
      ),
    ],
    [{ limit: ['read:*'] }, limited('Reads every service and writes nothing.')],
    [{ limit: ['read:*', 'product:risk'] }, limited('Reads and writes the service risk.', 'Only reads all others.')],
    [{ limit: ['product:*', 'read:risk'] }, limited(ALL)],
    [{ limit: ['project:*', 'model:*'] }, limited(ALL)],
    [{ limit: ['project:web'] }, limited(ALL, 'Only in the project web.')],
    [
      { limit: ['project:web', 'project:shop', 'model:a', 'model:b/c'] },
      limited(ALL, 'Only in the projects web and shop.', 'Calls only the models a and b/c.'),
    ],
    [{ budget: { month: 1_000 } }, limited(ALL, 'Spends at most 10.00 USD a month on model calls.')],
    [{ budget: { total: 5 } }, limited(ALL, 'Spends at most 0.05 USD in total on model calls.')],
    [
      { budget: { month: 1_000, total: 123_456 } },
      limited(ALL, 'Spends at most 10.00 USD a month and 1234.56 USD in total on model calls.'),
    ],
    [{ rate: 60 }, limited(ALL, 'At most 60 requests a minute.')],
    [{ rate: 1 }, limited(ALL, 'At most 1 request a minute.')],
    [{ limit: [], budget: { month: 0, total: 0 }, rate: null, expires: null }, [OWNER, ALL, UNTIL_REVOKED]],
    [{ type: 'publishable' }, [EVENTS, UNTIL_REVOKED]],
    [
      { type: 'publishable', limit: ['project:web', 'product:event'], rate: 60, expires: '2026-12-01T00:00:00Z' },
      [EVENTS, 'Only in the project web.', 'At most 60 requests a minute.', 'Ends at 2026-12-01T00:00:00.000Z.'],
    ],
    ...['product:risk', 'read:event', 'read:*'].map((entry): (typeof cases)[number] => [
      { type: 'publishable', limit: [entry] },
      [
        'Does nothing: a publishable key writes events, and its limit does not include the service event.',
        UNTIL_REVOKED,
      ],
    ]),
  ]
  for (const [fields, may] of cases) {
    it(`of ${JSON.stringify(fields)}`, async () => assert.deepEqual((await made(fields)).may, may))
  }

  it('names the person and their role', async () => {
    for (const [role, words] of [
      ['member', 'a member'],
      ['admin', 'an admin'],
    ] as const) {
      const { email, key } = await host.member(host.home.org, role)
      assert.equal((await made({}, key)).may[0], `Acts as ${email}, ${words} of home.`)
    }
  })

  it('is true of publishable keys', async () => {
    const body = { event: 'Opened', distinctId: 'a' }
    for (const [limit, status] of [
      [[], 200],
      [['product:event'], 200],
      [['product:*'], 200],
      [['product:risk'], 403],
      [['read:*'], 403],
    ] as const) {
      const { key, may } = await made({ type: 'publishable', limit })
      assert.equal((await host.call('POST /v1/event', { as: key, body })).status, status)
      assert.equal(may[0] === EVENTS, status === 200)
    }
  })

  it('names the currency of the host', async () => {
    const other = await startHost({ settings: { STOA_CURRENCY: 'EUR' } })
    const { may } = await keyCalls(other).made({ budget: { total: 5 } })
    assert.ok(may.includes('Spends at most 0.05 EUR in total on model calls.'), may.join(' '))
  })

  it('is in the answer of the creation only', async () => {
    const { id } = await made()
    for (const one of [await listed(id), (await patch(id, { rate: 5 })).body, (await rotate(id)).body])
      assert.ok(!('may' in one))
  })
})

describe('a budget that is no object', () => {
  it('is refused with the names of its fields', async () => {
    const { status, body } = await host.call('POST /v1/account/keys', { body: { name: 'x', budget: 5 } })
    const says = 'must be an object with `month`, `total` or null'
    assert.deepEqual([status, body.error.fields], [400, [{ path: 'budget', says }]])
  })
})
