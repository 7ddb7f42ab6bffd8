import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { eventually } from '../../../../test/eventually.ts'
import { type Answer, startHost } from '../../../../test/host.ts'
import { addPerson, registerApp, startIdentity } from '../../../../test/identity.ts'

const host = await startHost({ now: 'real' })
const identity = await startIdentity(host)
const web = await registerApp(host, identity, { app: 'web', trusted: true })
const ada = await addPerson(host, 'ada@home.test')
const eve = await addPerson(host, 'eve@home.test')
const list = async (as: string): Promise<Answer['body'][]> =>
  (await host.call('GET /v1/iam/sessions', { as })).body.data
const me = (token: string) => host.call('GET /v1/iam/me', { as: token })
const assertRejected = async (token: string) => assert.equal((await me(token)).status, 401)

describe('sign-ins', () => {
  it('are listed for the person, and all of them for an admin', async () => {
    const [own, other] = [await web.signIn(ada), await web.signIn(eve)]
    const listed = await list(own.tokens.access_token)
    assert.deepEqual(
      listed.map(({ user, email, app }) => ({ user, email, app })),
      [{ user: ada.user, email: 'ada@home.test', app: 'home-web' }],
    )
    const all = await list(host.home.key)
    assert.equal(all.length, 2)
    assert.ok(all.every(({ current }) => current === false))
    assert.deepEqual(await list(host.other.key), [])
    assert.equal((await list(other.tokens.access_token)).length, 1)
  })

  it('mark the one that the request is made with', async () => {
    const hal = await addPerson(host, 'hal@home.test')
    const tokens = [await web.signIn(hal), await web.signIn(hal)].map(one => one.tokens.access_token)
    const currents = []
    for (const token of tokens) {
      const listed = await list(token)
      assert.equal(listed.length, 2)
      currents.push(listed.filter(({ current }) => current).map(({ id }) => id))
    }
    assert.deepEqual(
      currents.map(one => one.length),
      [1, 1],
    )
    assert.notDeepEqual(currents[0], currents[1])
  })

  it('are ended immediately by the person or an admin, together with the browser session', async () => {
    const frank = await addPerson(host, 'frank@home.test')
    for (const by of [null, host.home.key]) {
      const { tokens, browser } = await web.signIn(frank)
      const [session] = await list(tokens.access_token)
      const as = by ?? tokens.access_token
      assert.equal((await host.call(`DELETE /v1/iam/sessions/${session?.id}`, { as })).status, 204)
      await assertRejected(tokens.access_token)
      assert.equal((await web.refresh(tokens.refresh_token)).body.error, 'invalid_grant')
      const again = await browser.go((await web.begin()).url)
      assert.match(again.text, /<form/, 'the browser is asked to sign in again')
    }
  })

  it('of all apps of that browser end together, and are no longer listed', async () => {
    const ivy = await addPerson(host, 'ivy@home.test')
    const shop = await registerApp(host, identity, { app: 'shop' })
    const one = await web.signIn(ivy)
    const two = await shop.signIn(ivy, one.browser)
    const [session] = (await list(one.tokens.access_token)).filter(({ app }) => app === 'home-web')
    assert.equal((await host.call(`DELETE /v1/iam/sessions/${session?.id}`)).status, 204)
    await assertRejected(two.tokens.access_token)
    assert.equal((await shop.refresh(two.tokens.refresh_token)).status, 400)
    assert.deepEqual(
      (await list(host.home.key)).filter(({ user }) => user === ivy.user),
      [],
    )
  })

  it('cannot be ended by another member or organisation', async () => {
    const { tokens } = await web.signIn(ada)
    const [session] = await list(tokens.access_token)
    const theirs = (await web.signIn(eve)).tokens.access_token
    assert.equal((await host.call(`DELETE /v1/iam/sessions/${session?.id}`, { as: theirs })).status, 404)
    assert.equal((await host.call(`DELETE /v1/iam/sessions/${session?.id}`, { as: host.other.key })).status, 404)
    assert.equal((await me(tokens.access_token)).status, 200)
  })
})

describe('changing the password', () => {
  it('requires the current one, and ends all other sign-ins', async () => {
    const gil = await addPerson(host, 'gil@home.test')
    const [here, elsewhere] = [await web.signIn(gil), await web.signIn(gil)]
    const change = (current: string | undefined, password = 'another-long-password') =>
      host.call('POST /v1/iam/me/password', { as: here.tokens.access_token, body: { current, password } })
    assert.equal((await change('a wrong one')).body.error.param, 'current')
    assert.equal((await change(undefined)).body.error.param, 'current')
    const stored = await host.db<{ password: string }>`select password from users where id = ${gil.user}`
    await host.db`update users set password = null where id = ${gil.user}`
    assert.equal((await change(undefined)).body.error.param, 'current', 'a recent sign-in is no proof in the team')
    await host.db`update users set password = ${stored[0]?.password ?? ''} where id = ${gil.user}`
    assert.equal((await change(gil.password, 'short')).body.error.param, 'password')
    assert.equal((await change(gil.password)).status, 204)
    await assertRejected(elsewhere.tokens.access_token)
    assert.equal((await me(here.tokens.access_token)).status, 200)
    assert.equal((await web.refresh(elsewhere.tokens.refresh_token)).body.error, 'invalid_grant')
    await web.signIn({ ...gil, password: 'another-long-password' })
    const browser = identity.browser()
    const page = await browser.submit(await browser.go((await web.begin()).url), gil)
    assert.equal(page.status, 401)
  })
})

describe('signing keys', () => {
  it('are published before and after they sign, so that clients can always verify tokens', async () => {
    const jwks = async () =>
      (
        (await (await identity.fetch(`${identity.issuer}/v1/iam/.well-known/jwks`)).json()) as {
          keys: { kid: string }[]
        }
      ).keys.map(({ kid }) => kid)
    const kidOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[0] as string, 'base64url').toString()).kid
    const old = (await web.signIn(ada)).tokens.access_token
    const before = await jwks()
    const rotated = await host.call('POST /v1/iam/signing-keys', { as: host.admin.key })
    assert.equal(rotated.status, 201)
    /** The origin reloads its keys on a request if they are older than 30 seconds. */
    const advanceUntil = async (ms: number, count: number) => {
      host.clock.advance(ms)
      await eventually(jwks, kids => kids.length === count)
    }
    await advanceUntil(31_000, 4)
    const published = await jwks()
    assert.ok(before.every(kid => published.includes(kid)))
    assert.equal(kidOf((await web.signIn(ada)).tokens.access_token), kidOf(old), 'the old one still signs')
    host.clock.advance(Date.parse(rotated.body.signsFrom) - host.clock.now().getTime())
    const fresh = await eventually(
      async () => (await web.signIn(ada)).tokens.access_token,
      token => kidOf(token) !== kidOf(old),
    )
    assert.ok((await jwks()).includes(kidOf(old)))
    await advanceUntil(Date.parse(rotated.body.retires) - host.clock.now().getTime() + 31_000, 2)
    assert.ok((await jwks()).includes(kidOf(fresh)))
  })
})
