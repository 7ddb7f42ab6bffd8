import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { startHost } from '../../test/host.ts'
import { AUDIENCE, addPerson, registerApp, startIdentity } from '../../test/identity.ts'
import { loadKeys } from '../services/iam/signing-keys/keys.ts'

const host = await startHost({ now: 'real' })
const identity = await startIdentity(host)
const web = await registerApp(host, identity, { app: 'web', trusted: true })
const ada = await addPerson(host, 'ada@home.test')
const me = (token: string) => host.call('GET /v1/iam/me', { as: token })
const assertRejected = async (token: string) => assert.equal((await me(token)).status, 401)

describe('an access token', () => {
  it('authenticates its person to the API, in the organisation of the app', async () => {
    const { tokens } = await web.signIn(ada)
    const { status, body } = await me(tokens.access_token)
    assert.equal(status, 200)
    assert.deepEqual([body.user, body.email, body.org, body.role], [ada.user, 'ada@home.test', 'home', 'member'])
    assert.equal(body.credential.kind, 'token')
    assert.equal((await host.call('GET /v1/iam/audit', { as: tokens.access_token })).status, 403)
  })

  it('creates keys without a CSRF token', async () => {
    const { tokens } = await web.signIn(ada)
    const created = await host.call('POST /v1/account/keys', { as: tokens.access_token, body: { name: 'mine' } })
    assert.equal(created.status, 201)
    assert.equal(created.body.creator, 'ada@home.test')
  })

  it('is cached after the first use, even after a refresh', async () => {
    const { tokens } = await web.signIn(ada)
    const refreshed = await web.refresh(tokens.refresh_token)
    for (const token of [tokens.access_token, refreshed.body.access_token as string]) {
      assert.equal((await me(token)).status, 200)
      assert.ok(!(host.keyring.accessToken(token, '127.0.0.1') instanceof Promise), 'it is cached')
    }
  })

  it('is rejected as soon as the person signs out, as are all tokens of that sign-in', async () => {
    const { tokens, browser } = await web.signIn(ada)
    const refreshed = (await web.refresh(tokens.refresh_token)).body.access_token as string
    for (const token of [tokens.access_token, refreshed]) assert.equal((await me(token)).status, 200)
    const page = await browser.go(`${identity.issuer}/v1/iam/oauth/logout?id_token_hint=${tokens.id_token}`)
    await browser.submit(page, { logout: 'yes' })
    for (const token of [tokens.access_token, refreshed]) await assertRejected(token)
  })

  it('is rejected as soon as the person is removed, and cannot be refreshed', async () => {
    const eve = await addPerson(host, 'eve@home.test')
    const { tokens } = await web.signIn(eve)
    assert.equal((await me(tokens.access_token)).status, 200)
    assert.equal((await host.call(`DELETE /v1/iam/members/${eve.user}`)).status, 204)
    await assertRejected(tokens.access_token)
    assert.equal((await web.refresh(tokens.refresh_token)).body.error, 'invalid_grant')
  })

  it('has a changed role immediately', async () => {
    const fay = await addPerson(host, 'fay@home.test')
    await host.db`update users set password_by = null where id = ${fay.user}` // As if she had chosen it.
    const { tokens } = await web.signIn(fay)
    assert.equal((await me(tokens.access_token)).body.role, 'member')
    await host.call(`PATCH /v1/iam/members/${fay.user}`, { body: { role: 'admin' } })
    assert.equal((await me(tokens.access_token)).body.role, 'admin')
  })

  it('is rejected when its app is deleted', async () => {
    const brief = await registerApp(host, identity, { app: 'brief' })
    const { tokens } = await brief.signIn(ada)
    assert.equal((await me(tokens.access_token)).status, 200)
    await host.call('DELETE /v1/iam/apps/home-brief')
    await assertRejected(tokens.access_token)
  })

  it('expires after fifteen minutes', async () => {
    const { tokens } = await web.signIn(ada)
    const { exp, iat } = JSON.parse(Buffer.from(tokens.access_token.split('.')[1] as string, 'base64url').toString())
    assert.equal(exp - iat, 900)
    const leftMs = exp * 1000 - host.clock.now().getTime()
    host.clock.advance(leftMs - 60_000) // The clock also follows the real time.
    assert.equal((await me(tokens.access_token)).status, 200)
    host.clock.advance(60_000)
    assert.equal((await me(tokens.access_token)).status, 401)
    host.clock.advance(-leftMs)
  })
})

