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

// oidc-provider dates its tokens by the time of day, so that the host has to live in it as well.
const host = await startHost({ now: new Date().toISOString() })
const identity = await startIdentity(host)
const { issuer } = identity
const USERINFO = `${issuer}/v1/iam/oauth/userinfo`
const ada = await addPerson(host, 'ada@home.test')
const web = await registerApp(host, identity, { app: 'web' })

async function ask(headers: Record<string, string>, init: RequestInit = {}, url = USERINFO) {
  const answer = await identity.fetch(url, { ...init, headers })
  const text = await answer.text()
  const body: Answer['body'] = text.startsWith('{') ? JSON.parse(text) : null
  return { status: answer.status, headers: answer.headers, body, text }
}
const bearer = (token: string | undefined) => ({ authorization: `Bearer ${token}` })

async function isRefused(token: string | undefined, why = `${token}`) {
  const { status, headers, body } = await ask(bearer(token))
  assert.equal(status, 401, why)
  assert.match(`${headers.get('www-authenticate')}`, /^Bearer\b/, why)
  assert.equal(body?.sub, undefined, why)
  assert.equal((await host.call('GET /v1/iam/me', { as: `${token}` })).status, 401, `${why}, at the API`)
}

/** A token like a real one with these claims changed, signed with our own key or another. */
const { tokens: sample } = await web.signIn(ada)
const [row] = await host.db<{ kid: string; sealed: Uint8Array }>`select kid, sealed from signing_keys
  where brand = 'default' and alg = 'ES256'`
assert.ok(row)
const ours = JSON.parse(host.engines.seal.unseal('admin', `signing key ${row.kid}`, row.sealed))
const ourKey = (await importJWK(ours, 'ES256')) as CryptoKey
const header = { alg: 'ES256', typ: 'at+jwt', kid: row.kid }
function forge(claims: object, head: Partial<JWTHeaderParameters> = {}, key: CryptoKey | Uint8Array = ourKey) {
  const payload = { ...decodeJwt(sample.access_token), ...claims }
  return new SignJWT(JSON.parse(JSON.stringify(payload))).setProtectedHeader({ ...header, ...head }).sign(key)
}

describe('UserInfo', () => {
  it('says who the token is of, by GET and by POST', async () => {
    const { tokens, claims } = await web.signIn(ada)
    const expected = { sub: claims.sub, owner: 'home', email: ada.email, email_verified: false }
    for (const method of ['GET', 'POST']) {
      const { status, headers, body } = await ask(bearer(tokens.access_token), { method })
      assert.equal(status, 200)
      assert.match(`${headers.get('content-type')}`, /^application\/json/)
      assert.match(`${headers.get('cache-control')}`, /no-store/)
      assert.equal(headers.get('set-cookie'), null)
      assert.deepEqual(body, expected)
    }
    assert.deepEqual({ ...(await client.fetchUserInfo(web.configuration, tokens.access_token, claims.sub)) }, expected)
    assert.deepEqual(identity.failures.splice(0), [])
  })

  it('takes the scheme in any case', async () => {
    const { status } = await ask({ authorization: `bearer ${sample.access_token}` })
    assert.equal(status, 200)
  })

  it('takes a POST with an empty form', async () => {
    const { status } = await ask(bearer(sample.access_token), { method: 'POST', body: new URLSearchParams() })
    assert.equal(status, 200)
  })

  it('keeps to the scopes that were asked for', async () => {
    for (const [scope, names] of [
      ['openid', ['owner', 'sub']],
      ['openid profile', ['owner', 'sub']],
      ['openid email', ['email', 'email_verified', 'owner', 'sub']],
    ] as const) {
      const { tokens } = await web.signIn(ada, undefined, { scope })
      const { body } = await ask(bearer(tokens.access_token))
      const told = Object.keys(body).filter(name => name !== 'name')
      assert.deepEqual(told.toSorted(), names, scope)
    }
  })

  it('works with tokens that were refreshed, and keeps to a narrower scope', async () => {
    const { tokens } = await web.signIn(ada)
    const { body } = await web.refresh(tokens.refresh_token, { scope: 'openid' })
    const told = await ask(bearer(body.access_token))
    assert.equal(told.status, 200)
    assert.equal(told.body.email, undefined)
  })

  it('challenges who brings no token', async () => {
    for (const headers of [{}, { authorization: '' }, { authorization: 'Basic eDp5' }, { authorization: 'Bearer' }]) {
      const told = await ask(headers as Record<string, string>)
      assert.equal(told.status, 401)
      assert.match(`${told.headers.get('www-authenticate')}`, /^Bearer\b/)
    }
  })

  it('does not read tokens out of the address, where logs would keep them, nor out of cookies', async () => {
    const token = sample.access_token
    assert.notEqual((await ask({}, {}, `${USERINFO}?access_token=${token}`)).status, 200)
    assert.notEqual((await ask({ cookie: `access_token=${token}` })).status, 200)
  })

  it('has no other method', async () => {
    for (const method of ['PUT', 'DELETE', 'PATCH']) {
      const { status, body } = await ask(bearer(sample.access_token), { method })
      assert.ok(status >= 400 && status < 500)
      assert.equal(body?.sub, undefined)
    }
  })
})

