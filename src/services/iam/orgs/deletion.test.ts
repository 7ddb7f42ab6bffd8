// What ends at once when an organisation is deleted: every kind of access to it, and what runs for it.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { request } from 'undici'
import { customersOf } from '../../../../test/customers.ts'
import { eventually } from '../../../../test/eventually.ts'
import { addPerson, registerApp, startIdentity } from '../../../../test/identity.ts'
import * as fixture from '../../../../test/model-calls.ts'
import * as upstream from '../../../../test/model-server.ts'
import { purgeOrg } from '../../../../test/removal.ts'

const { host, server, dispatcher } = await fixture.startModelCalls({ now: 'real' })
const identity = await startIdentity(host, { audience: host.baseUrl })
const remove = (org: string) => host.call(`DELETE /v1/iam/orgs/${org}?confirm=${org}`, { as: host.admin.key })

describe('a deletion ends', () => {
  it('keys, sessions, tokens of workspaces and of apps, and refreshing', async () => {
    const { org, key } = await host.organisation('ending')
    const person = await addPerson(host, 'ada@ending.test', key)
    const web = await registerApp(host, identity, { app: 'web', trusted: true, as: key })
    const { tokens } = await web.signIn(person)
    const session = await host.signIn({ ...(await host.member(org, 'member')) })
    const workspace = (await host.call('POST /v1/iam/workspaces', { as: key, body: { name: 'W' } })).body
    const { token } = (await host.call(`POST /v1/iam/workspaces/${workspace.id}/tokens`, { as: key, body: {} })).body
    const publishable = (
      await host.call('POST /v1/account/keys', { as: key, body: { name: 'p', type: 'publishable' } })
    ).body.key
    const event = { event: '$pageview', properties: {} }
    const statuses = async () => [
      (await host.call('GET /v1/iam/me', { as: key })).status,
      (await host.call('GET /v1/iam/me', { as: tokens.access_token })).status,
      (await host.call('GET /v1/iam/me', { as: null, headers: session })).status,
      (await host.call('POST /v1/event', { as: token, body: event })).status,
      (await host.call('POST /v1/event', { as: publishable, body: event })).status,
    ]
    assert.deepEqual(await statuses(), [200, 200, 200, 200, 200])
    assert.equal((await remove(org)).status, 204)
    const after = await statuses()
    assert.ok(
      after.every(status => status === 401 || status === 403),
      after.join(),
    )
    assert.ok((await web.refresh(tokens.refresh_token)).status >= 400)
    assert.ok((await identity.browser().go((await web.begin()).url)).status >= 400, 'its app is unknown')
  })

  it('invitations, memberships of people of several organisations, and credits', async () => {
    const { org, key } = await host.organisation('ending-two')
    const body = { email: host.home.email, role: 'member' }
    await host.call('POST /v1/iam/invites', { as: key, body })
    const link = host.mails.at(-1)?.text.match(/https:\S+/)?.[0] as string
    const browser = await host.browser(host.home)
    const invitations = async () => (await host.call('GET /v1/iam/me/invitations', browser)).body.data
    const [invitation] = await invitations()
    assert.ok(invitation)
    await remove(org)
    assert.deepEqual(await invitations(), [])
    assert.equal((await host.call(`POST /v1/iam/me/invitations/${invitation.id}/accept`, browser)).status, 404)
    assert.ok((await identity.browser().go(link)).status >= 400)
    const credit = { org, amount: 100, reason: 'paid' }
    assert.equal((await host.call('POST /v1/billing/credits', { as: host.admin.key, body: credit })).status, 404)
    const rename = { as: host.admin.key, body: { name: 'Renamed' } }
    assert.equal((await host.call(`PATCH /v1/iam/orgs/${org}`, rename)).status, 404)
    assert.equal((await remove(org)).status, 404)
  })

  it('sign-ins of its customers, of whom nothing is left', async () => {
    const { org, key } = await host.organisation('ending-five')
    const more = { people: 'users', signUp: 'open' }
    const shop = await registerApp(host, identity, { app: 'shop', as: key, more })
    const { register, newAddress } = customersOf(host, identity, shop)
    const { claims, tokens, password } = await register()
    const body = { email: newAddress(), current: password }
    assert.equal((await host.call('POST /v1/iam/me/email', { as: tokens.access_token, body })).status, 202)
    const left = () => host.db<{ model: string }>`select model from oidc where user_id = ${claims.sub}
      union all select 'AddressChange' from address_changes where user_id = ${claims.sub}`
    const before = (await left()).map(({ model }) => model)
    for (const model of ['Session', 'Grant', 'RefreshToken', 'AddressChange']) assert.ok(before.includes(model), model)
    await remove(org)
    assert.equal((await host.call('GET /v1/iam/me', { as: tokens.access_token })).status, 401)
    await eventually(
      () => purgeOrg(host, org),
      isEmpty => isEmpty,
    )
    assert.deepEqual([...(await left())], [])
  })

  it('nothing of the data at once: superadmins see how far its deletion is', async () => {
    const { org, key } = await host.organisation('ending-six')
    await host.call('POST /v1/projects', { as: key, body: { slug: 'p', name: 'P' } })
    const read = async () => (await host.call(`GET /v1/iam/orgs/${org}`, { as: host.admin.key })).body
    assert.equal((await read()).purge, undefined)
    await remove(org)
    const { deleted, purge } = await read()
    assert.ok(deleted && purge.tables > 30 && purge.empty < purge.tables - 2, JSON.stringify(purge))
    const listed = (await host.call(`GET /v1/iam/orgs?search=${org}`, { as: host.admin.key })).body.data
    assert.deepEqual([listed[0].deleted, listed[0].purge], [deleted, undefined])
    const [before] = await host.db<{ n: number }>`select count(*) as n from projects where org = ${org}`
    assert.equal(before?.n, 1)
    await host.db.autocommit`delete from projects where org = ${org}`
    assert.equal((await read()).purge.empty, purge.empty + 1)
    await eventually(
      () => purgeOrg(host, org),
      isEmpty => isEmpty,
    )
    assert.equal((await read()).purge.empty, purge.tables)
  })

  it('claims on host names, also while something else of it lasts', async () => {
    const { org, key } = await host.organisation('ending-four')
    const name = 'shop.ending.example'
    const origin = `https://${name}`
    const attach = async (as: string) => {
      await host.call('POST /v1/projects', { as, body: { slug: 'claimed', name: 'P' } })
      const { body } = await host.call('POST /v1/projects/claimed/domains', { as, body: { host: name } })
      return body.records[0].value as string
    }
    const verify = (as: string) => host.call(`POST /v1/projects/claimed/domains/${name}/verify`, { as })
    const allowed = async () =>
      (await host.call('GET /v1', { headers: { origin } })).headers['access-control-allow-origin']
    const [theirs, ours] = [await attach(key), await attach(host.home.key)]
    host.txt.set(`_stoa-verify.${name}`, [theirs, ours])
    assert.equal((await verify(key)).body.status, 'live')
    assert.equal(await allowed(), origin)
    assert.equal((await verify(host.home.key)).status, 409)
    // Its purge waits for this.
    await host.db.autocommit`insert into billing_holds (id, org, amount, expires)
      values ('hold_four', ${org}, 1, now() + interval '1 hour')`
    await remove(org)
    await eventually(allowed, found => found !== origin)
    assert.equal((await verify(host.home.key)).body.status, 'live')
    await host.db.autocommit`delete from billing_holds where id = 'hold_four'`
  })

  it('streams of model calls, which are charged for what was sent', async () => {
    const { org, key } = await host.organisation('ending-three')
    let isCut = false
    server.state.answer = response => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(upstream.chatChunks(['one', 'two'])[0])
      response.on('close', () => {
        isCut = true
      })
    }
    const answer = await request(`${host.baseUrl}/v1/chat/completions`, {
      dispatcher,
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'renamed', messages: fixture.messages, stream: true }),
    })
    assert.equal(answer.statusCode, 200)
    const text = answer.body.text().catch(() => 'cut')
    await remove(org)
    assert.match(await text, /The organisation was deleted|^cut$/)
    await eventually(
      () => isCut,
      cut => cut,
    )
    const charged = () => host.db`select from billing_transfers where org = ${org}`
    await eventually(charged, rows => rows.length === 1)
  })
})
