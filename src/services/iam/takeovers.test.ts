// What one person or organisation could take from another: each test is a way that was open once.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { eventually } from '../../../test/eventually.ts'
import { type Answer, startHost } from '../../../test/host.ts'
import { addPerson, plantPerson, registerApp, startIdentity } from '../../../test/identity.ts'
import { rawConnection } from '../../../test/raw-connection.ts'
import type { Tx } from '../../engines/engines.ts'

const host = await startHost({ now: 'real' })
const identity = await startIdentity(host)
const PASSWORD = 'walnut-desk-twelve-green'
const superadmin = host.admin.key

const createOrg = (slug: string, email: string) =>
  host.call('POST /v1/iam/orgs', { as: superadmin, body: { slug, name: slug, owner: { email } } })
const deleteOrg = (slug: string, as: string) => host.call(`DELETE /v1/iam/orgs/${slug}?confirm=${slug}`, { as })
const get = async (path: string, as: string): Promise<Answer> => host.call(`GET ${path}`, { as })

describe('an organisation that was deleted', () => {
  it('has a slug that nobody gets again', async () => {
    const { key } = (await createOrg('acme', 'first@acme.test')).body
    assert.equal((await createOrg('acme', 'second@acme.test')).status, 409)
    assert.equal((await deleteOrg('acme', key)).status, 204)
    const again = await createOrg('acme', 'second@acme.test')
    assert.deepEqual([again.status, again.body.error.param], [409, 'slug'])
    assert.equal((await host.db`select from users where email = 'second@acme.test'`).length, 0)
  })

  it('removes the passwords that its admins set, and the sign-ins made with them', async () => {
    const { key } = (await createOrg('shell', 'owner@shell.test')).body
    const planted = await plantPerson(host, 'planted@example.com', key)
    const shop = await registerApp(host, identity, { app: 'shop', as: key })
    const { browser } = await shop.signIn(planted)
    assert.equal((await deleteOrg('shell', key)).status, 204)
    const [account] = await host.db`select password, password_by from users where id = ${planted.user}`
    assert.deepEqual({ ...account }, { password: null, password_by: null })
    await host.join(host.home.org, planted.user, 'member')
    const web = await registerApp(host, identity, { app: 'later' })
    await assert.rejects(web.signIn(planted, browser), 'neither the session nor the password is valid')
    await assert.rejects(web.signIn(planted))
  })
})

