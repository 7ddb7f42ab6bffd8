import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { verify } from '@node-rs/argon2'
import { type Answer, startHost } from '../../../test/host.ts'

const host = await startHost()
const { home } = host
const admin = await host.member(home.org, 'admin')
const member = await host.member(home.org, 'member')

const add = (fields: object, as = home.key) =>
  host.call('POST /v1/iam/members', { as, body: { email: 'new@example.com', role: 'member', ...fields } })
const change = (user: string, role: string, as = home.key) =>
  host.call(`PATCH /v1/iam/members/${user}`, { as, body: { role } })
const remove = (user: string, as = home.key) => host.call(`DELETE /v1/iam/members/${user}`, { as })
const roleOf = async (user: string) =>
  (await host.call('GET /v1/iam/members?limit=200')).body.data.find((one: Answer['body']) => one.user === user)?.role
const stops = async (key: string) => {
  let status = 200
  for (let tries = 0; status === 200 && tries < 50; tries++) {
    status = (await host.call('GET /v1/projects', { as: key })).status
  }
  assert.equal(status, 401)
}

describe('adding a member', () => {
  it('answers who they are, and keeps of the password an argon2id hash', async () => {
    const password = 'walnut-desk-twelve-green'
    const { status, body } = await add({ email: 'Ada@Example.com', role: 'admin', password })
    assert.equal(status, 201)
    const { user, ...rest } = body
    assert.match(user, /^usr_[0-9A-Za-z]{24}$/)
    assert.deepEqual(rest, { email: 'ada@example.com', role: 'admin', created: '2026-11-15T09:00:00.000Z' })
    const [row] = await host.db<{ password: string }>`select password from users where id = ${user}`
    assert.match(row?.password ?? '', /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    assert.ok(await verify(row?.password ?? '', password))
  })

  it('takes who has an account, in whatever case it is written, with the password they chose', async () => {
    const first = await add({ email: 'both@example.com', password: 'given-by-an-admin' }, host.other.key)
    const early = await add({ email: 'both@example.com' })
    assert.equal(early.status, 409, 'an admin elsewhere knows that password, and would come along')
    assert.equal(early.body.error.param, 'email')
    await host.db`update users set password_by = null where email = 'both@example.com'` // They have chosen their own.
    const refused = await add({ email: 'BOTH@example.com', password: 'chosen-by-an-admin' })
    assert.equal(refused.status, 409)
    assert.equal(refused.body.error.param, 'password')
    const second = await add({ email: 'BOTH@example.com' })
    assert.equal(second.status, 201)
    assert.equal(second.body.user, first.body.user)
    const again = await add({ email: 'both@example.com' })
    assert.equal(again.status, 409)
    assert.equal(again.body.error.param, 'email')
  })

  for (const [field, value] of [
    ['email', 'nobody'],
    ['email', 'a b@example.com'],
    ['email', 'a@localhost'],
    ['email', `${'x'.repeat(65)}@example.com`],
    ['role', 'superadmin'],
    ['password', 'too short'],
    ['password', 'x'.repeat(257)],
  ] as const) {
    it(`refuses ${field} ${JSON.stringify(value).slice(0, 20)} and adds nobody`, async () => {
      const count = async () => (await host.db`select from users`).length
      const before = await count()
      const answer = await add({ email: 'odd@example.com', [field]: value })
      assert.equal(answer.status, 400)
      assert.equal(answer.body.error.param, field)
      assert.equal(await count(), before)
    })
  }

  it('is for owners and admins, and making an owner for owners', async () => {
    assert.equal((await add({ email: 'x1@example.com' }, member.key)).status, 403)
    assert.equal((await add({ email: 'x2@example.com', role: 'owner' }, admin.key)).status, 403)
    assert.equal((await add({ email: 'x3@example.com', role: 'admin' }, admin.key)).status, 201)
    assert.equal((await add({ email: 'x4@example.com', role: 'owner' })).status, 201)
  })
})

describe('a role', () => {
  it('is changed at once', async () => {
    const one = await host.member(home.org, 'member')
    assert.equal((await change(one.user, 'admin')).body.role, 'admin')
    let status = 403
    for (let tries = 0; status !== 200 && tries < 50; tries++) {
      status = (await host.call('GET /v1/iam/audit', { as: one.key })).status
    }
    assert.equal(status, 200)
  })

  it('of an owner is for owners to give and to take', async () => {
    const one = await host.member(home.org, 'member')
    assert.equal((await change(one.user, 'owner', admin.key)).status, 403)
    assert.equal((await change(home.user, 'member', admin.key)).status, 403)
    assert.equal((await change(one.user, 'owner')).status, 200)
    assert.equal((await change(one.user, 'member')).status, 200)
  })

  it('of the last owner stays, however many try at once to change it', async () => {
    const { key, user, org } = await host.organisation('two-owners')
    const second = await host.member(org, 'owner')
    const answers = await Promise.all([
      host.call(`PATCH /v1/iam/members/${user}`, { as: key, body: { role: 'member' } }),
      host.call(`DELETE /v1/iam/members/${second.user}`, { as: second.key }),
    ])
    assert.deepEqual(answers.filter(({ status }) => status < 300).length, 1)
    assert.deepEqual(answers.filter(({ status }) => status === 409).length, 1)
    const owners = await host.db`select from members where org = ${org} and role = 'owner'`
    assert.equal(owners.length, 1)
  })
})

describe('a member', () => {
  it('is removed by an owner or admin, and their keys and sessions end at once', async () => {
    const one = await host.member(home.org, 'member')
    const browser = await host.signIn(one)
    assert.equal((await host.call('GET /v1/projects', { as: one.key })).status, 200)
    assert.equal((await host.call('GET /v1/projects', { as: null, headers: browser })).status, 200)
    assert.equal((await remove(one.user, member.key)).status, 403)
    assert.equal((await remove(one.user, admin.key)).status, 204)
    await stops(one.key)
    assert.equal((await host.call('GET /v1/projects', { as: null, headers: browser })).status, 401)
    const keys = (await host.call('GET /v1/account/keys?limit=200&status=revoked')).body.data
    assert.equal(keys.find((key: Answer['body']) => key.creator === one.email).revokedBy, admin.email)
    assert.equal(await roleOf(one.user), undefined)
  })

  it('may leave, but the last owner not, and an admin removes no owner', async () => {
    const one = await host.member(home.org, 'member')
    assert.equal((await remove(one.user, one.key)).status, 204)
    const { key, user } = await host.organisation('lonely')
    assert.equal((await remove(user, key)).status, 409)
    assert.equal((await change(user, 'admin', key)).status, 409)
    assert.equal((await remove(home.user, admin.key)).status, 403)
  })

  it('of another organisation is nobody here', async () => {
    assert.equal((await remove(host.other.user)).status, 404)
    assert.equal((await change(host.other.user, 'member')).status, 404)
  })

  it('is recorded in the trail', async () => {
    const { user } = (await add({ email: 'told@example.com' })).body
    await change(user, 'admin')
    await change(user, 'admin')
    await remove(user)
    const rows = await host.db<{ what: string }>`select what from audit where on_what like ${`${user}%`} order by id`
    assert.deepEqual(
      rows.map(row => row.what),
      ['member.add', 'member.update', 'member.remove'],
    )
  })
})

describe('the listing of members', () => {
  it('goes by address, page by page', async () => {
    const { data } = (await host.call('GET /v1/iam/members?limit=200', { as: member.key })).body
    const emails = data.map((one: Answer['body']) => one.email)
    assert.deepEqual(emails, [...emails].sort())
    const paged: string[] = []
    let next = ''
    do {
      const { body } = await host.call(`GET /v1/iam/members?limit=3&after=${next}`)
      paged.push(...body.data.map((one: Answer['body']) => one.email))
      next = body.next
    } while (next !== '')
    assert.deepEqual(paged, emails)
  })
})
