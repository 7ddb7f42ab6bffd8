import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  type CryptoKey,
  decodeJwt,
  exportSPKI,
  generateKeyPair,
  importJWK,
  type JWTHeaderParameters,
  SignJWT,
} from 'jose'
import * as client from 'openid-client'
import { type Answer, startHost } from '../../test/host.ts'
import { AUDIENCE, addPerson, registerApp, startIdentity } from '../../test/identity.ts'

// oidc-provider uses the system time in its tokens, so the host has to use it too.
const host = await startHost({ now: 'real' })
const identity = await startIdentity(host)
const { issuer } = identity
const USERINFO = `${issuer}/v1/iam/oauth/userinfo`
const ada = await addPerson(host, 'ada@home.test')
const web = await registerApp(host, identity, { app: 'web' })

async function fetchUserInfo(headers: Record<string, string>, init: RequestInit = {}, url = USERINFO) {
  const response = await identity.fetch(url, { ...init, headers })
  const text = await response.text()
  const body: Answer['body'] = text.startsWith('{') ? JSON.parse(text) : null
  return { status: response.status, headers: response.headers, body, text }
}
const bearer = (token: string | undefined) => ({ authorization: `Bearer ${token}` })

async function assertRejected(token: string | undefined, why = `${token}`) {
  const { status, headers, body } = await fetchUserInfo(bearer(token))
  assert.equal(status, 401, why)
  assert.match(`${headers.get('www-authenticate')}`, /^Bearer\b/, why)
  assert.equal(body?.sub, undefined, why)
  assert.equal((await host.call('GET /v1/iam/me', { as: `${token}` })).status, 401, `${why}, at the API`)
}

const { tokens: sample } = await web.signIn(ada)
const [row] = await host.db<{ kid: string; sealed: Uint8Array }>`select kid, sealed from signing_keys
  where brand = 'default' and alg = 'ES256'`
assert.ok(row)
const ours = JSON.parse(host.engines.seal.unseal('admin', `signing key ${row.kid}`, row.sealed))
const ourKey = (await importJWK(ours, 'ES256')) as CryptoKey
const header = { alg: 'ES256', typ: 'at+jwt', kid: row.kid }

/** A valid token with changed claims and header, signed with our key or another one. */
function forge(claims: object, head: Partial<JWTHeaderParameters> = {}, key: CryptoKey | Uint8Array = ourKey) {
  const payload = { ...decodeJwt(sample.access_token), ...claims }
  return new SignJWT(JSON.parse(JSON.stringify(payload))).setProtectedHeader({ ...header, ...head }).sign(key)
}

describe('UserInfo', () => {
  it('returns the person of the token, by GET and by POST', async () => {
    const { tokens, claims } = await web.signIn(ada)
    const expected = { sub: claims.sub, owner: 'home', email: ada.email, email_verified: false }
    for (const method of ['GET', 'POST']) {
      const { status, headers, body } = await fetchUserInfo(bearer(tokens.access_token), { method })
      assert.equal(status, 200)
      assert.match(`${headers.get('content-type')}`, /^application\/json/)
      assert.match(`${headers.get('cache-control')}`, /no-store/)
      assert.equal(headers.get('set-cookie'), null)
      assert.deepEqual(body, expected)
    }
    assert.deepEqual({ ...(await client.fetchUserInfo(web.configuration, tokens.access_token, claims.sub)) }, expected)
    assert.deepEqual(identity.failures.splice(0), [])
  })

  it('accepts the scheme in any case', async () => {
    const { status } = await fetchUserInfo({ authorization: `bearer ${sample.access_token}` })
    assert.equal(status, 200)
  })

  it('accepts a POST with an empty form', async () => {
    const { status } = await fetchUserInfo(bearer(sample.access_token), { method: 'POST', body: new URLSearchParams() })
    assert.equal(status, 200)
  })

  it('returns only the claims of the granted scopes', async () => {
    for (const [scope, names] of [
      ['openid', ['owner', 'sub']],
      ['openid profile', ['owner', 'sub']],
      ['openid email', ['email', 'email_verified', 'owner', 'sub']],
    ] as const) {
      const { tokens } = await web.signIn(ada, undefined, { scope })
      const { body } = await fetchUserInfo(bearer(tokens.access_token))
      const claims = Object.keys(body).filter(name => name !== 'name')
      assert.deepEqual(claims.toSorted(), names, scope)
    }
  })

  it('accepts refreshed tokens and respects a narrowed scope', async () => {
    const { tokens } = await web.signIn(ada)
    const { body } = await web.refresh(tokens.refresh_token, { scope: 'openid' })
    const response = await fetchUserInfo(bearer(body.access_token))
    assert.equal(response.status, 200)
    assert.equal(response.body.email, undefined)
  })

  it('answers 401 with a challenge without a token', async () => {
    for (const headers of [{}, { authorization: '' }, { authorization: 'Basic eDp5' }, { authorization: 'Bearer' }]) {
      const response = await fetchUserInfo(headers as Record<string, string>)
      assert.equal(response.status, 401)
      assert.match(`${response.headers.get('www-authenticate')}`, /^Bearer\b/)
    }
  })

  it('does not accept tokens in the query, which ends up in logs, or in cookies', async () => {
    const token = sample.access_token
    assert.notEqual((await fetchUserInfo({}, {}, `${USERINFO}?access_token=${token}`)).status, 200)
    assert.notEqual((await fetchUserInfo({ cookie: `access_token=${token}` })).status, 200)
  })

  it('rejects other methods', async () => {
    for (const method of ['PUT', 'DELETE', 'PATCH']) {
      const { status, body } = await fetchUserInfo(bearer(sample.access_token), { method })
      assert.ok(status >= 400 && status < 500)
      assert.equal(body?.sub, undefined)
    }
  })
})

