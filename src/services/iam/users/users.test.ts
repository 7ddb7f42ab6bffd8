import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startHost } from '../../../../test/host.ts'
import { keyCalls } from '../../../../test/keys.ts'

const host = await startHost()
const create = (body: object, as = host.home.key) => host.call('POST /v1/iam/users', { as, body })
const list = async (query: string, as = host.home.key) => {
  const { status, body, text } = await host.call(`GET /v1/iam/users${query}`, { as })
  assert.equal(status, 200, text)
  return body as { data: { email: string; user: string }[]; next: string }
}
const emailsIn = ({ data }: { data: { email: string }[] }) => data.map(({ email }) => email)

describe('a customer that an admin creates', () => {
  it('has an account of the organisation, which another may have too', async () => {
    const { status, body } = await create({ email: 'Ada@Example.com', name: 'Ada Lovelace', metadata: { plan: 'pro' } })
    assert.equal(status, 201)
    const { user, ...rest } = body
    assert.match(user, /^cus_[0-9A-Za-z]{24}$/)
    const at = '2026-11-15T09:00:00.000Z'
    const shown = { email: 'ada@example.com', emailVerified: false, name: 'Ada Lovelace', blocked: false }
    assert.deepEqual(rest, { ...shown, metadata: { plan: 'pro' }, created: at, updated: at })
    assert.deepEqual((await host.call(`GET /v1/iam/users/${user}`)).body, body)
    assert.equal((await create({ email: 'ada@example.com' })).status, 409)
    const other = await create({ email: 'ada@example.com' }, host.other.key)
    assert.equal(other.status, 201)
    assert.notEqual(other.body.user, user)
    assert.deepEqual(emailsIn(await list('', host.other.key)), ['ada@example.com'])
    assert.equal((await host.call(`GET /v1/iam/users/${other.body.user}`)).status, 404)
    assert.equal((await host.call('GET /v1/iam/members')).text.includes('ada@example.com'), false)
  })

  it('gets a password and a verified address only from a key without limits', async () => {
    const limited = (await keyCalls(host).made({ limit: ['product:iam'] })).key
    for (const more of [{ password: 'walnut-desk-twelve-green' }, { emailVerified: true }]) {
      assert.equal((await create({ email: 'eve@example.com', ...more }, limited)).status, 403)
    }
    const { status, body } = await create({ email: 'eve@example.com' }, limited)
    assert.equal(status, 201)
    const change = (fields: object) => host.call(`PATCH /v1/iam/users/${body.user}`, { as: limited, body: fields })
    assert.equal((await change({ email: 'thief@example.com' })).status, 403)
    assert.equal((await change({ name: 'Eve' })).status, 200)
  })

  it('has metadata of at most 8 KiB, whose fields are merged', async () => {
    const { user } = (await create({ email: 'meta@example.com', metadata: { a: 1, b: 2 } })).body
    const change = async (metadata: object) => host.call(`PATCH /v1/iam/users/${user}`, { body: { metadata } })
    assert.deepEqual((await change({ b: null, c: { d: [3] } })).body.metadata, { a: 1, c: { d: [3] } })
    const room = 8 * 1024 - JSON.stringify({ a: 1, c: { d: [3] }, e: '' }).length
    assert.equal((await change({ e: 'é'.repeat(room) })).status, 400, 'bytes count, not characters')
    assert.equal((await change({ e: 'x'.repeat(room + 1) })).status, 400)
    assert.equal((await change({ e: 'x'.repeat(room) })).status, 200)
  })

  it('is deleted once, and the address can be used again', async () => {
    const { user } = (await create({ email: 'gone@example.com' })).body
    const remove = () => host.call(`DELETE /v1/iam/users/${user}`)
    assert.deepEqual([(await remove()).status, (await remove()).status], [204, 404])
    const again = await create({ email: 'gone@example.com' })
    assert.notEqual(again.body.user, user)
  })

  it('is one too many for the setting', async () => {
    const small = await startHost({ settings: { STOA_CUSTOMERS_MAX: 2 } })
    const add = (n: number) => small.call('POST /v1/iam/users', { body: { email: `n${n}@example.com` } })
    const statuses = (await Promise.all(Array.from({ length: 6 }, (_, n) => add(n)))).map(({ status }) => status)
    assert.deepEqual(statuses.sort(), [201, 201, 409, 409, 409, 409])
    const [{ user }] = (await small.call('GET /v1/iam/users')).body.data
    await small.call(`DELETE /v1/iam/users/${user}`)
    assert.equal((await add(9)).status, 201)
  })
})

