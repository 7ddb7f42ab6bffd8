import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startHost } from '../../../test/host.ts'
import { keyCalls } from '../../../test/keys.ts'

const host = await startHost()
const anna = await host.member(host.home.org, 'member')
const bert = await host.member(host.home.org, 'member')

const { made, patch, revoke, listed, use } = keyCalls(host)

describe('changing a key', () => {
  it('changes the given fields only, and never the secret', async () => {
    const { id, key } = await made({ name: 'Before', rate: 600, limit: ['read:*'] })
    const { status, body } = await patch(id, { name: 'After', budget: { month: 100 } })
    assert.equal(status, 200)
    const { name, rate, limit, budget } = body
    assert.deepEqual(
      { name, rate, limit, budget },
      {
        name: 'After',
        rate: 600,
        limit: ['read:*'],
        budget: { month: 100, total: 0 },
      },
    )
    assert.ok(!('key' in body))
    assert.deepEqual(await listed(id), body)
    assert.equal((await use(key)).status, 200)
  })

  it('removes a bound with null, and `limit` also with []', async () => {
    for (const limit of [[], null]) {
      const { id } = await made({ rate: 5, limit: ['read:*'], budget: { total: 5 }, expires: '2027-01-01T00:00:00Z' })
      const { body } = await patch(id, { rate: null, limit, budget: null, expires: null })
      for (const bound of ['limit', 'budget', 'rate', 'expires']) assert.ok(!(bound in body), bound)
    }
  })

  it('takes effect immediately', async () => {
    const { id, key } = await made()
    assert.equal((await use(key)).status, 200)
    await patch(id, { limit: ['product:risk'] })
    assert.equal((await use(key)).body.error.code, 'key_limit')
  })

  for (const change of [
    "expires = '2030-01-01'",
    "limits = '{read:*}'",
    'budget_month = 1',
    'budget_total = 1',
    'rate = 1',
  ]) {
    it(`drops the cached key immediately after a manual update of the database: ${change}`, async () => {
      const { id, key } = await made()
      await use(key)
      const isCached = () => !(host.keyring.secretKey(key, '127.0.0.1') instanceof Promise)
      assert.ok(isCached())
      await host.db.script(`update keys set ${change} where id = '${id}'`)
      await host.db.waitForNotifications()
      assert.ok(!isCached())
    })
  }

  it('replaces the whole budget: a cap that is left out becomes 0', async () => {
    const { id } = await made({ budget: { month: 5, total: 9 } })
    assert.deepEqual((await patch(id, { budget: { month: 6 } })).body.budget, { month: 6, total: 0 })
  })

  it('loses no concurrent change', async () => {
    for (let round = 0; round < 5; round++) {
      const { id } = await made()
      const change = { name: 'Changed', rate: 5, limit: ['read:*'], budget: { month: 0, total: 5 } }
      await Promise.all(Object.entries(change).map(([field, value]) => patch(id, { [field]: value })))
      const { name, rate, limit, budget } = await listed(id)
      assert.deepEqual({ name, rate, limit, budget }, change)
    }
  })

  it('leaves no audit entry when nothing changes', async () => {
    const { id } = await made({ rate: 5, limit: ['read:*'], budget: { month: 5 } })
    for (const same of [{}, { rate: 5, limit: ['read:*'], budget: { month: 5 }, name: 'A key' }]) {
      assert.equal((await patch(id, same)).status, 200)
    }
    assert.equal((await host.db`select from audit where on_what = ${id}`).length, 1)
  })

  it('is allowed to the owner only: answers 403 to an admin and 404 to another member', async () => {
    const { id } = await made({}, anna.key)
    const before = await listed(id)
    assert.equal((await patch(id, { name: 'Mine' }, host.home.key)).status, 403)
    assert.equal((await patch(id, { name: 'Mine' }, bert.key)).status, 404)
    assert.equal((await patch(id, { name: 'Mine' }, host.other.key)).status, 404)
    assert.deepEqual(await listed(id), before)
  })

  it('does not reactivate a revoked or expired key', async () => {
    const revoked = await made()
    await revoke(revoked.id)
    assert.equal((await patch(revoked.id, { expires: null })).status, 409)
    const soon = await made({ expires: new Date(host.clock.now().getTime() + 5).toISOString() })
    host.clock.advance(5)
    assert.equal((await patch(soon.id, { expires: null })).status, 409)
    assert.equal((await listed(soon.id)).status, 'expired')
  })

  it('does not reactivate a key that expires while the request waits for the lock', async () => {
    const soon = await made({ expires: new Date(host.clock.now().getTime() + 5).toISOString() })
    const { answer } = await host.db.transaction(async db => {
      await db`select from keys where id = ${soon.id} for update`
      const answer = patch(soon.id, { expires: null })
      await new Promise(resolve => setTimeout(resolve, 200)) // Until the request waits for this transaction.
      host.clock.advance(5)
      return { answer }
    })
    assert.equal((await answer).status, 409)
  })

  for (const [field, value] of [
    ['expires', '2020-01-01T00:00:00Z'],
    ['name', null],
    ['type', 'publishable'],
    ['status', 'active'],
    ['limit', ['nobody:x']],
  ] as const) {
    it(`refuses ${field}: ${JSON.stringify(value)}`, async () => {
      const { id } = await made()
      const before = await listed(id)
      const answer = await patch(id, { [field]: value, rate: 7 })
      assert.equal(answer.status, 400)
      assert.ok(answer.body.error.param.startsWith(field))
      assert.deepEqual(await listed(id), before)
    })
  }
})

describe('expiry', () => {
  it('is exact to the millisecond; afterwards the key answers 401 with `key_expired`', async () => {
    const expires = new Date(host.clock.now().getTime() + 1_000).toISOString()
    const { key, id } = await made({ expires })
    host.clock.advance(999)
    assert.equal((await use(key)).status, 200)
    host.clock.advance(1)
    const { status, body } = await use(key)
    assert.equal(status, 401)
    assert.equal(body.error.code, 'key_expired')
    assert.match(body.error.message, /expired/)
    assert.equal((await listed(id)).status, 'expired')
  })
})
