import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Answer, startHost } from '../../../test/host.ts'
import { keyCalls } from '../../../test/keys.ts'

const host = await startHost()
const AT = '2026-11-15T09:00:00.000Z'
const anna = await host.member(host.home.org, 'member')
const bert = await host.member(host.home.org, 'member')

type Fields = Record<string, unknown>
const { create, made, patch, revoke, list, listed, use } = keyCalls(host)

describe('creating a key', () => {
  it('returns the record and, this once, the full secret', async () => {
    const { id, key, may, ...rest } = await made({ name: 'Deploy' })
    assert.match(id, /^key_[0-9A-Za-z]{24}$/)
    assert.match(key, /^sk-[0-9A-Za-z]{49}$/)
    const prefix = key.slice(0, 11)
    const owner = { creator: 'owner@home.test', created: AT }
    const spending = { spend: 0, spendMonth: 0 }
    assert.deepEqual(rest, { name: 'Deploy', type: 'secret', prefix, status: 'active', ...owner, ...spending })
    assert.ok(may.length > 0)
    assert.ok(!JSON.stringify(await list()).includes(key.slice(11)))
  })

  it('issues a credential of its creator', async () => {
    const { key } = await made({}, anna.key)
    assert.equal((await use(key)).status, 200)
    assert.equal((await listed((await made({}, key)).id)).creator, anna.email)
  })

  it('stores only the SHA-256 of a secret', async () => {
    const { id, key } = await made()
    const [row] = await host.db<{ text: string | null; all: string; same: boolean }>`select text, keys::text as all,
      digest = sha256(convert_to(${key}, 'UTF8')) as same from keys where id = ${id}`
    assert.equal(row?.text, null)
    assert.equal(row?.same, true)
    assert.ok(!row?.all.includes(key.slice(11)))
  })

  it('shows a publishable key in every answer', async () => {
    const { id, key, type } = await made({ type: 'publishable' })
    assert.equal(type, 'publishable')
    assert.match(key, /^pk-[0-9A-Za-z]{49}$/)
    assert.equal((await listed(id)).key, key)
    assert.equal((await patch(id, { name: 'Renamed' })).body.key, key)
  })

  it('stores every bound as given, and each entry of `limit` once', async () => {
    const bounds = { budget: { month: 500, total: 2000 }, rate: 60, expires: '2027-01-01T00:00:00.000Z' }
    const limit = ['product:risk', 'read:*', 'model:vendor/model:7b', 'project:web-shop', 'product:risk']
    const { id } = await made({ ...bounds, limit })
    const { limit: stored, budget, rate, expires } = await listed(id)
    assert.deepEqual({ budget, rate, expires }, bounds)
    assert.deepEqual(stored, limit.slice(0, 4))
  })

  it('accepts a time with any offset', async () => {
    assert.equal((await made({ expires: '2026-11-15T12:00:00+02:00' })).expires, '2026-11-15T10:00:00.000Z')
  })

  it('accepts null, an empty limit and caps of 0 as no bound', async () => {
    const key = await made({ limit: [], budget: { month: 0, total: 0 }, rate: null, expires: null })
    for (const bound of ['limit', 'budget', 'rate', 'expires']) assert.ok(!(bound in key), bound)
    assert.equal((await create({}, key.key)).status, 201, 'the key is not limited')
  })

  const wrong: [field: string, fields: Fields][] = [
    ['type', { type: 'admin' }],
    ['type', { type: 'Secret' }],
    ['type', { type: null }],
    ['type', { type: '' }],
    ['name', { name: '' }],
    ['name', { name: ' \t' }],
    ['name', { name: 'two\nlines' }],
    ['name', { name: 'x'.repeat(121) }],
    ['limit.0', { limit: ['owner:x'] }],
    ['limit.0', { limit: ['product:'] }],
    ['limit.0', { limit: ['product'] }],
    ['limit.0', { limit: ['product:no-such-service'] }],
    ['limit.1', { limit: ['read:risk', 'read:Risk'] }],
    ['limit.0', { limit: ['PRODUCT:risk'] }],
    ['limit.0', { limit: [' product:risk'] }],
    ['limit.0', { limit: ['model:a b'] }],
    ['limit.0', { limit: ['project:Web_Shop'] }],
    ['limit.0', { limit: ['project:日本'] }],
    ['limit.0', { limit: [`model:${'x'.repeat(201)}`] }],
    ['limit', { limit: 'product:risk' }],
    ['limit', { limit: Array.from({ length: 101 }, (_, at) => `model:${at}`) }],
    ['budget.month', { budget: { month: -1 } }],
    ['budget.total', { budget: { total: 0.5 } }],
    ['budget.total', { budget: { total: '5' } }],
    ['budget.week', { budget: { week: 5 } }],
    ['budget.total', { budget: { total: 1e15 } }],
    ['budget', { budget: 5 }],
    ['rate', { rate: -1 }],
    ['rate', { rate: 0 }],
    ['rate', { rate: 1.5 }],
    ['rate', { rate: '60' }],
    ['expires', { expires: 'tomorrow' }],
    ['expires', { expires: '' }],
    ['expires', { expires: '2027-02-30T00:00:00Z' }],
    ['expires', { expires: '2027-01-01' }],
    ['expires', { expires: '2016-12-31T23:59:60Z' }],
    ['expires', { expires: AT }],
    ['expires', { expires: '2020-01-01T00:00:00Z' }],
    ['expires', { expires: 1_900_000_000 }],
    ['expires', { expires: '9999-12-31T23:59:59-00:01' }],
    ['expire', { expire: '2027-01-01T00:00:00Z' }],
    ['owner', { owner: 'usr_somebody' }],
  ]
  for (const [field, fields] of wrong) {
    it(`rejects ${JSON.stringify(fields).slice(0, 60)}, names \`${field}\` and writes nothing`, async () => {
      const count = async () => (await host.db<{ n: number }>`select count(*) as n from keys`)[0]?.n
      const before = await count()
      const answer = await create(fields)
      assert.equal(answer.status, 400, answer.text)
      assert.equal(answer.body.error.param, field)
      assert.equal(await count(), before)
    })
  }
})

