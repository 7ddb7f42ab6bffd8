import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startHost } from '../../../../test/host.ts'

const host = await startHost()
const root = host.admin.key
const create = (fields: object, as = root) =>
  host.call('POST /v1/iam/orgs', { as, body: { name: 'New', owner: { email: 'ada@example.com' }, ...fields } })

describe('an organisation', () => {
  it('is created by a superadmin with its owner, and returns a key of the owner once', async () => {
    const { status, body } = await create({
      slug: 'acme',
      owner: { email: 'Eve@acme.test', password: 'a-long-password' },
    })
    assert.equal(status, 201)
    const { owner, key, ...org } = body
    const at = '2026-11-15T09:00:00.000Z'
    assert.deepEqual(org, { slug: 'acme', name: 'New', created: at, updated: at })
    assert.equal(owner.email, 'eve@acme.test')
    const me = (await host.call('GET /v1/iam/me', { as: key })).body
    assert.deepEqual([me.org, me.role, me.user, me.credential.limited], ['acme', 'owner', owner.user, false])
    assert.equal((await host.call('POST /v1/account/keys', { as: key, body: { name: 'x' } })).status, 201)
  })

  it('has a unique slug: existing ones are answered 409, and no user is added', async () => {
    for (const slug of ['admin', 'home']) {
      const response = await create({ slug, owner: { email: 'mallory@example.com' } })
      assert.equal(response.status, 409)
      assert.equal(response.body.error.param, 'slug')
    }
    assert.equal((await host.db`select from users where email = 'mallory@example.com'`).length, 0)
  })

  it('cannot be created by other callers or with a limited key', async () => {
    assert.equal((await create({ slug: 'mine' }, host.home.key)).status, 403)
    const limited = await host.call('POST /v1/account/keys', { as: root, body: { name: 'x', limit: ['product:iam'] } })
    assert.equal((await create({ slug: 'mine' }, limited.body.key)).body.error.code, 'key_limit')
  })

  it('is visible to its members and superadmins, and not found for all others', async () => {
    assert.equal((await host.call('GET /v1/iam/orgs/home')).body.name, 'home')
    assert.equal((await host.call('GET /v1/iam/orgs/home', { as: root })).status, 200)
    assert.equal((await host.call('GET /v1/iam/orgs/home', { as: host.other.key })).status, 404)
    const slugs = async (as: string) =>
      (await host.call('GET /v1/iam/orgs', { as })).body.data.map((org: { slug: string }) => org.slug)
    assert.deepEqual(await slugs(host.other.key), ['other'])
    assert.deepEqual(await slugs(root), ['acme', 'admin', 'home', 'other'])
  })

  it('is renamed by its admins', async () => {
    const member = await host.member(host.home.org, 'member')
    const rename = (as: string) => host.call('PATCH /v1/iam/orgs/home', { as, body: { name: 'Renamed' } })
    assert.equal((await rename(member.key)).status, 403)
    assert.equal((await rename(host.other.key)).status, 404)
    host.clock.advance(1_000)
    const { status, body } = await rename(host.home.key)
    assert.equal(status, 200)
    assert.deepEqual([body.name, body.updated], ['Renamed', '2026-11-15T09:00:01.000Z'])
  })

  it('is deleted by an owner who repeats its slug', async () => {
    const { key, org } = await host.organisation('doomed')
    const admin = await host.member(org, 'admin')
    await host.call('POST /v1/projects', { as: key, body: { slug: 'p', name: 'P' } })
    const remove = (query: string, as = key) => host.call(`DELETE /v1/iam/orgs/doomed${query}`, { as })
    assert.equal((await remove('')).body.error.param, 'confirm')
    assert.equal((await remove('?confirm=doom')).body.error.param, 'confirm')
    assert.equal((await remove('?confirm=doomed', admin.key)).status, 403)
    const limited = { as: key, body: { name: 'slow', rate: 60 } }
    const { key: slow } = (await host.call('POST /v1/account/keys', limited)).body
    assert.equal((await remove('?confirm=doomed', slow)).status, 403, 'a limited key')
    assert.equal((await remove('?confirm=doomed', host.other.key)).status, 404)
    assert.equal((await remove('?confirm=doomed')).status, 204)
    assert.equal((await host.call('GET /v1/projects', { as: key })).status, 401)
    assert.equal((await host.call('GET /v1/projects', { as: admin.key })).status, 401)
    assert.equal((await remove('?confirm=doomed', root)).status, 404, 'it is deleted already')
    const [last] = (await host.call('GET /v1/iam/audit', { as: root })).body.data
    assert.deepEqual([last.what, last.on], ['org.delete', 'doomed'])
  })

  it('cannot be deleted if it is `admin`', async () => {
    assert.equal((await host.call('DELETE /v1/iam/orgs/admin?confirm=admin', { as: root })).status, 409)
  })
})

describe('GET /v1/iam/me', () => {
  it('returns the caller for a key and for a session', async () => {
    const { body } = await host.call('GET /v1/iam/me')
    const { user, email } = host.home
    assert.deepEqual(
      [body.user, body.email, body.org, body.role, body.superadmin],
      [user, email, 'home', 'owner', false],
    )
    assert.equal(body.credential.kind, 'secret')
    const headers = await host.signIn(host.home)
    const { credential, orgs } = (await host.call('GET /v1/iam/me', { as: null, headers })).body
    assert.equal(credential.kind, 'session')
    assert.deepEqual(orgs, [{ org: 'home', name: 'Renamed', role: 'owner' }])
    assert.equal((await host.call('GET /v1/iam/me', { as: root })).body.superadmin, true)
  })
})
