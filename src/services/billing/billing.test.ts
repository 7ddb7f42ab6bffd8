// Money through the real host: holds, settlements, the journal, usage, credits and alerts.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { all, CENT, holdMoney, openBillingWorld, until } from '../../../test/billing-world.ts'
import { startHost } from '../../../test/host.ts'
import { ConstraintViolated, type Database, EngineUnavailable, type Tx } from '../../engines/engines.ts'
import type { OrgId } from '../../kit/caller.ts'
import { writeTransfers } from './journal.ts'

const { host, newOrg, spend, balanceOf, credit, isBalanced } = await openBillingWorld()
const HOUR_MS = 60 * 60_000
const usageOf = async (as: string, query = '') => (await host.call(`GET /v1/billing/usage${query}`, { as })).body

describe('the balance', () => {
  it('is what was credited less what was used, and the journal is balanced', async () => {
    const { org, key } = await newOrg()
    assert.deepEqual(await balanceOf(key), { currency: 'USD', balance: 0, holds: 0, available: 0 })
    assert.equal((await credit(org, 500)).status, 201)
    await spend(key, 120.000001)
    assert.deepEqual(await balanceOf(key), { currency: 'USD', balance: 379.999999, holds: 0, available: 379.999999 })
    await credit(org, -400)
    assert.equal((await balanceOf(key)).balance, -20.000001)
    await isBalanced()
  })

  it('shows what is held for calls that run', async t => {
    const { key } = await newOrg()
    const leave = new AbortController()
    const call = holdMoney(host, key, leave.signal)
    t.after(() => leave.abort())
    await until(async () => (await balanceOf(key)).holds === 3)
    assert.deepEqual(await balanceOf(key), { currency: 'USD', balance: 0, holds: 3, available: -3 })
    leave.abort()
    await call
    await until(async () => (await balanceOf(key)).holds === 0)
  })

  it('is exact when many calls settle at the same time', async () => {
    const { key } = await newOrg()
    const answers = await Promise.all(Array.from({ length: 200 }, () => spend(key, 0.000003)))
    assert.ok(answers.every(({ status }) => status === 204))
    assert.deepEqual(await balanceOf(key), { currency: 'USD', balance: -0.0006, holds: 0, available: -0.0006 })
    assert.equal((await usageOf(key)).count, 200)
    await isBalanced()
  })

  it('shows what was used before, although the answer of the call did not wait for that', async () => {
    const { key } = await newOrg()
    for (let n = 1; n <= 20; n++) {
      await spend(key, 1, { waits: false })
      assert.equal((await balanceOf(key)).balance, -n)
    }
  })
})

describe('a budget', () => {
  it('counts what was used by calls whose answers did not wait for the settlement', async () => {
    const { key } = (await host.call('POST /v1/account/keys', { body: { name: 'k', budget: { total: 5 } } })).body
    for (let n = 0; n < 5; n++) assert.equal((await spend(key, 1, { waits: false })).status, 204)
    assert.equal((await spend(key, 1)).status, 402)
  })

  it('is overshot by no more than what was running', async () => {
    const { key } = (await host.call('POST /v1/account/keys', { body: { name: 'k', budget: { total: 10 } } })).body
    const running = 8
    let passed = 0
    const client = async () => {
      while ((await spend(key, 1)).status === 204) passed++
    }
    await Promise.all(Array.from({ length: running }, client))
    assert.ok(passed >= 10 && passed <= 10 + running - 1, String(passed))
  })
})