describe('listing keys', () => {
  it('shows a member their own keys, and an owner or admin all keys of the organisation', async () => {
    const admin = await host.member(host.home.org, 'admin')
    const { id } = await made({ name: 'Visibility' }, anna.key)
    assert.ok(await listed(id, anna.key))
    assert.ok(await listed(id, admin.key))
    assert.ok(await listed(id, host.home.key))
    assert.ok(!(await listed(id, bert.key)))
    assert.ok(!(await listed(id, host.other.key)))
    for (const key of (await list('?limit=200', anna.key)).data) assert.equal(key.creator, anna.email)
  })

  it('pages from the newest to the oldest without a gap', async () => {
    const { key } = await host.organisation('pages')
    for (let at = 0; at < 6; at++) {
      if (at % 2 === 0) host.clock.advance(1)
      await made({ name: `n${at}` }, key)
    }
    const all = (await list('', key)).data
    assert.equal(all.length, 7)
    const order = await host.db<{ id: string }>`select id from keys where org = 'pages' order by created desc, id desc`
    assert.deepEqual(
      all.map((one: { id: string }) => one.id),
      order.map(one => one.id),
    )
    const paged: string[] = []
    let next = ''
    do {
      const page = await list(`?limit=${7 - 4}&after=${next}`, key)
      paged.push(...page.data.map((one: { id: string }) => one.id))
      next = page.next
    } while (next !== '')
    assert.deepEqual(
      paged,
      order.map(one => one.id),
    )
    assert.equal((await list('?limit=7', key)).next, '')
    for (const position of [
      'not a position',
      '0000-01-01T00:00:00.000Z key_a',
      '+010000-01-01T00:00:00.000Z key_a',
      '2026-11-15T09:00:00.000Z',
      '2026-11-15T09:00:00.000Z key_a b',
      '2026-13-15T09:00:00.000Z key_a',
    ]) {
      const after = Buffer.from(position).toString('base64url')
      assert.equal((await host.call(`GET /v1/account/keys?after=${after}`)).body.error.param, 'after', position)
    }
  })

  it('filters by status', async () => {
    const { key } = await host.organisation('states')
    const [active, expired, revoked] = [
      await made({ name: 'active' }, key),
      await made({ expires: new Date(host.clock.now().getTime() + 10).toISOString() }, key),
      await made({ name: 'revoked' }, key),
    ]
    await revoke(revoked.id, key)
    host.clock.advance(10)
    const ids = async (status: string) =>
      (await list(`?status=${status}`, key)).data.map((one: Answer['body']) => one.id)
    assert.equal((await ids('active')).length, 2, 'with the first key of the organisation')
    assert.ok((await ids('active')).includes(active.id))
    assert.deepEqual(await ids('expired'), [expired.id])
    assert.deepEqual(await ids('revoked'), [revoked.id])
    assert.equal((await host.call('GET /v1/account/keys?status=dead')).body.error.param, 'status')
  })
})