describe('a member who was made one by mistake', () => {
  it('becomes a customer, and has nothing left of the team', async () => {
    const { user, email, key } = await host.member(host.home.org, 'member')
    const { status, body } = await host.call(`POST /v1/iam/members/${user}/to-user`)
    assert.deepEqual([status, body.email], [201, email])
    assert.match(body.user, /^cus_/)
    assert.equal((await host.call('GET /v1/iam/me', { as: key })).status, 401)
    assert.ok(!(await host.call('GET /v1/iam/members?limit=200')).text.includes(email))
    assert.deepEqual((await host.call(`GET /v1/iam/users/${body.user}`)).body, body)
    assert.equal((await host.call(`POST /v1/iam/members/${user}/to-user`)).status, 404)
  })

  it('is never the last owner, nor an owner by an admin, nor somebody who is a customer already', async () => {
    const { org, user, key } = await host.organisation('moving')
    const move = (who: string, as = key) => host.call(`POST /v1/iam/members/${who}/to-user`, { as })
    assert.equal((await move(user)).status, 409)
    const admin = await host.member(org, 'admin')
    assert.equal((await move(user, admin.key)).status, 403)
    const member = await host.member(org, 'member')
    await create({ email: member.email }, key)
    assert.equal((await move(member.user)).status, 409)
    assert.equal((await host.call('GET /v1/iam/me', { as: member.key })).status, 200, 'nothing has changed')
  })
})

describe('the list of customers', () => {
  it('is paged with the newest first, and can be limited to blocked customers', async () => {
    const { key } = await host.organisation('paged')
    for (let n = 0; n < 5; n++) {
      host.clock.advance(1)
      await create({ email: `page${n}@example.com` }, key)
    }
    const first = await list('?limit=2', key)
    assert.deepEqual(emailsIn(first), ['page4@example.com', 'page3@example.com'])
    const rest = await list(`?after=${first.next}`, key)
    assert.deepEqual([emailsIn(rest).length, rest.next], [3, ''])
    const user = first.data[0]?.user
    await host.call(`PATCH /v1/iam/users/${user}`, { as: key, body: { blocked: true } })
    assert.deepEqual(emailsIn(await list('?blocked=true', key)), ['page4@example.com'])
    assert.equal(emailsIn(await list('?blocked=false', key)).length, 4)
    assert.deepEqual(emailsIn(await list('?blocked=true&search=page', key)), ['page4@example.com'])
    assert.equal(emailsIn(await list('?blocked=false&search=page', key)).length, 4)
    assert.equal(emailsIn(await list('?search=page', key)).length, 5)
  })

  it('is searched by the beginning of an address, a domain or a word of a name, and by id', async () => {
    const { key } = await host.organisation('searched')
    const add = async (email: string, name: string) => (await create({ email, name }, key)).body.user as string
    const ada = await add('ada.l@example.com', 'Ada King Lovelace')
    await add('grace@navy.example', 'Grace Ádams')
    await add('alan@example.com', 'Alan')
    const found = async (search: string) => emailsIn(await list(`?search=${encodeURIComponent(search)}`, key)).sort()
    assert.deepEqual(await found('AD'), ['ada.l@example.com'])
    assert.deepEqual(await found('ád'), ['grace@navy.example'])
    assert.deepEqual(await found('love'), ['ada.l@example.com'])
    assert.deepEqual(await found('a'), ['ada.l@example.com', 'alan@example.com'])
    assert.deepEqual(await found('@example.com'), ['ada.l@example.com', 'alan@example.com'])
    assert.deepEqual(await found(ada), ['ada.l@example.com'])
    assert.deepEqual([await found('lace'), await found('%'), await found('_')], [[], [], []])
    assert.deepEqual(await found('cus_0'), [])
    await host.call(`PATCH /v1/iam/users/${ada}`, { as: key, body: { name: 'Countess' } })
    assert.deepEqual([await found('love'), await found('count')], [[], ['ada.l@example.com']])
    assert.deepEqual(emailsIn(await list(`?search=${ada}`)), [], 'not by another organisation')
  })

  it('has each customer once in a search, in pages of any size', async () => {
    const { key } = await host.organisation('once')
    for (let n = 0; n < 7; n++) await create({ email: `sam${n}@sample.com`, name: 'Sam Samson' }, key)
    const seen: string[] = []
    let next = ''
    do {
      const page = await list(`?search=sam&limit=2&after=${next}`, key)
      seen.push(...emailsIn(page))
      next = page.next
    } while (next !== '')
    assert.deepEqual([seen.length, new Set(seen).size], [7, 7])
    const countOf = async (search: string) => emailsIn(await list(`?search=${search}`, key)).length
    assert.deepEqual(await Promise.all(['s', 'sam', 'sam0', 'sams', '@s'].map(countOf)), [7, 7, 1, 7, 7])
    const { next: ofSam } = await list('?search=sam&limit=1', key)
    assert.equal((await host.call(`GET /v1/iam/users?search=other&after=${ofSam}`, { as: key })).status, 400)
  })
})
