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

const newRefreshToken = async (app = web, scope = 'openid profile email') =>
  `${(await app.signIn(ada, undefined, { scope })).tokens.refresh_token}`
type TokenResponse = Awaited<ReturnType<typeof web.token>>
const assertRefused = ({ status, body }: TokenResponse, error = 'invalid_grant') =>
  assert.deepEqual([status, body.error, body.access_token], [400, error, undefined])
const nextToken = ({ status, body }: TokenResponse): string => {
  assert.equal(status, 200, JSON.stringify(body))
  return body.refresh_token
}

describe('refreshing', () => {
  it('returns new tokens for the same person and sign-in, and a new refresh token', async () => {
    const { tokens, claims } = await web.signIn(ada)
    const fresh = await client.refreshTokenGrant(web.configuration, `${tokens.refresh_token}`)
    assert.notEqual(fresh.refresh_token, tokens.refresh_token)
    assert.notEqual(fresh.access_token, tokens.access_token)
    assert.equal(fresh.claims()?.sub, claims.sub)
    const [before, after] = [decodeJwt(tokens.access_token), decodeJwt(fresh.access_token)]
    assert.deepEqual([after.sub, after.owner, after.sid, after.aud], [before.sub, before.owner, before.sid, before.aud])
  })

  it('can be repeated with each new token, for confidential and public apps', async () => {
    for (const app of [web, spa]) {
      let token = await newRefreshToken(app)
      for (let round = 0; round < 4; round++) {
        host.clock.advance(600_000)
        token = nextToken(await app.refresh(token))
      }
    }
  })

  it('works in two tabs at the same time and shortly afterwards; all get the same token', async () => {
    const token = await newRefreshToken()
    const tabs = (await Promise.all([web.refresh(token), web.refresh(token)])).map(nextToken)
    host.clock.advance(29_000)
    tabs.push(nextToken(await web.refresh(token)))
    assert.equal(new Set(tabs).size, 1)
    let shared = tabs[0] as string
    for (let round = 0; round < 3; round++) {
      host.clock.advance(60_000)
      shared = nextToken(await web.refresh(shared))
    }
  })

  it('has one successor, however often it is used within the grace', async () => {
    const token = await newRefreshToken()
    const live = async () => (await host.db`select from oidc where model = 'RefreshToken' and consumed is null`).length
    const before = await live()
    const uses = await Promise.all(Array.from({ length: 12 }, () => web.refresh(token)))
    assert.equal(new Set(uses.map(nextToken)).size, 1)
    assert.equal(await live(), before)
  })

  it('works in twenty tabs at the same time', async () => {
    const token = await newRefreshToken()
    const tabs = await Promise.all(Array.from({ length: 20 }, () => web.refresh(token)))
    assert.deepEqual(
      tabs.map(({ status }) => status).filter(status => status !== 200),
      [],
    )
    assert.deepEqual(identity.failures.splice(0), [])
  })

  it('ends the whole sign-in if the token was used more than thirty seconds ago', async () => {
    const token = await newRefreshToken()
    const [one, two] = [nextToken(await web.refresh(token)), nextToken(await web.refresh(token))]
    const later = nextToken(await web.refresh(two))
    host.clock.advance(31_000)
    assertRefused(await web.refresh(token))
    for (const ended of [one, two, later, token]) assertRefused(await web.refresh(ended))
  })

  it('counts the thirty seconds from the first use', async () => {
    const token = await newRefreshToken()
    for (let round = 0; round < 3; round++) {
      nextToken(await web.refresh(token))
      host.clock.advance(12_000)
    }
    assertRefused(await web.refresh(token))
  })

  it('with a stolen token ends only that sign-in of the person', async () => {
    const [token, other] = [await newRefreshToken(), await newRefreshToken()]
    nextToken(await web.refresh(token))
    host.clock.advance(31_000)
    assertRefused(await web.refresh(token))
    nextToken(await web.refresh(other))
  })

  it('still works after the same person signs in again in that browser', async () => {
    const { browser, tokens } = await web.signIn(ada)
    const again = await web.signIn(ada, browser, { prompt: 'login' })
    assert.equal(again.sawForm, true)
    nextToken(await web.refresh(tokens.refresh_token))
    nextToken(await web.refresh(again.tokens.refresh_token))
  })

  it('works only for the app that signed in', async () => {
    const token = await newRefreshToken()
    assertRefused(await till.refresh(token))
    assertRefused(await spa.refresh(token))
    nextToken(await web.refresh(token))
  })

  it('can narrow the scope, but not widen it', async () => {
    const token = await newRefreshToken(web, 'openid email')
    assertRefused(await web.refresh(token, { scope: 'openid profile email' }), 'invalid_scope')
    const { body, status } = await web.refresh(token, { scope: 'openid' })
    assert.deepEqual([status, body.scope], [200, 'openid'])
    assertRefused(await web.refresh(body.refresh_token, { scope: 'openid admin' }), 'invalid_scope')
  })

  it('works for thirty days', async () => {
    const [early, late] = [await newRefreshToken(), await newRefreshToken()]
    host.clock.advance(29 * DAY_MS)
    nextToken(await web.refresh(early))
    host.clock.advance(1 * DAY_MS)
    assertRefused(await web.refresh(late))
  })

  it('works on as long as each refresh is within thirty days', async () => {
    let token = await newRefreshToken()
    for (let round = 0; round < 3; round++) {
      host.clock.advance(20 * DAY_MS)
      token = nextToken(await web.refresh(token))
    }
  })

  it('rejects what is not a refresh token', async () => {
    const { tokens } = await web.signIn(ada)
    for (const text of ['', 'x', tokens.access_token, `${tokens.id_token}`, 'a'.repeat(43), 'é', 'a\0']) {
      const { status, body } = await web.refresh(text)
      assert.equal(status, 400)
      assert.match(body.error, /^invalid_(grant|request)$/)
    }
    assert.deepEqual(identity.failures.splice(0), [])
  })

  it('is refused after the person is removed', async () => {
    const mia = await addPerson(host, 'mia@home.test')
    const { tokens } = await web.signIn(mia)
    await host.call(`DELETE /v1/iam/members/${mia.user}`)
    assertRefused(await web.refresh(tokens.refresh_token))
  })

  it('stays refused for a member who was removed and added again, until they sign in', async () => {
    const bob = await addPerson(host, 'bob@home.test')
    const { tokens } = await web.signIn(bob)
    await host.call(`DELETE /v1/iam/members/${bob.user}`)
    await host.join(host.home.org, bob.user, 'member')
    assertRefused(await web.refresh(tokens.refresh_token))
  })

  it('is preceded by a code that is refused if the person was removed before redeeming it', async () => {
    const eve = await addPerson(host, 'eve@home.test')
    const { query, verifier } = await web.enter(eve)
    await host.call(`DELETE /v1/iam/members/${eve.user}`)
    assertRefused(await web.redeem(query.get('code'), verifier))
  })

  it('stores only digests: the database contains no token, code or session id', async () => {
    const { tokens, query, browser } = await web.signIn(ada)
    const rows = await host.db<{ text: string }>`select oidc::text as text from oidc`
    const stored = rows.map(({ text }) => text).join('\n')
    const session = browser.jar.get('__Host-stoa-id')?.value
    for (const secret of [tokens.refresh_token, query.get('code'), session, tokens.access_token]) {
      assert.ok(secret)
      assert.ok(!stored.includes(secret), secret)
    }
  })
})