describe('an invalid token', () => {
  const past = Math.floor(Date.now() / 1000) - 120

  it('is not what `forge` returns by default', async () => {
    assert.equal((await fetchUserInfo(bearer(await forge({})))).status, 200)
  })

  it('is arbitrary text, a key, an ID token or a refresh token', async () => {
    const texts = ['x', 'a.b.c', '....', 'null', 'e30.e30.', host.home.key.slice(0, -1), '"<script>"']
    for (const text of [...texts, sample.id_token, sample.refresh_token]) await assertRejected(text)
    assert.equal((await fetchUserInfo(bearer(host.home.key))).status, 401)
  })

  it('is one that has expired', async () => assertRejected(await forge({ exp: past })))
  it('is one that never expires', async () => assertRejected(await forge({ exp: undefined })))
  it('is one that is not valid yet', async () => assertRejected(await forge({ nbf: past + 3_600 })))
  it('is one from another issuer', async () => assertRejected(await forge({ iss: 'https://id.other.example' })))
  it('is one for another API', async () => assertRejected(await forge({ aud: 'https://api.other.example' })))
  it('is one for an app', async () => assertRejected(await forge({ aud: web.id })))
  it('is one without issuer or audience', async () => {
    await assertRejected(await forge({ iss: undefined }))
    await assertRejected(await forge({ aud: undefined }))
  })
  it('is one without person, organisation, app or sign-in', async () => {
    for (const name of ['sub', 'owner', 'sid', 'client_id'])
      await assertRejected(await forge({ [name]: undefined }), name)
  })
  it('is one with a wrong person, organisation or sign-in', async () => {
    await assertRejected(await forge({ sub: 'usr_nobody' }))
    await assertRejected(await forge({ sid: 'nothing' }))
    const owner = host.other.user
    await assertRejected(await forge({ sub: owner }), 'a person who did not sign in')
    const elsewhere = await forge({ owner: 'other' })
    assert.equal(
      (await host.call('GET /v1/iam/me', { as: elsewhere })).status,
      401,
      'an organisation the person is not a member of',
    )
    assert.notEqual((await fetchUserInfo(bearer(elsewhere))).body.owner, 'other')
  })
  it('is one of another type', async () => {
    await assertRejected(await forge({}, { typ: 'JWT' }))
    await assertRejected(await forge({}, { typ: undefined as never }))
  })
  it('is one with a critical extension', async () => {
    const [, body, signature] = (await forge({})).split('.')
    const head = Buffer.from(JSON.stringify({ ...header, crit: ['x'], x: 1 })).toString('base64url')
    await assertRejected(`${head}.${body}.${signature}`)
  })

  it('is one that is unsigned, or signed with our public key as a shared secret', async () => {
    const [, body = ''] = sample.access_token.split('.')
    for (const alg of ['none', 'None', 'NONE']) {
      const head = Buffer.from(JSON.stringify({ ...header, alg })).toString('base64url')
      await assertRejected(`${head}.${body}.`)
    }
    const jwk = { ...ours, d: undefined, key_ops: undefined } as never
    const pem = await exportSPKI((await importJWK(JSON.parse(JSON.stringify(jwk)), 'ES256')) as CryptoKey)
    await assertRejected(await forge({}, { alg: 'HS256' }, new TextEncoder().encode(pem)))
    await assertRejected(await forge({}, { alg: 'HS256' }, new TextEncoder().encode(JSON.stringify(jwk).padEnd(64))))
  })

  it('is one signed with its own key, in any way it refers to the key', async () => {
    const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
    const jwk = { ...(await crypto.subtle.exportKey('jwk', publicKey)) } as never
    await assertRejected(await forge({}, {}, privateKey))
    await assertRejected(await forge({}, { jwk }, privateKey))
    await assertRejected(await forge({}, { jku: 'https://evil.test/jwks', x5u: 'https://evil.test/x' }, privateKey))
    for (const kid of ['', 'x', '../../etc/passwd', "' or 1=1 --", '__proto__']) {
      await assertRejected(await forge({}, { kid }, privateKey), kid)
    }
  })

  it('is one with a changed signature or claims', async () => {
    const [head, body = '', signature = ''] = sample.access_token.split('.')
    const changed = Buffer.from(body, 'base64url').toString().replace('"home"', '"other"')
    await assertRejected(`${head}.${Buffer.from(changed).toString('base64url')}.${signature}`)
    await assertRejected(`${head}.${body}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`)
    await assertRejected(`${head}.${body}.${signature.slice(0, -4)}`)
    await assertRejected(`${head}.${body}.`)
    await assertRejected(`${head}.${body}.${signature}.${signature}`)
    assert.deepEqual(identity.failures.splice(0), [])
  })
})