describe('usage', () => {
  it('has a row for each settled call, newest first', async () => {
    const { key } = await newOrg()
    await host.call('POST /v1/projects', { as: key, body: { slug: 'shop', name: 'Shop' } })
    await spend(key, 0.5, { model: 'large' }, { 'x-project-id': 'shop' })
    host.clock.advance(1000)
    await spend(key, 2)
    const { count, amount, usage, next } = await usageOf(key)
    assert.deepEqual([count, amount, next], [2, 2.5, ''])
    const [newest, oldest] = usage
    assert.deepEqual([newest.amount, newest.metadata.model, newest.metadata.units], [2, 'small', 2 * CENT])
    assert.equal(newest.createdAt, host.clock.now().toISOString())
    assert.match(newest.transactionId, /^txn_\w{24}$/)
    const [own] = (await host.call('GET /v1/account/keys', { as: key })).body.data
    const { product, model, key: by, project } = oldest.metadata
    assert.deepEqual([product, model, by, project], ['specimen', 'large', own.id, 'shop'])
  })

  it('is filtered by time, key, project, model and product, and counted over all pages', async () => {
    const { key } = await newOrg()
    await host.call('POST /v1/projects', { as: key, body: { slug: 'shop', name: 'Shop' } })
    const second = (await host.call('POST /v1/account/keys', { as: key, body: { name: 'Second' } })).body
    const from = host.clock.now().getTime()
    for (let n = 0; n < 12; n++) {
      await spend(n % 3 === 0 ? second.key : key, 1, { model: n % 2 === 0 ? 'even' : 'odd' })
      host.clock.advance(25 * 60_000)
    }
    await spend(key, 1, { model: 'even' }, { 'x-project-id': 'shop' })
    const at = (minutes: number) => new Date(from + minutes * 60_000).toISOString()
    for (const [query, expected] of [
      ['', 13],
      [`?key=${second.id}`, 4],
      ['?model=even', 7],
      [`?model=odd&key=${second.id}`, 2],
      ['?project=shop', 1],
      ['?project=shop&model=odd', 0],
      ['?product=specimen', 13],
      ['?product=ai', 0],
      [`?since=${at(1)}`, 12],
      [`?until=${at(1)}`, 1],
      [`?since=${at(30)}&until=${at(40)}`, 0],
      [`?since=${at(20)}&until=${at(30)}`, 1],
      [`?since=${at(25)}&until=${at(275)}`, 10],
      [`?since=${at(25)}&until=${at(275)}&model=odd`, 5],
      [`?since=${at(300)}&until=${at(0)}`, 0],
    ] as const) {
      const found = await usageOf(key, query)
      assert.deepEqual([found.count, found.usage.length, found.amount], [expected, expected, expected], query)
    }
    const pages: string[] = []
    for (let after = ''; ; ) {
      const { count, usage, next } = await usageOf(key, `?limit=5&after=${after}`)
      assert.equal(count, 13)
      pages.push(...usage.map((row: { transactionId: string }) => row.transactionId))
      if (next === '') break
      after = next
    }
    assert.deepEqual([pages.length, new Set(pages).size], [13, 13])
  })

  it('is of the own organisation only', async () => {
    const { key } = await newOrg()
    await spend(key, 1)
    assert.equal((await usageOf((await newOrg()).key)).count, 0)
  })
})

describe('a charge that the database refuses', () => {
  it('is logged whole, and holds up no other', async () => {
    const [{ key }, { key: other }] = [await newOrg(), await newOrg()]
    await host.db.transaction(tx => tx`alter table billing_transfers add constraint poison check (model <> 'poison')`)
    const poison = spend(key, 1, { model: 'poison', waits: false })
    const spent = Array.from({ length: 20 }, () => spend(other, 1, { waits: false }))
    assert.deepEqual(new Set((await Promise.all([poison, ...spent])).map(({ status }) => status)), new Set([204]))
    assert.equal((await balanceOf(other)).balance, -20)
    assert.equal((await balanceOf(key)).balance, 0)
    const line = host.logged.find(text => text.includes('rejected a charge')) ?? ''
    assert.match(line, /\\"amount\\":1000000/)
  })
})

describe('usage until the end of time', () => {
  it('is requested like any other', async () => {
    const { key } = await newOrg()
    await spend(key, 1)
    assert.equal((await usageOf(key, '?since=9999-12-31T23:59:59.000Z')).count, 0)
    const forged = Buffer.from('2026-02-30T09:30:00.000Z txn_1').toString('base64url')
    for (const query of [
      'since=2026-12-31T23:59:60Z',
      'until=0000-01-01T00:00:00Z',
      'since=0001-01-01T00:00:00%2B12:00',
      `after=${forged}`,
    ]) {
      const { status, body } = await host.call(`GET /v1/billing/usage?${query}`, { as: key })
      assert.deepEqual([status, body.error.code], [400, 'invalid_input'], query)
    }
    assert.equal((await usageOf(key, '?until=9999-12-31T23:59:59.000Z')).count, 1)
  })
})

describe('credits', () => {
  it('are given by the superadmin, to organisations that exist', async () => {
    const { org, key } = await newOrg()
    const body = { org, amount: 100, reason: 'Paid' }
    assert.equal((await host.call('POST /v1/billing/credits', { as: key, body })).status, 403)
    assert.equal((await credit(org, 0)).body.error.param, 'amount')
    assert.equal((await credit('never-was', 100)).status, 404)
    const { transactionId, created } = (await credit(org, 100)).body
    const { data } = (await host.call('GET /v1/billing/credits', { as: key })).body
    assert.deepEqual(data, [{ transactionId, amount: 100, currency: 'USD', reason: 'Paid', created }])
    assert.equal((await usageOf(key)).count, 0)
    assert.deepEqual((await host.call('GET /v1/billing/credits', { as: (await newOrg()).key })).body.data, [])
  })

  it('are given once if the request is sent again with its Idempotency-Key', async () => {
    const { org, key } = await newOrg()
    const headers = { 'idempotency-key': 'same' }
    const body = { org, amount: 100, reason: 'Paid' }
    const send = () => host.call('POST /v1/billing/credits', { as: host.admin.key, body, headers })
    assert.deepEqual((await send()).body, (await send()).body)
    assert.equal((await balanceOf(key)).balance, 100)
  })
})