describe('a token that is not good', () => {
  const past = Math.floor(Date.now() / 1000) - 120

  it('is not what the forging here produces by default', async () => {
    assert.equal((await ask(bearer(await forge({})))).status, 200)
  })

  it('is any text, a key, an ID token or a refresh token', async () => {
    const texts = ['x', 'a.b.c', '....', 'null', 'e30.e30.', host.home.key.slice(0, -1), '"<script>"']
    for (const text of [...texts, sample.id_token, sample.refresh_token]) await isRefused(text)
    assert.equal((await ask(bearer(host.home.key))).status, 401)
  })

  it('is one that has expired', async () => isRefused(await forge({ exp: past })))
  it('is one that never expires', async () => isRefused(await forge({ exp: undefined })))
  it('is one that is not valid yet', async () => isRefused(await forge({ nbf: past + 3_600 })))
  it('is one of another issuer', async () => isRefused(await forge({ iss: 'https://id.other.example' })))
  it('is one for another API', async () => isRefused(await forge({ aud: 'https://api.other.example' })))
  it('is one for an app', async () => isRefused(await forge({ aud: web.id })))
  it('is one without issuer or audience', async () => {
    await isRefused(await forge({ iss: undefined }))
    await isRefused(await forge({ aud: undefined }))
  })
  it('is one without person, organisation, app or sign-in', async () => {
    for (const name of ['sub', 'owner', 'sid', 'client_id']) await isRefused(await forge({ [name]: undefined }), name)
  })
  it('is one whose person, organisation or sign-in is not theirs', async () => {
    await isRefused(await forge({ sub: 'usr_nobody' }))
    await isRefused(await forge({ sid: 'nothing' }))
    const owner = host.other.user
    await isRefused(await forge({ sub: owner }), 'a person who did not sign in there')
    const elsewhere = await forge({ owner: 'other' })
    assert.equal((await host.call('GET /v1/iam/me', { as: elsewhere })).status, 401, 'an organisation they are not in')
    assert.notEqual((await ask(bearer(elsewhere))).body.owner, 'other')
  })
  it('is one of another type', async () => {
    await isRefused(await forge({}, { typ: 'JWT' }))
    await isRefused(await forge({}, { typ: undefined as never }))
  })
  it('is one with a critical extension', async () => {
    const [, body, sign] = (await forge({})).split('.')
    const head = Buffer.from(JSON.stringify({ ...header, crit: ['x'], x: 1 })).toString('base64url')
    await isRefused(`${head}.${body}.${sign}`)
  })

  it('is one that is not signed, or signed with our public key as a secret', async () => {
    const [, body = ''] = sample.access_token.split('.')
    for (const alg of ['none', 'None', 'NONE']) {
      const head = Buffer.from(JSON.stringify({ ...header, alg })).toString('base64url')
      await isRefused(`${head}.${body}.`)
    }
    const jwk = { ...ours, d: undefined, key_ops: undefined } as never
    const pem = await exportSPKI((await importJWK(JSON.parse(JSON.stringify(jwk)), 'ES256')) as CryptoKey)
    await isRefused(await forge({}, { alg: 'HS256' }, new TextEncoder().encode(pem)))
    await isRefused(await forge({}, { alg: 'HS256' }, new TextEncoder().encode(JSON.stringify(jwk).padEnd(64))))
  })

  it('is one signed with a key of its own, however it names it', async () => {
    const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
    const jwk = { ...(await crypto.subtle.exportKey('jwk', publicKey)) } as never
    await isRefused(await forge({}, {}, privateKey))
    await isRefused(await forge({}, { jwk }, privateKey))
    await isRefused(await forge({}, { jku: 'https://evil.test/jwks', x5u: 'https://evil.test/x' }, privateKey))
    for (const kid of ['', 'x', '../../etc/passwd', "' or 1=1 --", '__proto__']) {
      await isRefused(await forge({}, { kid }, privateKey), kid)
    }
  })

  it('is one whose signature or claims were changed', async () => {
    const [head, body = '', sign = ''] = sample.access_token.split('.')
    const changed = Buffer.from(body, 'base64url').toString().replace('"home"', '"other"')
    await isRefused(`${head}.${Buffer.from(changed).toString('base64url')}.${sign}`)
    await isRefused(`${head}.${body}.${sign.startsWith('A') ? 'B' : 'A'}${sign.slice(1)}`)
    await isRefused(`${head}.${body}.${sign.slice(0, -4)}`)
    await isRefused(`${head}.${body}.`)
    await isRefused(`${head}.${body}.${sign}.${sign}`)
    assert.deepEqual(identity.failures.splice(0), [])
  })
})