describe('what is taken away while a request runs', () => {
  /** Runs the call after the first work of a transaction, which the call waits for. The transaction commits after the rest. */
  async function during(call: () => Promise<Answer>, first: (db: Tx) => Promise<unknown>, rest = async (_: Tx) => {}) {
    let answer: Promise<Answer> | null = null
    await host.db.transaction(async tx => {
      await first(tx)
      answer = call()
      await eventually(
        async () =>
          host.db`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        waiting => waiting.length > 0,
      )
      await rest(tx)
    })
    return (await answer) as unknown as Answer
  }
  const lockHome = (tx: Tx) => tx`select from orgs where slug = 'home' for update`

  it('is not used by a member operation that waited for it', async () => {
    const admin = await host.member(host.home.org, 'admin')
    const { user } = await host.member(host.home.org, 'member')
    const demote = async (tx: Tx) => void (await tx`update members set role = 'member' where user_id = ${admin.user}`)
    const promote = () => host.call(`PATCH /v1/iam/members/${user}`, { as: admin.key, body: { role: 'admin' } })
    assert.equal((await during(promote, lockHome, demote)).status, 403)
    const body = { email: 'accomplice@example.com', role: 'admin' }
    const owner = await host.member(host.home.org, 'owner')
    const remove = async (tx: Tx) => void (await tx`delete from members where user_id = ${owner.user}`)
    const invite = () => host.call('POST /v1/iam/invites', { as: owner.key, body })
    assert.equal((await during(invite, lockHome, remove)).status, 403)
  })

  it('includes a slug: it is not used again by a request that waited for the deletion', async () => {
    // All its other rows are gone.
    await host.db.autocommit`insert into orgs (slug, name, created, updated, deleted)
      values ('fleeting', 'F', now(), now(), now())`
    const drop = async (tx: Tx) => {
      await tx`delete from orgs where slug = 'fleeting'`
      await tx`insert into former_orgs (slug, deleted) values ('fleeting', now())`
    }
    const again = () => createOrg('fleeting', 'second@fleeting.test')
    assert.equal((await during(again, drop)).status, 409)
    assert.equal((await host.db`select from orgs where slug = 'fleeting'`).length, 0)
  })

  it('is not used by a request whose body arrives afterwards', async () => {
    const { user, key } = await host.member(host.home.org, 'member')
    const { write, closed } = await rawConnection(host.port, { tls: true })
    const body = JSON.stringify({ slug: 'stalled', name: 'Stalled' })
    write(
      `POST /v1/projects HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n{`,
    )
    await wait(200)
    assert.equal((await host.call(`DELETE /v1/iam/members/${user}`)).status, 204)
    write(body.slice(1))
    assert.match(await closed, /^HTTP\/1.1 401/)
    assert.equal((await host.call('GET /v1/projects/stalled')).status, 404)
  })
})

describe('the token of an app', async () => {
  const web = await registerApp(host, identity, { app: 'web' })
  const trust = (trusted: boolean, as = host.home.key) =>
    host.call('PATCH /v1/iam/apps/home-web', { as, body: { trusted } })
  const { user } = await addPerson(host, 'olga@home.test')
  await host.join(host.other.org, user, 'owner')
  await host.db`update members set role = 'owner' where user_id = ${user}`
  const { access_token: token } = (await web.signIn({ email: 'olga@home.test', password: PASSWORD })).tokens

  const asOwner = [
    ['GET /v1/iam/apps', undefined],
    ['POST /v1/iam/invites', { email: 'x@example.com', role: 'owner' }],
  ] as const
  const credentials = [
    ['POST /v1/account/keys', { name: 'stolen', type: 'secret' }],
    ['GET /v1/iam/me/invitations', undefined],
    ['POST /v1/iam/me/password', { current: PASSWORD, password: 'another-long-password' }],
  ] as const

  it('acts as a member, and learns nothing about other organisations', async () => {
    const { role, orgs, superadmin } = (await get('/v1/iam/me', token)).body
    assert.deepEqual([role, superadmin], ['member', false])
    assert.deepEqual(orgs, [{ org: 'home', name: 'home', role: 'member' }])
    for (const [route, body] of asOwner) assert.equal((await host.call(route, { as: token, body })).status, 403, route)
  })

  it('cannot issue, change or reveal credentials', async () => {
    for (const [route, body] of credentials) {
      const answer = await host.call(route, { as: token, body })
      assert.deepEqual([answer.status, answer.body.error.code], [403, 'forbidden'], route)
    }
  })

  it('ends when an owner trusts the app: it may have gone to a callback that was replaced since', async () => {
    const { tokens } = await web.signIn({ email: 'olga@home.test', password: PASSWORD })
    const paul = await web.signIn(await addPerson(host, 'paul@home.test'))
    assert.equal((await trust(true)).body.trusted, true)
    for (const as of [token, tokens.access_token, paul.tokens.access_token]) {
      assert.equal((await get('/v1/iam/me', as)).status, 401)
    }
    assert.equal((await web.refresh(tokens.refresh_token)).status, 400)
    const { tokens: kept } = await web.signIn({ email: 'olga@home.test', password: PASSWORD })
    await host.call('PATCH /v1/iam/apps/home-web', { body: { name: 'Renamed' } })
    assert.equal((await get('/v1/iam/me', kept.access_token)).status, 200, 'another change ends nothing')
  })

  it('carries the role of its person while an owner trusts the app', async () => {
    const { access_token: token } = (await web.signIn({ email: 'olga@home.test', password: PASSWORD })).tokens
    const { role, orgs } = (await get('/v1/iam/me', token)).body
    assert.deepEqual([role, orgs.length], ['owner', 2])
    assert.equal((await host.call('GET /v1/iam/apps', { as: token })).status, 200)
    const key = await host.call('POST /v1/account/keys', { as: token, body: { name: 'own', type: 'secret' } })
    assert.equal(key.status, 201)
    assert.equal((await trust(false)).body.trusted, false)
    assert.equal((await get('/v1/iam/me', token)).body.role, 'member')
    const entries = (await get('/v1/iam/audit?what=app.update', host.home.key)).body.data
    assert.deepEqual(entries[0].changes, { trusted: { from: true, to: false } })
  })

  it('ends nothing of its person but itself', async () => {
    const { tokens } = await web.signIn({ email: 'olga@home.test', password: PASSWORD })
    const as = tokens.access_token
    const owner = await host.browser({ org: host.home.org, user })
    const key = (await host.call('POST /v1/account/keys', { ...owner, body: { name: 'kept' } })).body
    const [session] = (await host.call('GET /v1/iam/sessions', { as })).body.data
    for (const route of [`members/${user}`, `sessions/${session.id}`]) {
      assert.equal((await host.call(`DELETE /v1/iam/${route}`, { as })).status, 403, route)
    }
    assert.equal((await host.call(`DELETE /v1/account/keys/${key.id}`, { as })).status, 403)
    assert.equal((await host.call('POST /v1/account/logout', { as })).status, 204)
    assert.equal((await get('/v1/iam/me', as)).status, 401)
    assert.equal((await get('/v1/iam/me', key.key)).body.role, 'owner')
  })

  it('of an app of the organisation `admin` is not a superadmin', async () => {
    const tool = await registerApp(host, identity, { app: 'tool', as: superadmin })
    const { tokens } = await tool.signIn(host.admin)
    assert.equal((await get('/v1/iam/me', tokens.access_token)).body.superadmin, false)
    assert.equal((await get('/v1/iam/orgs', tokens.access_token)).body.data.length, 1)
    const body = { slug: 'mine', name: 'mine', owner: { email: 'x@example.com' } }
    assert.equal((await host.call('POST /v1/iam/orgs', { as: tokens.access_token, body })).status, 403)
  })

  it('is made trusted by owners only, who alone may then change where it goes', async () => {
    const { key: admin } = await host.member(host.home.org, 'admin')
    const change = (body: object) => host.call('PATCH /v1/iam/apps/home-web', { as: admin, body })
    const secret = () => host.call('POST /v1/iam/apps/home-web/secret', { as: admin })
    const created = {
      app: 'own',
      type: 'public',
      people: 'team',
      redirectUris: ['https://x.example.com/'],
      trusted: true,
    }
    assert.equal((await host.call('POST /v1/iam/apps', { as: admin, body: created })).status, 403)
    assert.equal((await trust(true, admin)).status, 403)
    assert.equal((await change({ redirectUris: ['https://web.example.com/callback', 'https://x.test/'] })).status, 200)
    await trust(true)
    assert.equal((await change({ redirectUris: ['https://evil.example.com/'] })).status, 403)
    assert.equal((await secret()).status, 403)
    assert.equal((await change({ trusted: false })).status, 403)
    await trust(false)
    assert.equal((await secret()).status, 200)
  })
})

describe('a password that an admin set', async () => {
  const web = await registerApp(host, identity, { app: 'planting', trusted: true })

  it('gives no credential that could survive it', async () => {
    const planted = await plantPerson(host, 'quinn@home.test')
    const { access_token: as } = (await web.signIn(planted)).tokens
    const key = await host.call('POST /v1/account/keys', { as, body: { name: 'planted', type: 'secret' } })
    assert.equal(key.status, 403)
    assert.match(key.body.error.message, /whose password an admin chose/)
    assert.equal((await host.call('PATCH /v1/iam/me', { as, body: { name: 'Quinn' } })).status, 403)
    assert.equal((await get('/v1/projects', as)).status, 200)
    await host.db`update users set password_by = null where id = ${planted.user}`
    const own = (await web.signIn(planted)).tokens.access_token
    assert.equal((await host.call('POST /v1/account/keys', { as: own, body: { name: 'own' } })).status, 201)
  })
})

describe('an invitation to somebody who has an account', async () => {
  const web = await registerApp(host, identity, { app: 'joining', trusted: true })
  const own = await addPerson(host, 'ines@home.test')
  await host.db`update users set password_by = null where id = ${own.user}`
  const token = async (who: { email: string; password: string }) => (await web.signIn(who)).tokens.access_token
  const invite = async (email: string, role = 'admin', as = host.other.key) =>
    (await host.call('POST /v1/iam/invites', { as, body: { email, role } })).body.id as string
  const answer = (id: string, how: 'accept' | 'decline', as: string) =>
    host.call(`POST /v1/iam/me/invitations/${id}/${how}`, { as })

  it('is listed for that person alone, and accepted once', async () => {
    const as = await token(own)
    const id = await invite(own.email)
    const { data } = (await get('/v1/iam/me/invitations', as)).body
    const [{ created: _, expires: __, ...shown }] = data
    assert.deepEqual(shown, { id, org: 'other', name: 'other', role: 'admin', invitedBy: host.other.email })
    const stranger = await token(await addPerson(host, 'sven@home.test'))
    assert.deepEqual((await get('/v1/iam/me/invitations', stranger)).body.data, [])
    assert.equal((await answer(id, 'accept', stranger)).status, 404)
    assert.equal((await answer(id, 'decline', stranger)).status, 404)
    assert.deepEqual((await answer(id, 'accept', as)).body, { org: 'other', role: 'admin' })
    assert.equal((await answer(id, 'accept', as)).status, 404)
    assert.deepEqual((await get('/v1/iam/me/invitations', as)).body.data, [])
    assert.equal((await get('/v1/iam/me', as)).body.orgs.length, 2)
    const [entry] = (await get('/v1/iam/audit', host.other.key)).body.data
    assert.deepEqual([entry.what, entry.email, entry.on], ['invite.accept', own.email, own.user])
    assert.deepEqual(entry.changes, { email: { to: own.email }, role: { to: 'admin' } })
  })

  it('is accepted only by the person signed in, never by a key', async () => {
    const { key } = await host.member(host.home.org, 'member')
    const id = await invite('somebody@example.com')
    for (const how of ['accept', 'decline'] as const) assert.equal((await answer(id, how, key)).status, 403)
    assert.equal((await get('/v1/iam/me/invitations', key)).status, 403)
  })

  it('is not accepted by an organisation that is full', async t => {
    const small = await startHost({ settings: { STOA_MEMBERS_MAX: 2 } }, t)
    const { email, ...person } = await small.member(small.home.org, 'member')
    const body = { email, role: 'member' }
    const { id } = (await small.call('POST /v1/iam/invites', { as: small.other.key, body })).body
    await small.member(small.other.org, 'member')
    const refused = await small.call(`POST /v1/iam/me/invitations/${id}/accept`, await small.browser(person))
    assert.deepEqual([refused.status, refused.body.error.code], [409, 'conflict'])
    assert.equal((await small.call('GET /v1/iam/invites', { as: small.other.key })).body.data.length, 1)
  })

  it('is not accepted with a password that an admin chose', async () => {
    const planted = await plantPerson(host, 'pia@home.test')
    const id = await invite(planted.email)
    const refused = await answer(id, 'accept', await token(planted))
    assert.equal(refused.status, 403)
    assert.match(refused.body.error.message, /whose password is their own choice/)
    assert.equal((await get('/v1/iam/invites', host.other.key)).body.data[0].id, id, 'it stays open')
  })

  it('ends when it is declined, expires or its sender loses the right to send it', async () => {
    const kai = await addPerson(host, 'kai@home.test')
    await host.db`update users set password_by = null where id = ${kai.user}`
    const as = await token(kai)
    const declined = await invite(kai.email)
    assert.equal((await answer(declined, 'decline', as)).status, 204)
    assert.equal((await answer(declined, 'accept', as)).status, 404)
    const sender = await host.member(host.other.org, 'admin')
    const orphaned = await invite(kai.email, 'admin', sender.key)
    await host.call(`DELETE /v1/iam/members/${sender.user}`, { as: host.other.key })
    assert.deepEqual((await get('/v1/iam/me/invitations', as)).body.data, [])
    await host.join(host.other.org, sender.user, 'admin')
    assert.equal((await answer(orphaned, 'accept', as)).status, 404, 'it does not come back with its sender')
  })
})