describe('a valid token', () => {
  it('authenticates its person to the API in the organisation', async () => {
    const { tokens } = await web.signIn(ada)
    const { status, body } = await host.call('GET /v1/iam/me', { as: tokens.access_token })
    assert.equal(status, 200)
    assert.deepEqual([body.user, body.org, body.email], [ada.user, 'home', ada.email])
    assert.equal(decodeJwt(tokens.access_token).aud, AUDIENCE)
  })

  it('is rejected after the person is removed', async () => {
    const bob = await addPerson(host, 'bob@home.test')
    const { tokens } = await web.signIn(bob)
    assert.equal((await fetchUserInfo(bearer(tokens.access_token))).status, 200)
    await host.call(`DELETE /v1/iam/members/${bob.user}`)
    await assertRejected(tokens.access_token)
  })

  it('is rejected after the app is deleted', async () => {
    const app = await registerApp(host, identity, { app: 'fleeting' })
    const { tokens } = await app.signIn(ada)
    await host.call(`DELETE /v1/iam/apps/${app.id}`)
    await assertRejected(tokens.access_token)
  })

  it('is rejected after the person signs out', async () => {
    const { tokens, browser } = await web.signIn(ada)
    const page = await browser.go(`${issuer}/v1/iam/oauth/logout?id_token_hint=${tokens.id_token}`)
    await browser.submit(page, { logout: 'yes' })
    await assertRejected(tokens.access_token)
  })

  it('is rejected after its code is used twice', async () => {
    const { tokens, query, verifier } = await web.signIn(ada)
    await web.redeem(query.get('code'), verifier)
    await assertRejected(tokens.access_token)
  })

  it('is rejected after its refresh token is reused', async () => {
    const { tokens } = await web.signIn(ada)
    await web.refresh(tokens.refresh_token)
    host.clock.advance(31_000)
    await web.refresh(tokens.refresh_token)
    await assertRejected(tokens.access_token)
  })

  it('is rejected after fifteen minutes', async () => {
    const { tokens } = await web.signIn(ada)
    host.clock.advance(910_000)
    await assertRejected(tokens.access_token)
  })
})
