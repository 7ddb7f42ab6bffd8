import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startHost } from '../../../../test/host.ts'
import { scenario } from '../../../../test/scenario.ts'

const host = await startHost()
const root = host.admin.key
const create = (fields: object, as = root) =>
  host.call('POST /v1/iam/orgs', { as, body: { name: 'New', owner: { email: 'ada@example.com' }, ...fields } })

const slugs = (...all: string[]) => all.map(slug => ({ slug }))

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

  it('is visible to its members and superadmins, and not found for all others', () =>
    scenario(host, { owner: host.home.key, superadmin: root, stranger: host.other.key }, [
      ['owner', 'GET /v1/iam/orgs/home', 200, { answer: { name: 'home' } }],
      ['superadmin', 'GET /v1/iam/orgs/home', 200],
      ['stranger', 'GET /v1/iam/orgs/home', 404],
      ['stranger', 'GET /v1/iam/orgs', 200, { answer: { data: [{ slug: 'other' }] } }],
      ['superadmin', 'GET /v1/iam/orgs', 200, { answer: { data: slugs('acme', 'admin', 'home', 'other') } }],
    ]))

  it('is found by the beginning of its slug', () =>
    scenario(host, { owner: host.home.key, superadmin: root }, [
      ['superadmin', 'GET /v1/iam/orgs?search=a', 200, { answer: { data: slugs('acme', 'admin') } }],
      ['superadmin', 'GET /v1/iam/orgs?search=acme', 200, { answer: { data: slugs('acme') } }],
      ['superadmin', 'GET /v1/iam/orgs?search=cme', 200, { answer: { data: [] } }],
      ['superadmin', 'GET /v1/iam/orgs?search=A', 400, { fault: 'search' }],
      ['owner', 'GET /v1/iam/orgs?search=ho', 200, { answer: { data: slugs('home') } }],
      ['owner', 'GET /v1/iam/orgs?search=a', 200, { answer: { data: [] } }],
    ]))

  it('is renamed by its admins', async () => {
    const member = await host.member(host.home.org, 'member')
    const body = { name: 'Renamed' }
    host.clock.advance(1_000)
    const answer = { ...body, updated: '2026-11-15T09:00:01.000Z' }
    await scenario(host, { owner: host.home.key, member: member.key, stranger: host.other.key }, [
      ['member', 'PATCH /v1/iam/orgs/home', 403, { body, events: [] }],
      ['stranger', 'PATCH /v1/iam/orgs/home', 404, { body, events: [] }],
      ['owner', 'PATCH /v1/iam/orgs/home', 200, { body, answer, events: ['iam.org.updated'] }],
      ['owner', 'PATCH /v1/iam/orgs/home', 200, { body, answer, events: [] }],
    ])
  })

  it('is deleted by an owner who repeats its slug', async () => {
    const { key, org } = await host.organisation('doomed')
    const admin = await host.member(org, 'admin')
    const slow = await host.call('POST /v1/account/keys', { as: key, body: { name: 'slow', rate: 60 } })
    const callers = { owner: key, admin: admin.key, 'limited key': slow.body.key, stranger: host.other.key }
    await scenario(host, { ...callers, superadmin: root }, [
      ['owner', 'POST /v1/projects', 201, { body: { slug: 'p', name: 'P' } }],
      ['owner', 'DELETE /v1/iam/orgs/doomed', 400, { fault: 'confirm' }],
      ['owner', 'DELETE /v1/iam/orgs/doomed?confirm=doom', 400, { fault: 'confirm' }],
      ['admin', 'DELETE /v1/iam/orgs/doomed?confirm=doomed', 403],
      ['limited key', 'DELETE /v1/iam/orgs/doomed?confirm=doomed', 403],
      ['stranger', 'DELETE /v1/iam/orgs/doomed?confirm=doomed', 404, { events: [] }],
      ['owner', 'DELETE /v1/iam/orgs/doomed?confirm=doomed', 204, { events: ['iam.org.deleted'] }],
      ['owner', 'GET /v1/projects', 401],
      ['admin', 'GET /v1/projects', 401],
      ['superadmin', 'DELETE /v1/iam/orgs/doomed?confirm=doomed', 404, { events: [] }],
      ['superadmin', 'GET /v1/iam/audit?limit=1', 200, { answer: { data: [{ what: 'org.delete', on: 'doomed' }] } }],
    ])
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
