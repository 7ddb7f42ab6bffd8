import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { startHost } from '../../test/host.ts'
import { AUDIENCE, addPerson, registerApp, startIdentity } from '../../test/identity.ts'
import { loadKeys } from '../services/iam/sign-in/signing-keys.ts'

const host = await startHost({ now: new Date().toISOString() })
const identity = await startIdentity(host)
const web = await registerApp(host, identity, { app: 'web' })
const ada = await addPerson(host, 'ada@home.test')
const me = (token: string) => host.call('GET /v1/iam/me', { as: token })
const stops = async (token: string) => assert.equal((await me(token)).status, 401)

describe('an access token', () => {
  it('opens the API as its person, in the organisation of the app', async () => {
    const { tokens } = await web.signIn(ada)
    const { status, body } = await me(tokens.access_token)
    assert.equal(status, 200)
    assert.deepEqual([body.user, body.email, body.org, body.role], [ada.user, 'ada@home.test', 'home', 'member'])
    assert.equal(body.credential.kind, 'token')
    assert.equal((await host.call('GET /v1/iam/audit', { as: tokens.access_token })).status, 403)
  })

  it('writes without a CSRF token, mints keys, and is told in the trail by its sign-in', async () => {
    const { tokens } = await web.signIn(ada)
    const made = await host.call('POST /v1/account/keys', { as: tokens.access_token, body: { name: 'mine' } })
    assert.equal(made.status, 201)
    assert.equal(made.body.creator, 'ada@home.test')
  })

  it('is found again without another look at its signature, also after a refresh', async () => {
    const { tokens } = await web.signIn(ada)
    const refreshed = await web.refresh(tokens.refresh_token)
    for (const token of [tokens.access_token, refreshed.body.access_token as string]) {
      assert.equal((await me(token)).status, 200)
      assert.ok(!(host.keyring.accessToken(token) instanceof Promise), 'it is remembered')
    }
  })

  it('stops at once when its person signs out, with every token of that sign-in', async () => {
    const { tokens, browser } = await web.signIn(ada)
    const refreshed = (await web.refresh(tokens.refresh_token)).body.access_token as string
    for (const token of [tokens.access_token, refreshed]) assert.equal((await me(token)).status, 200)
    const page = await browser.go(`${identity.issuer}/v1/iam/oauth/logout?id_token_hint=${tokens.id_token}`)
    await browser.submit(page, { logout: 'yes' })
    for (const token of [tokens.access_token, refreshed]) await stops(token)
  })

  it('stops at once when its person is removed, and so does refreshing', async () => {
    const eve = await addPerson(host, 'eve@home.test')
    const { tokens } = await web.signIn(eve)
    assert.equal((await me(tokens.access_token)).status, 200)
    assert.equal((await host.call(`DELETE /v1/iam/members/${eve.user}`)).status, 204)
    await stops(tokens.access_token)
    assert.equal((await web.refresh(tokens.refresh_token)).body.error, 'invalid_grant')
  })

  it('follows a change of role at once', async () => {
    const fay = await addPerson(host, 'fay@home.test')
    const { tokens } = await web.signIn(fay)
    assert.equal((await me(tokens.access_token)).body.role, 'member')
    await host.call(`PATCH /v1/iam/members/${fay.user}`, { body: { role: 'admin' } })
    assert.equal((await me(tokens.access_token)).body.role, 'admin')
  })

  it('stops when its app is deleted', async () => {
    const brief = await registerApp(host, identity, { app: 'brief' })
    const { tokens } = await brief.signIn(ada)
    assert.equal((await me(tokens.access_token)).status, 200)
    await host.call('DELETE /v1/iam/apps/home-brief')
    await stops(tokens.access_token)
  })

  it('ends after fifteen minutes, to the second', async () => {
    const { tokens } = await web.signIn(ada)
    const { exp } = JSON.parse(Buffer.from(tokens.access_token.split('.')[1] as string, 'base64url').toString())
    const before = host.clock.now().getTime()
    assert.ok(Math.abs(exp * 1000 - Date.now() - 900_000) < 5_000)
    host.clock.advance(exp * 1000 - before - 1)
    assert.equal((await me(tokens.access_token)).status, 200)
    host.clock.advance(1)
    assert.equal((await me(tokens.access_token)).status, 401)
    host.clock.advance(before - host.clock.now().getTime())
  })
})

