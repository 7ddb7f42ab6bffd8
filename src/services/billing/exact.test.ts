// Money that must not be lost, spent twice or waited for: paid in advance, dead processes, locked rows.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { all, CENT, holdMoney, openBillingWorld, until } from '../../../test/billing-world.ts'
import { holdLock } from '../../../test/database.ts'
import { firstRun } from '../../../test/eventually.ts'
import { startHost } from '../../../test/host.ts'
import { type Database, EngineUnavailable, type Tx } from '../../engines/engines.ts'
import * as store from './store.ts'

const { host, newOrg, spend, balanceOf, credit, isBalanced } = await openBillingWorld()
type Host = typeof host

const lockAccount = (org: string) => (tx: Tx) => tx`select from billing_accounts where org = ${org} for update`
const HELD = { product: 'specimen', model: 'small', key: null, project: null, metadata: { units: 2 } }

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

describe('holds of an organisation whose rows are locked', () => {
  it('delay neither the charges nor the renewal of what others hold', async t => {
    const own = await startHost({ services: all, runsBackground: true }, t)
    await firstRun(own.db, 'journal')
    const [one, other] = [await own.organisation('a-locked'), await own.organisation('b-free')]
    await spend(one.key, 1, {}, {}, own)
    await balanceOf(one.key, own)
    const soon = new Date(own.clock.now().getTime() + 60_000).toISOString()
    for (const { org } of [one, other]) {
      const hold = { ...HELD, org, id: `txn_left_${org}`, amount: 3 * CENT, soFar: 2 * CENT }
      await store.insertHolds(own.db.autocommit, org, [hold], soon, false)
    }
    const leave = new AbortController()
    const calls = [one, other].map(({ key }) => holdMoney(own, key, leave.signal))
    const running = (org: string) =>
      own.db<{ expires: string }>`select expires from billing_holds where org = ${org} and not id like 'txn_left%'`
    for (const { org } of [one, other]) await until(async () => (await running(org)).length === 1)
    const [before] = await running(other.org)
    const release = await holdLock(own.db, async tx => {
      await lockAccount(one.org)(tx)
      await tx`select from billing_holds where org = ${one.org} and not id like 'txn_left%' for update`
    })
    own.clock.advance(6_000)
    await until(async () => ((await running(other.org))[0]?.expires ?? '') > (before?.expires ?? ''))
    own.clock.advance(56_000)
    await until(async () => (await balanceOf(other.key, own)).balance === -2)
    await release()
    const advancing = setInterval(() => own.clock.advance(1_000), 50)
    t.after(() => clearInterval(advancing))
    await until(async () => (await balanceOf(one.key, own)).balance === -3)
    leave.abort()
    await Promise.all(calls)
    own.warnings.length = 0
  })
})

describe('a charge', () => {
  it('that a dead process committed to its hold is visible to readers', async t => {
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

  it('that is committed is not changed by a renewal of its hold that comes late', async t => {
    const own = await startHost({ services: all }, t)
    const { key, org } = own.home
    const soon = new Date(own.clock.now().getTime() + 10_000).toISOString()
    const one = { ...HELD, org, id: 'txn_late', soFar: 2 * CENT }
    await store.endHolds(own.db.autocommit, org, [{ ...one, ended: soon, details: null }], soon)
    await store.renewHolds(own.db.autocommit, [{ ...one, soFar: CENT }], soon)
    assert.equal((await balanceOf(key, own)).balance, -2)
  })

  it('that the database rejects does not hide others from readers', async t => {
    const own = await startHost({ services: all }, t)
    const { key, org } = own.home
    const soon = new Date(own.clock.now().getTime() + 10_000).toISOString()
    // No service charges for the product of one.
    const ended = [...Array(7).keys()].map(n => ({
      ...{ ...HELD, org, id: `txn_${n}`, soFar: CENT, ended: soon, details: null },
      ...(n === 4 && { product: 'gone' }),
    }))
    await store.endHolds(own.db.autocommit, org, ended, soon)
    for (let n = 0; n < 2; n++) assert.equal((await balanceOf(key, own)).balance, -6)
    own.warnings.length = 0
  })

  it('that cannot be booked does not keep the host from its end, and is booked by another', async t => {
    const state = { isDown: false }
    const wrapDb = (db: Database): Database => {
      const atOnce: Database['atOnce'] = async work => {
        if (state.isDown) throw new EngineUnavailable('db', 'down')
        await db.atOnce(work)
      }
      const wrapped: Database = Object.assign(
        ((strings: TemplateStringsArray, ...values: never[]) => db(strings, ...values)) as Database,
        { ...db, atOnce, for: () => wrapped },
      )
      return Object.assign(wrapped, { background: wrapped, analytics: wrapped })
    }
    const own = await startHost({ services: all }, t)
    const second = await startHost({ services: all, beside: own, wrapDb }, t)
    state.isDown = true
    assert.equal((await spend(own.home.key, 1, {}, {}, second)).status, 204)
    await second.drain(0)
    assert.equal((await balanceOf(own.home.key, own)).balance, -1)
    second.warnings.length = 0
  })

  it('that cannot be booked does not delay the answer, and what shows it waits', async () => {
    const { key, org } = await newOrg()
    await spend(key, 1)
    await balanceOf(key)
    const release = await holdLock(host.db, lockAccount(org))
    assert.equal((await spend(key, 1)).status, 204)
    const balance = balanceOf(key)
    assert.equal(await Promise.race([balance, new Promise(resolve => setTimeout(resolve, 100, 'waits'))]), 'waits')
    await release()
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

  it('pays nothing for a call that was not made because its hold could not be written, although it was', async t => {
    const state = { isLost: false }
    const wrapDb = (db: Database): Database => {
      const autocommit = (async (strings: TemplateStringsArray, ...values: never[]) => {
        const rows = await db.autocommit(strings, ...values)
        // It was written, and nobody was told.
        if (state.isLost && strings.join('').includes('insert into billing_holds')) {
          throw new EngineUnavailable('db', 'unknown')
        }
        return rows
      }) as Database['autocommit']
      const wrapped: Database = Object.assign(
        ((strings: TemplateStringsArray, ...values: never[]) => db(strings, ...values)) as Database,
        { ...db, autocommit: Object.assign(autocommit, db.autocommit), for: () => wrapped },
      )
      return Object.assign(wrapped, { background: wrapped, analytics: wrapped })
    }
    const own = await startHost({ services: all, settings: { STOA_BILLING: 'prepaid' }, wrapDb }, t)
    const { key, org } = own.home
    await credit(org, 5, own)
    state.isLost = true
    assert.equal((await spend(key, 1, {}, {}, own)).status, 503)
    state.isLost = false
    await until(async () => (await balanceOf(key, own)).available === 5)
    own.warnings.length = 0
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
    const release = await holdLock(host.db, async tx => {
      await lockAccount(org)(tx)
      await tx`select from keys where org = ${org} for update`
    })
    const waiting = Array.from({ length: 20 }, () => spend(key, 1))
    for (let n = 0; n < 5; n++) assert.equal((await spend(other, 1)).status, 204)
    for (const as of [key, other]) assert.equal((await host.call('GET /v1/projects', { as })).status, 200)
    assert.equal((await balanceOf(other)).balance, -5)
    await release()
    assert.deepEqual(new Set((await Promise.all(waiting)).map(({ status }) => status)), new Set([204]))
    assert.equal((await balanceOf(key)).balance, -21)
  })
})