describe('the journal', () => {
  const transfer = (org: OrgId, id: string) =>
    ({
      id,
      org,
      from: 'balance',
      to: 'revenue',
      amount: 5,
      product: 'p',
      model: 'm',
      key: null,
      project: null,
    }) as const
  it('has a transfer once, however often it is written', async () => {
    const { org, key } = await newOrg()
    const write = (tx: Tx) =>
      writeTransfers(tx, [
        { ...transfer(org as OrgId, 'txn_same'), created: host.clock.now().toISOString(), metadata: {} },
      ])
    await host.db.transaction(write)
    await assert.rejects(host.db.transaction(write), ConstraintViolated)
    assert.equal((await balanceOf(key)).balance, -0.000005)
    await isBalanced()
  })

  it('is never changed', async () => {
    await assert.rejects(host.db.autocommit`update billing_transfers set amount = 1`, /never changed/)
    await assert.rejects(host.db.autocommit`delete from billing_transfers`, /never changed/)
  })

  it('stays when the organisation is deleted', async () => {
    const { org, key } = await newOrg()
    await spend(key, 1)
    assert.equal((await host.call(`DELETE /v1/iam/orgs/${org}?confirm=${org}`, { as: key })).status, 204)
    const booked = () => host.db<{ amount: number }>`select amount from billing_transfers where org = ${org}`
    await until(async () => (await booked()).length > 0)
    assert.equal((await booked())[0]?.amount, CENT)
    await isBalanced()
  })

  it('gets what was used after the database could not be reached, once', async t => {
    const state = { isDown: false }
    const wrapDb = (db: Database): Database => {
      const transaction: Database['transaction'] = async work => {
        const value = await db.transaction(work)
        // It was committed, and nobody was told.
        if (state.isDown) throw new EngineUnavailable('db', 'unknown')
        return value
      }
      const wrapped: Database = Object.assign(
        ((strings: TemplateStringsArray, ...values: never[]) => db(strings, ...values)) as Database,
        { ...db, transaction, for: () => wrapped },
      )
      return Object.assign(wrapped, { background: wrapped, analytics: wrapped })
    }
    const own = await startHost({ services: all, wrapDb }, t)
    state.isDown = true
    assert.equal((await spend(own.home.key, 1, { waits: false }, {}, own)).status, 204)
    const waiting = balanceOf(own.home.key, own)
    await until(async () => (await own.db`select from billing_transfers`).length === 1)
    state.isDown = false
    const advancing = setInterval(() => own.clock.advance(500), 10)
    t.after(() => clearInterval(advancing))
    assert.equal((await waiting).balance, -1)
    assert.equal((await own.db`select from billing_transfers`).length, 1)
    await isBalanced(own)
  })
})

describe('alerts', () => {
  const sent = async ({ org, key }: { org: string; key: string }) => {
    await balanceOf(key) // It waits until what was used is booked.
    return host.emitted
      .filter(({ tenant, type }) => tenant === org && type.startsWith('billing.alert.'))
      .map(({ type, data }) => [type, data])
  }

  it('are sent once, when the spending of the month reaches a threshold', async () => {
    const org = await newOrg()
    const settings = { spendAlerts: [3, 1, 2] }
    const saved = await host.call('PATCH /v1/billing/settings', { as: org.key, body: settings })
    assert.deepEqual(saved.body, { spendAlerts: [1, 2, 3], balanceAlert: null })
    const month = host.clock.now().toISOString().slice(0, 7)
    await spend(org.key, 0.5)
    assert.deepEqual(await sent(org), [])
    await spend(org.key, 1.5)
    const told = [1, 2].map(threshold => ['billing.alert.spend_reached', { month, threshold, spent: 2 }])
    assert.deepEqual(await sent(org), told)
    await spend(org.key, 0.25)
    assert.deepEqual(await sent(org), told)
    host.clock.advance(31 * 24 * HOUR_MS)
    await spend(org.key, 1)
    assert.equal((await sent(org)).length, 3, 'again in the next month')
  })

  it('are sent when the balance falls below its threshold', async () => {
    const org = await newOrg()
    await credit(org.org, 10)
    await host.call('PATCH /v1/billing/settings', { as: org.key, body: { balanceAlert: 5 } })
    for (const cents of [5, 1]) await spend(org.key, cents)
    const told = await sent(org)
    await spend(org.key, 1)
    assert.deepEqual(await sent(org), told)
    assert.deepEqual(told, [['billing.alert.balance_reached', { threshold: 5, balance: 4 }]])
  })
})
