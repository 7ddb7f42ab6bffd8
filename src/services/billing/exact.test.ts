// Money that must not be lost, spent twice or waited for: paid in advance, dead processes, locked rows.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { all, CENT, holdMoney, openBillingWorld, until } from '../../../test/billing-world.ts'
import { firstRun } from '../../../test/eventually.ts'
import { startHost } from '../../../test/host.ts'
import * as store from './store.ts'

const { host, newOrg, spend, balanceOf, credit, isBalanced } = await openBillingWorld()
type Host = typeof host

describe('a hold', () => {
  it('pays for the hold that a dead process left behind what it says, once', async t => {
    const own = await startHost({ services: all, runsBackground: true }, t)
    const { key, org } = own.home
    await firstRun(own.db, 'journal')
    const soon = new Date(own.clock.now().getTime() + 60_000).toISOString()
    const about = { org, product: 'specimen', model: 'small', key: null, project: null, metadata: { units: 2 } }
    const holds = [
      { ...about, id: 'txn_left', amount: 3 * CENT, soFar: 2 * CENT },
      // No service charges for it any more.
      { ...about, id: 'txn_bad', amount: 0, soFar: 0, product: 'gone' },
    ]
    await store.insertHolds(own.db.autocommit, org, holds, soon, false)
    assert.deepEqual(await balanceOf(key, own), { currency: 'USD', balance: 0, holds: 3, available: -3 })
    own.clock.advance(61_000)
    await until(async () => (await balanceOf(key, own)).holds === 0)
    assert.deepEqual(await balanceOf(key, own), { currency: 'USD', balance: -2, holds: 0, available: -2 })
    const { usage } = (await own.call('GET /v1/billing/usage', { as: key })).body
    assert.deepEqual([usage.length, usage[0].transactionId, usage[0].metadata.units], [1, 'txn_left', 2])
    await isBalanced(own)
    await until(async () => own.logged.some(line => line.includes('txn_bad')))
    own.warnings.length = 0
  })
})

describe('a charge', () => {
  it('that a dead process committed to its hold is there for whoever reads', async t => {
    const own = await startHost({ services: all }, t)
    const { key, org } = own.home
    const soon = new Date(own.clock.now().getTime() + 10_000).toISOString()
    const about = { org, product: 'specimen', key: null, project: null }
    const begun = { ...about, model: 'small', metadata: { units: 1 } }
    const before = '2026-01-02T03:04:05.000Z'
    const after = { ...about, model: 'large', metadata: { units: 2 }, ended: before, details: null }
    await store.insertHolds(
      own.db.autocommit,
      org,
      [{ ...begun, id: 'txn_a', amount: 3 * CENT, soFar: CENT }],
      soon,
      false,
    )
    // The second could not be held before.
    const ended = ['txn_a', 'txn_b'].map(id => ({ ...after, id, soFar: 2 * CENT }))
    await store.endHolds(own.db.autocommit, org, ended, soon)
    assert.deepEqual(await balanceOf(key, own), { currency: 'USD', balance: -4, holds: 0, available: -4 })
    const { usage } = (await own.call('GET /v1/billing/usage', { as: key })).body
    assert.deepEqual(
      usage.map((one: Record<string, unknown>) => [one.amount, one.metadata, one.createdAt]),
      Array(2).fill([2, { product: 'specimen', model: 'large', units: 2 }, before]),
    )
    await isBalanced(own)
  })

  it('that cannot be booked does not delay the answer, and what shows it waits', async () => {
    const { key, org } = await newOrg()
    await spend(key, 1)
    await balanceOf(key)
    const locked = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const holding = host.db.transaction(async tx => {
      await tx`select from billing_accounts where org = ${org} for update`
      locked.resolve()
      await release.promise
    })
    await locked.promise
    assert.equal((await spend(key, 1)).status, 204)
    const balance = balanceOf(key)
    assert.equal(await Promise.race([balance, new Promise(resolve => setTimeout(resolve, 100, 'waits'))]), 'waits')
    release.resolve()
    await holding
    assert.equal((await balance).balance, -2)
  })
})

describe('an organisation that pays in advance', () => {
  it('is refused 402 unless what is available covers the call, and is never below zero', async t => {
    const own = await startHost({ services: all, settings: { STOA_BILLING: 'prepaid' } }, t)
    const { key, org } = own.home
    const refused = await spend(key, 1, {}, {}, own)
    assert.deepEqual([refused.status, refused.body.error.code], [402, 'insufficient_balance'])
    await credit(org, 5, own)
    const leave = new AbortController()
    const call = holdMoney(own, key, leave.signal)
    await until(async () => (await balanceOf(key, own)).available === 2)
    assert.equal((await spend(key, 2.000001, {}, {}, own)).status, 402)
    assert.equal((await spend(key, 1, {}, {}, own)).status, 204)
    leave.abort()
    await call
    await until(async () => (await balanceOf(key, own)).available === 4)
    const spent = await Promise.all(Array.from({ length: 60 }, () => spend(key, 0.1, {}, {}, own)))
    assert.equal(spent.filter(({ status }) => status === 204).length, 40)
    assert.ok(spent.every(({ status }) => status === 204 || status === 402))
    assert.deepEqual(await balanceOf(key, own), { currency: 'USD', balance: 0, holds: 0, available: 0 })
    assert.equal((await spend(key, 0, {}, {}, own)).status, 204, 'what costs nothing passes')
    await isBalanced(own)
  })

  it('is never below zero with two processes', async t => {
    const settings = { STOA_BILLING: 'prepaid' }
    const own = await startHost({ services: all, settings }, t)
    const second = await startHost({ services: all, settings, beside: own }, t)
    const { key, org } = own.home
    await credit(org, 10, own)
    let passed = 0
    const client = async (on: Host) => {
      for (let n = 0; n < 20; n++) if ((await spend(key, 0.25, {}, {}, on)).status === 204) passed++
    }
    await Promise.all(Array.from({ length: 12 }, (_, n) => client(n % 2 === 0 ? own : second)))
    assert.equal(passed, 40)
    assert.equal((await balanceOf(key, second)).balance, 0)
    await isBalanced(own)
  })
})

describe('rows of another organisation that are locked', () => {
  it('delay nobody else', async () => {
    const [{ key, org }, { key: other }] = [await newOrg(), await newOrg()]
    await spend(key, 1)
    const locked = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const holding = host.db.transaction(async tx => {
      await tx`select from billing_accounts where org = ${org} for update`
      await tx`select from keys where org = ${org} for update`
      locked.resolve()
      await release.promise
    })
    await locked.promise
    const waiting = Array.from({ length: 20 }, () => spend(key, 1))
    for (let n = 0; n < 5; n++) assert.equal((await spend(other, 1)).status, 204)
    for (const as of [key, other]) assert.equal((await host.call('GET /v1/projects', { as })).status, 200)
    assert.equal((await balanceOf(other)).balance, -5)
    release.resolve()
    await holding
    assert.deepEqual(new Set((await Promise.all(waiting)).map(({ status }) => status)), new Set([204]))
    assert.equal((await balanceOf(key)).balance, -21)
  })
})
