import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startHost } from '../../../test/host.ts'
import { specimen } from '../../../test/specimen.ts'
import { services } from '../index.ts'

const host = await startHost({ services: [...services, specimen] })
const CENT = 1_000_000

const keyWith = async (budget: object) =>
  (await host.call('POST /v1/account/keys', { body: { name: 'spender', budget } })).body as { id: string; key: string }
const spend = (key: string, cents: number) =>
  host.call('POST /v1/specimen/spend', { as: key, body: { units: Math.round(cents * CENT) } })
const spentBy = async (id: string) => {
  const { data } = (await host.call('GET /v1/account/keys?limit=200')).body
  const { spend, spendMonth } = data.find((key: { id: string }) => key.id === id)
  return { spend, spendMonth }
}

describe('a budget', () => {
  it('allows calls while the spending is below it, then answers 402 and names the budget', async () => {
    for (const budget of ['month', 'total']) {
      const { id, key } = await keyWith({ [budget]: 10 })
      assert.equal((await spend(key, 9.999999)).status, 204)
      assert.equal((await spend(key, 5)).status, 204, 'a call that has started may overshoot')
      const answer = await spend(key, 1)
      assert.equal(answer.status, 402)
      assert.equal(answer.body.error.code, 'key_budget')
      assert.equal(answer.body.error.param, budget)
      assert.match(answer.body.error.message, new RegExp(`\`${budget}\` budget of 10 cents`))
      assert.deepEqual(await spentBy(id), { spend: 14.999999, spendMonth: 14.999999 })
    }
  })

  it('is used up at exactly its amount', async () => {
    const { key } = await keyWith({ total: 10 })
    assert.equal((await spend(key, 10)).status, 204)
    assert.equal((await spend(key, 0)).status, 402)
  })

  it('resets with the UTC calendar month if monthly, and never if total', async () => {
    host.clock.advance(Date.parse('2026-11-30T23:59:59.999Z') - host.clock.now().getTime())
    const [month, total] = [await keyWith({ month: 10 }), await keyWith({ total: 10 })]
    for (const { key } of [month, total]) {
      await spend(key, 10)
      assert.equal((await spend(key, 1)).status, 402)
    }
    host.clock.advance(1)
    assert.equal((await spend(month.key, 3)).status, 204)
    assert.equal((await spend(total.key, 3)).status, 402)
    assert.deepEqual(await spentBy(month.id), { spend: 13, spendMonth: 3 })
    assert.deepEqual(await spentBy(total.id), { spend: 10, spendMonth: 0 })
  })

  it('is no cap if 0, and the spending of a key without budget is still counted', async () => {
    const { id, key } = await keyWith({ month: 0, total: 5 })
    assert.equal((await spend(key, 4)).status, 204)
    assert.equal((await spend(key, 1)).status, 204)
    assert.equal((await spend(key, 1)).status, 402)
    const { body } = await host.call('POST /v1/account/keys', { body: { name: 'free' } })
    assert.equal((await spend(body.key, 1_000)).status, 204)
    assert.deepEqual(await spentBy(body.id), { spend: 1_000, spendMonth: 1_000 })
    assert.equal((await spentBy(id)).spend, 5)
  })

  it('can be raised with immediate effect, and the spending stays', async () => {
    const { id, key } = await keyWith({ total: 1 })
    await spend(key, 1)
    assert.equal((await spend(key, 1)).status, 402)
    const { body } = await host.call(`PATCH /v1/account/keys/${id}`, { body: { budget: { total: 2 } } })
    assert.equal(body.spend, 1)
    assert.equal((await spend(key, 1)).status, 204)
    assert.equal((await spend(key, 1)).status, 402)
  })

  it('counts all concurrent spending', async () => {
    const { id, key } = await keyWith({ total: 1_000 })
    await Promise.all(Array.from({ length: 40 }, () => spend(key, 0.25)))
    assert.deepEqual(await spentBy(id), { spend: 10, spendMonth: 10 })
  })

  it('applies to model calls only', async () => {
    const { key } = await keyWith({ total: 1 })
    await spend(key, 1)
    assert.equal((await host.call('GET /v1/projects', { as: key })).status, 200)
  })
})