describe('what is no access token of ours', async () => {
  const { tokens } = await web.signIn(ada)
  const claims = JSON.parse(Buffer.from(tokens.access_token.split('.')[1] as string, 'base64url').toString())
  const { signing } = await loadKeys(host.engines, 'default')
  const ours = signing.find(key => key.alg === 'ES256')
  const { privateKey: theirs } = await generateKeyPair('ES256')
  const rsa = signing.find(key => key.alg === 'RS256')
  assert.ok(ours && rsa)
  type Bent = { claims?: object; header?: object; key?: Parameters<SignJWT['sign']>[0] }
  const signed = ({ claims: other, header, key = ours }: Bent) =>
    new SignJWT({ ...claims, ...other })
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: ours.kid, ...header } as never)
      .sign(key)
  const b64 = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

  it('is told from what is: the same claims under our key pass', async () => {
    assert.equal((await me(await signed({}))).status, 200)
  })

  const publicText = JSON.stringify(await exportJWK(theirs).catch(() => ({})))
  for (const [what, make] of Object.entries<() => Promise<string> | string>({
    'an ID token': () => tokens.id_token as string,
    'a refresh token': () => tokens.refresh_token as string,
    'one signed by another key': () => signed({ key: theirs }),
    'one of another issuer': () => signed({ claims: { iss: 'https://evil.test' } }),
    'one for another audience': () => signed({ claims: { aud: 'https://other.example' } }),
    'one that has expired': () => signed({ claims: { exp: Math.floor(host.clock.now().getTime() / 1000) } }),
    'one without an end': () => signed({ claims: { exp: undefined } }),
    'one of another type': () => signed({ header: { typ: 'JWT' } }),
    'one of no type': () => signed({ header: { typ: undefined } }),
    'one without algorithm': () => `${b64({ alg: 'none', typ: 'at+jwt' })}.${b64(claims)}.`,
    'one with a shared secret': () =>
      signed({ header: { alg: 'HS256' }, key: Buffer.from(publicText.padEnd(64, 'x')) }),
    'one of an algorithm we do not sign access tokens with': () =>
      signed({ header: { alg: 'RS256', kid: rsa.kid }, key: rsa }),
    'one that brings its own key': () => signed({ header: { kid: 'x', jku: 'https://evil.test' }, key: theirs }),
    'one that names no organisation': () => signed({ claims: { owner: undefined } }),
    'one that names another organisation': () => signed({ claims: { owner: 'other' } }),
    'one of the operators': () => signed({ claims: { owner: 'admin' } }),
    'one of somebody else': () => signed({ claims: { sub: host.home.user } }),
    'one of another sign-in': () => signed({ claims: { sid: 'never-was' } }),
    'one with a bit changed': () => `${tokens.access_token.slice(0, -10)}AAAAAAAAAA`,
    'one cut short': () => tokens.access_token.slice(0, -3),
  })) {
    it(`opens nothing: ${what}`, async () => {
      const answer = await me(await make())
      assert.equal(answer.status, 401, answer.text)
      assert.equal(answer.body.error.code, 'credential_refused')
      assert.match(answer.headers['www-authenticate'] as string, /^Bearer/)
    })
  }

  it('is one of a key that has been retired, half a minute later at the most', async () => {
    host.clock.advance(60 * 60_000) // Other tests have turned it back.
    const lately = async () => {
      const iat = Math.floor(host.clock.now().getTime() / 1000)
      return (await me(await signed({ claims: { iat, exp: iat + 900 } }))).status
    }
    assert.equal(await lately(), 200)
    await host.db`update signing_keys set retired = ${host.clock.now().toISOString()} where kid = ${`${ours.kid}`}`
    host.clock.advance(31_000)
    assert.equal(await lately(), 401)
    await host.db`update signing_keys set retired = null where kid = ${`${ours.kid}`}`
    host.clock.advance(31_000)
    assert.equal(await lately(), 200)
  })

  it('is refused by the same rule at another audience', () => {
    assert.equal(claims.aud, AUDIENCE)
  })
})