describe('a token that was good', () => {
  it('opens the API as the person in the organisation', async () => {
    const { tokens } = await web.signIn(ada)
    const { status, body } = await host.call('GET /v1/iam/me', { as: tokens.access_token })
    assert.equal(status, 200)
    assert.deepEqual([body.user, body.org, body.email], [ada.user, 'home', ada.email])
    assert.equal(decodeJwt(tokens.access_token).aud, AUDIENCE)
  })

  it('is refused when the person is removed', async () => {
    const bob = await addPerson(host, 'bob@home.test')
    const { tokens } = await web.signIn(bob)
    assert.equal((await ask(bearer(tokens.access_token))).status, 200)
    await host.call(`DELETE /v1/iam/members/${bob.user}`)
    await isRefused(tokens.access_token)
  })

  it('is refused when the app is removed', async () => {
    const app = await registerApp(host, identity, { app: 'fleeting' })
    const { tokens } = await app.signIn(ada)
    await host.call(`DELETE /v1/iam/apps/${app.id}`)
    await isRefused(tokens.access_token)
  })

  it('is refused when the person signed out', async () => {
    const { tokens, browser } = await web.signIn(ada)
    const page = await browser.go(`${issuer}/v1/iam/oauth/logout?id_token_hint=${tokens.id_token}`)
    await browser.submit(page, { logout: 'yes' })
    await isRefused(tokens.access_token)
  })

  it('is refused when its code was used twice', async () => {
    const { tokens, query, verifier } = await web.signIn(ada)
    await web.redeem(query.get('code'), verifier)
    await isRefused(tokens.access_token)
  })

  it('is refused when its refresh token was stolen', async () => {
    const { tokens } = await web.signIn(ada)
    await web.refresh(tokens.refresh_token)
    host.clock.advance(31_000)
    await web.refresh(tokens.refresh_token)
    await isRefused(tokens.access_token)
  })

  it('is refused after fifteen minutes', async () => {
    const { tokens } = await web.signIn(ada)
    host.clock.advance(910_000)
    await isRefused(tokens.access_token)
  })
})