describe('an invalid access token', async () => {
  const { tokens } = await web.signIn(ada)
  const claims = JSON.parse(Buffer.from(tokens.access_token.split('.')[1] as string, 'base64url').toString())
  const { signing } = await loadKeys(host.engines, 'default')
  const ours = signing.find(key => key.alg === 'ES256')
  const { privateKey: foreignKey } = await generateKeyPair('ES256')
  const rsa = signing.find(key => key.alg === 'RS256')
  assert.ok(ours && rsa)
  type Changes = { claims?: object; header?: object; key?: Parameters<SignJWT['sign']>[0] }
  const signed = ({ claims: other, header, key = ours }: Changes) =>
    new SignJWT({ ...claims, ...other })
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: ours.kid, ...header } as never)
      .sign(key)
  const b64 = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

  it('differs from a valid one: the same claims signed with our key are accepted', async () => {
    assert.equal((await me(await signed({}))).status, 200)
  })

  const publicText = JSON.stringify(await exportJWK(foreignKey).catch(() => ({})))
  for (const [name, make] of Object.entries<() => Promise<string> | string>({
    'an ID token': () => tokens.id_token as string,
    'a refresh token': () => tokens.refresh_token as string,
    'signed by another key': () => signed({ key: foreignKey }),
    'another issuer': () => signed({ claims: { iss: 'https://evil.test' } }),
    'another audience': () => signed({ claims: { aud: 'https://other.example' } }),
    expired: () => signed({ claims: { exp: Math.floor(host.clock.now().getTime() / 1000) } }),
    'no expiry': () => signed({ claims: { exp: undefined } }),
    'another type': () => signed({ header: { typ: 'JWT' } }),
    'no type': () => signed({ header: { typ: undefined } }),
    'no algorithm': () => `${b64({ alg: 'none', typ: 'at+jwt' })}.${b64(claims)}.`,
    'signed with a shared secret': () =>
      signed({ header: { alg: 'HS256' }, key: Buffer.from(publicText.padEnd(64, 'x')) }),
    'signed with our key of another algorithm': () => signed({ header: { alg: 'RS256', kid: rsa.kid }, key: rsa }),
    'its own key by URL': () => signed({ header: { kid: 'x', jku: 'https://evil.test' }, key: foreignKey }),
    'no organisation': () => signed({ claims: { owner: undefined } }),
    'another organisation': () => signed({ claims: { owner: 'other' } }),
    'the organisation admin': () => signed({ claims: { owner: 'admin' } }),
    'another person': () => signed({ claims: { sub: host.home.user } }),
    'an unknown sign-in': () => signed({ claims: { sid: 'never-was' } }),
    'a changed signature': () => `${tokens.access_token.slice(0, -10)}AAAAAAAAAA`,
    truncated: () => tokens.access_token.slice(0, -3),
  })) {
    it(`is rejected: ${name}`, async () => {
      const response = await me(await make())
      assert.equal(response.status, 401, response.text)
      assert.equal(response.body.error.code, 'credential_refused')
      assert.match(response.headers['www-authenticate'] as string, /^Bearer/)
    })
  }

  it('is one whose key was retired more than 30 seconds ago', async () => {
    host.clock.advance(60 * 60_000) // Other tests have set it back.
    const statusOfNew = async () => {
      const iat = Math.floor(host.clock.now().getTime() / 1000)
      return (await me(await signed({ claims: { iat, exp: iat + 900 } }))).status
    }
    assert.equal(await statusOfNew(), 200)
    await host.db`update signing_keys set retired = ${host.clock.now().toISOString()} where kid = ${`${ours.kid}`}`
    host.clock.advance(31_000)
    assert.equal(await statusOfNew(), 401)
    await host.db`update signing_keys set retired = null where kid = ${`${ours.kid}`}`
    host.clock.advance(31_000)
    assert.equal(await statusOfNew(), 200)
  })

  it('is derived here from claims with the audience of the API', () => {
    assert.equal(claims.aud, AUDIENCE)
  })
})
