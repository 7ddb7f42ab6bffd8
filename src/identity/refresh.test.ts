import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { decodeJwt } from 'jose'
import * as client from 'openid-client'
import { startHost } from '../../test/host.ts'
import { addPerson, registerApp, startIdentity } from '../../test/identity.ts'

const host = await startHost()
const identity = await startIdentity(host)
const ada = await addPerson(host, 'ada@home.test')
const web = await registerApp(host, identity, { app: 'web' })
const till = await registerApp(host, identity, { app: 'till' })
const spa = await registerApp(host, identity, { app: 'spa', type: 'public' })

const DAY_MS = 86_400_000

const begin = async (app = web, scope = 'openid profile email') =>
  `${(await app.signIn(ada, undefined, { scope })).tokens.refresh_token}`
type Told = Awaited<ReturnType<typeof web.token>>
const refused = ({ status, body }: Told, error = 'invalid_grant') =>
  assert.deepEqual([status, body.error, body.access_token], [400, error, undefined])
const next = ({ status, body }: Told): string => {
  assert.equal(status, 200, JSON.stringify(body))
  return body.refresh_token
}

describe('refreshing', () => {
  it('gives new tokens of the same person and sign-in, and a new refresh token', async () => {
    const { tokens, claims } = await web.signIn(ada)
    const fresh = await client.refreshTokenGrant(web.configuration, `${tokens.refresh_token}`)
    assert.notEqual(fresh.refresh_token, tokens.refresh_token)
    assert.notEqual(fresh.access_token, tokens.access_token)
    assert.equal(fresh.claims()?.sub, claims.sub)
    const [before, after] = [decodeJwt(tokens.access_token), decodeJwt(fresh.access_token)]
    assert.deepEqual([after.sub, after.owner, after.sid, after.aud], [before.sub, before.owner, before.sid, before.aud])
  })

  it('goes on from token to token, for confidential and for public apps', async () => {
    for (const app of [web, spa]) {
      let token = await begin(app)
      for (let turn = 0; turn < 4; turn++) {
        host.clock.advance(600_000)
        token = next(await app.refresh(token))
      }
    }
  })

  it('in two tabs at once works in both, and both go on', async () => {
    const token = await begin()
    const tabs = (await Promise.all([web.refresh(token), web.refresh(token)])).map(next)
    assert.equal(tabs.length, 2)
    host.clock.advance(29_000)
    tabs.push(next(await web.refresh(token)))
    for (const tab of tabs) {
      host.clock.advance(60_000)
      next(await web.refresh(tab))
    }
  })

  it('in twenty tabs at once works in all', async () => {
    const token = await begin()
    const tabs = await Promise.all(Array.from({ length: 20 }, () => web.refresh(token)))
    assert.deepEqual(
      tabs.map(({ status }) => status).filter(status => status !== 200),
      [],
    )
    assert.deepEqual(identity.failures.splice(0), [])
  })

  it('with a token that was used more than thirty seconds ago ends the whole sign-in', async () => {
    const token = await begin()
    const [one, two] = [next(await web.refresh(token)), next(await web.refresh(token))]
    const later = next(await web.refresh(two))
    host.clock.advance(31_000)
    refused(await web.refresh(token))
    for (const dead of [one, two, later, token]) refused(await web.refresh(dead))
  })

  it('counts the thirty seconds from the first use', async () => {
    const token = await begin()
    for (let turn = 0; turn < 3; turn++) {
      next(await web.refresh(token))
      host.clock.advance(12_000)
    }
    refused(await web.refresh(token))
  })

  it('ends one sign-in and not the others of the same person', async () => {
    const [token, other] = [await begin(), await begin()]
    next(await web.refresh(token))
    host.clock.advance(31_000)
    refused(await web.refresh(token))
    next(await web.refresh(other))
  })

  it('goes on when the same person signs in again in that browser', async () => {
    const { browser, tokens } = await web.signIn(ada)
    const again = await web.signIn(ada, browser, { prompt: 'login' })
    assert.equal(again.asked, true)
    next(await web.refresh(tokens.refresh_token))
    next(await web.refresh(again.tokens.refresh_token))
  })

  it('is for the app that signed in', async () => {
    const token = await begin()
    refused(await till.refresh(token))
    refused(await spa.refresh(token))
    next(await web.refresh(token))
  })

  it('may ask for less, and never for more', async () => {
    const token = await begin(web, 'openid email')
    refused(await web.refresh(token, { scope: 'openid profile email' }), 'invalid_scope')
    const { body, status } = await web.refresh(token, { scope: 'openid' })
    assert.deepEqual([status, body.scope], [200, 'openid'])
    refused(await web.refresh(body.refresh_token, { scope: 'openid admin' }), 'invalid_scope')
  })

  it('is possible for thirty days', async () => {
    const [early, late] = [await begin(), await begin()]
    host.clock.advance(29 * DAY_MS)
    next(await web.refresh(early))
    host.clock.advance(1 * DAY_MS)
    refused(await web.refresh(late))
  })

  it('goes on for as long as it is done within thirty days', async () => {
    let token = await begin()
    for (let turn = 0; turn < 3; turn++) {
      host.clock.advance(20 * DAY_MS)
      token = next(await web.refresh(token))
    }
  })

  it('is refused for what is no refresh token', async () => {
    const { tokens } = await web.signIn(ada)
    for (const text of ['', 'x', tokens.access_token, `${tokens.id_token}`, 'a'.repeat(43), 'é', 'a\0']) {
      const { status, body } = await web.refresh(text)
      assert.equal(status, 400)
      assert.match(body.error, /^invalid_(grant|request)$/)
    }
    assert.deepEqual(identity.failures.splice(0), [])
  })

  it('is over for who is no longer a member', async () => {
    const mia = await addPerson(host, 'mia@home.test')
    const { tokens } = await web.signIn(mia)
    await host.call(`DELETE /v1/iam/members/${mia.user}`)
    refused(await web.refresh(tokens.refresh_token))
  })

  it('stays over for a member who left and came back, until they sign in', async () => {
    const bob = await addPerson(host, 'bob@home.test')
    const { tokens } = await web.signIn(bob)
    await host.call(`DELETE /v1/iam/members/${bob.user}`)
    await host.call('POST /v1/iam/members', { body: { email: bob.email, role: 'member' } })
    refused(await web.refresh(tokens.refresh_token))
  })

  it('has no code left for who was removed between signing in and asking for tokens', async () => {
    const eve = await addPerson(host, 'eve@home.test')
    const { query, verifier } = await web.enter(eve)
    await host.call(`DELETE /v1/iam/members/${eve.user}`)
    refused(await web.redeem(query.get('code'), verifier))
  })

  it('keeps only digests: no token, code or session can be read out of the database', async () => {
    const { tokens, query, browser } = await web.signIn(ada)
    const rows = await host.db<{ text: string }>`select oidc::text as text from oidc`
    const kept = rows.map(({ text }) => text).join('\n')
    const session = browser.jar.get('__Host-stoa-id')?.value
    for (const secret of [tokens.refresh_token, query.get('code'), session, tokens.access_token]) {
      assert.ok(secret)
      assert.ok(!kept.includes(secret), secret)
    }
  })
})
