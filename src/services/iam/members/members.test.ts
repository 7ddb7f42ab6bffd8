import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { verify } from '@node-rs/argon2'
import { type Answer, startHost } from '../../../../test/host.ts'

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
  (await host.call('GET /v1/iam/members?limit=200')).body.data.find((entry: Answer['body']) => entry.user === user)
    ?.role
const assertEventuallyRejected = async (key: string) => {
  let status = 200
  for (let tries = 0; status === 200 && tries < 50; tries++) {
    status = (await host.call('GET /v1/projects', { as: key })).status
  }
  assert.equal(status, 401)
}

describe('adding a member', () => {
  it('returns the member, and stores an argon2id hash of the password', async () => {
    const password = 'walnut-desk-twelve-green'
    const { status, body } = await add({ email: 'Ada@Example.com', password })
    assert.equal(status, 201)
    const { user, ...rest } = body
    assert.match(user, /^usr_[0-9A-Za-z]{24}$/)
    assert.deepEqual(rest, { email: 'ada@example.com', role: 'member', created: '2026-11-15T09:00:00.000Z' })
    const [row] = await host.db<{ password: string }>`select password from users where id = ${user}`
    assert.match(row?.password ?? '', /^\$argon2id\$v=19\$m=/)
    assert.ok(await verify(row?.password ?? '', password))
  })

  it('is refused for an address that has an account, in any case: joining needs consent', async () => {
    for (const email of ['OWNER@other.test', home.email]) {
      const { status, body } = await add({ email })
      assert.deepEqual([status, body.error.param], [409, 'email'])
      assert.match(body.error.message, /Invite them instead/)
    }
    assert.equal((await host.db`select from members where email = 'owner@other.test'`).length, 1)
  })

  it('is refused as owner or admin, with or without a password: the person has not chosen one', async () => {
    for (const role of ['owner', 'admin'])
      for (const given of [{}, { password: 'chosen-by-an-admin' }]) {
        const { status, body } = await add({ email: 'planted@example.com', role, ...given })
        assert.deepEqual([status, body.error.param], [409, 'role'])
      }
    assert.equal((await host.db`select from users where email = 'planted@example.com'`).length, 0)
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
    it(`rejects ${field} ${JSON.stringify(value).slice(0, 20)} and adds no user`, async () => {
      const count = async () => (await host.db`select from users`).length
      const before = await count()
      const response = await add({ email: 'odd@example.com', [field]: value })
      assert.equal(response.status, 400)
      assert.equal(response.body.error.param, field)
      assert.equal(await count(), before)
    })
  }

  it('is allowed for owners and admins', async () => {
    assert.equal((await add({ email: 'x1@example.com' }, member.key)).status, 403)
    assert.equal((await add({ email: 'x3@example.com' }, admin.key)).status, 201)
  })
})

describe('a role', () => {
  it('changes immediately', async () => {
    const one = await host.member(home.org, 'member')
    assert.equal((await change(one.user, 'admin')).body.role, 'admin')
    let status = 403
    for (let tries = 0; status !== 200 && tries < 50; tries++) {
      status = (await host.call('GET /v1/iam/audit', { as: one.key })).status
    }
    assert.equal(status, 200)
  })

  it('of an owner can be given and removed only by owners', async () => {
    const one = await host.member(home.org, 'member')
    assert.equal((await change(one.user, 'owner', admin.key)).status, 403)
    assert.equal((await change(home.user, 'member', admin.key)).status, 403)
    assert.equal((await change(one.user, 'owner')).status, 200)
    assert.equal((await change(one.user, 'member')).status, 200)
  })

  it('above member is refused to a person whose password an admin set, or who has none', async () => {
    for (const given of [{}, { password: 'chosen-by-an-admin' }]) {
      const { user } = (await add({ email: `planted${Object.keys(given)}@example.com`, ...given })).body
      for (const role of ['owner', 'admin']) {
        const { status, body } = await change(user, role)
        assert.deepEqual([status, body.error.param], [409, 'role'])
      }
      assert.equal(await roleOf(user), 'member')
      await host.db`update users set password = 'their own', password_by = null where id = ${user}`
      assert.equal((await change(user, 'admin')).status, 200)
    }
  })

  it('of the last owner cannot be changed, even by concurrent requests', async () => {
    const { key, user, org } = await host.organisation('two-owners')
    const second = await host.member(org, 'owner')
    const responses = await Promise.all([
      host.call(`PATCH /v1/iam/members/${user}`, { as: key, body: { role: 'member' } }),
      host.call(`DELETE /v1/iam/members/${second.user}`, { as: second.key }),
    ])
    assert.deepEqual(responses.filter(({ status }) => status < 300).length, 1)
    assert.deepEqual(responses.filter(({ status }) => status === 409).length, 1)
    const owners = await host.db`select from members where org = ${org} and role = 'owner'`
    assert.equal(owners.length, 1)
  })
})

describe('a member', () => {
  it('is removed by an owner or admin, and their keys and sessions end immediately', async () => {
    const one = await host.member(home.org, 'member')
    const browser = await host.signIn(one)
    assert.equal((await host.call('GET /v1/projects', { as: one.key })).status, 200)
    assert.equal((await host.call('GET /v1/projects', { as: null, headers: browser })).status, 200)
    assert.equal((await remove(one.user, member.key)).status, 403)
    assert.equal((await remove(one.user, admin.key)).status, 204)
    await assertEventuallyRejected(one.key)
    assert.equal((await host.call('GET /v1/projects', { as: null, headers: browser })).status, 401)
    const keys = (await host.call('GET /v1/account/keys?limit=200&status=revoked')).body.data
    assert.equal(keys.find((key: Answer['body']) => key.creator === one.email).revokedBy, admin.email)
    assert.equal(await roleOf(one.user), undefined)
  })

  it('can leave unless they are the last owner, and an admin cannot remove an owner', async () => {
    const one = await host.member(home.org, 'member')
    assert.equal((await remove(one.user, one.key)).status, 204)
    const { key, user } = await host.organisation('lonely')
    assert.equal((await remove(user, key)).status, 409)
    assert.equal((await change(user, 'admin', key)).status, 409)
    assert.equal((await remove(home.user, admin.key)).status, 403)
  })

  it('of another organisation is not found', async () => {
    assert.equal((await remove(host.other.user)).status, 404)
    assert.equal((await change(host.other.user, 'member')).status, 404)
  })

  it('is recorded in the audit trail when added, changed and removed', async () => {
    const { user } = (await add({ email: 'audited@example.com' })).body
    await host.db`update users set password = 'their own', password_by = null where id = ${user}`
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
  it('is ordered by e-mail address, page by page', async () => {
    const { data } = (await host.call('GET /v1/iam/members?limit=200', { as: member.key })).body
    const emails = data.map((member: Answer['body']) => member.email)
    assert.deepEqual(emails, [...emails].sort())
    const paged: string[] = []
    let next = ''
    do {
      const { body } = await host.call(`GET /v1/iam/members?limit=3&after=${next}`)
      paged.push(...body.data.map((member: Answer['body']) => member.email))
      next = body.next
    } while (next !== '')
    assert.deepEqual(paged, emails)
  })
})

describe('the address of a member', () => {
  it('follows that of the account', async () => {
    const { user } = (await add({ email: 'before@example.com' })).body
    await host.db`update users set email = 'after@example.com' where id = ${user}`
    const { data } = (await host.call('GET /v1/iam/members?limit=200')).body
    assert.equal(data.find((entry: Answer['body']) => entry.user === user).email, 'after@example.com')
    const emails = data.map(({ email }: Answer['body']) => email)
    assert.deepEqual(emails, emails.toSorted())
  })
})
