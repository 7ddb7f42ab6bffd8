import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose'
import { startHost } from '../../test/host.ts'
import { AUDIENCE, addPerson, registerApp, startIdentity } from '../../test/identity.ts'

const host = await startHost()
const identity = await startIdentity(host)
const { issuer } = identity
const ada = await addPerson(host, 'ada@home.test')
const web = await registerApp(host, identity, { app: 'web' })
const till = await registerApp(host, identity, { app: 'till' })
const spa = await registerApp(host, identity, { app: 'spa', type: 'public' })

const codeOf = async (app = web) => {
  const { query, verifier } = await app.enter(ada)
  return { code: query.get('code') as string, verifier }
}
const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` })
type TokenResponse = Awaited<ReturnType<typeof web.token>>
const assertError = ({ status, body }: TokenResponse, expected: number, error: string) =>
  assert.deepEqual([status, body.error, body.access_token], [expected, error, undefined])

describe('an authorization code', () => {
  it('is redeemed for tokens, in a response that cannot be cached', async () => {
    const { code, verifier } = await codeOf()
    const { status, headers, body } = await web.redeem(code, verifier)
    assert.equal(status, 200)
    assert.match(`${headers.get('content-type')}`, /^application\/json/)
    assert.match(`${headers.get('cache-control')}`, /no-store/)
    assert.deepEqual([body.token_type, body.expires_in], ['Bearer', 900])
    assert.deepEqual(body.scope.split(' ').toSorted(), ['email', 'openid', 'profile'])
    assert.ok(body.id_token && body.refresh_token)
  })

  it('requires its PKCE verifier, and is not used up by a wrong one', async () => {
    const { code, verifier } = await codeOf()
    const reversed = verifier.split('').toReversed().join('')
    assertError(await web.redeem(code, reversed), 400, 'invalid_grant')
    assertError(await web.redeem(code, 'short'), 400, 'invalid_request')
    assertError(await web.redeem(code, `${'a'.repeat(42)}!`), 400, 'invalid_request')
    const without = { grant_type: 'authorization_code', code, redirect_uri: web.callback }
    assertError(await web.token(without), 400, 'invalid_grant')
    assert.equal((await web.redeem(code, verifier)).status, 200)
  })

  it('is not redeemed with the challenge as the verifier', async () => {
    const { query } = await web.enter(ada, undefined, { code_challenge: 'b'.repeat(43) })
    assertError(await web.redeem(query.get('code'), 'b'.repeat(43)), 400, 'invalid_grant')
  })

  it('revokes its tokens if it is used twice', async () => {
    const { code, verifier } = await codeOf()
    const first = await web.redeem(code, verifier)
    assertError(await web.redeem(code, verifier), 400, 'invalid_grant')
    assertError(await web.refresh(first.body.refresh_token), 400, 'invalid_grant')
  })

  it('is redeemed once if sent fifty times at the same time', async () => {
    const { code, verifier } = await codeOf()
    const responses = await Promise.all(Array.from({ length: 50 }, () => web.redeem(code, verifier)))
    assert.equal(responses.filter(({ status }) => status === 200).length, 1)
    for (const response of responses) if (response.status !== 200) assertError(response, 400, 'invalid_grant')
    assert.deepEqual(identity.failures.splice(0), [])
  })

  it('is bound to the app that requested it', async () => {
    const { code, verifier } = await codeOf()
    assertError(await till.redeem(code, verifier, { redirect_uri: web.callback }), 400, 'invalid_grant')
    assertError(await spa.redeem(code, verifier, { redirect_uri: web.callback }), 400, 'invalid_grant')
    assert.equal((await web.redeem(code, verifier)).status, 200)
  })

  it('is bound to the redirect URI it was sent to', async () => {
    const { code, verifier } = await codeOf()
    for (const redirect of [
      `${web.callback}/`,
      till.callback,
      'https://evil.test/',
      'https://WEB.example.com/callback',
    ]) {
      assertError(await web.redeem(code, verifier, { redirect_uri: redirect }), 400, 'invalid_grant')
    }
  })

  it('is not redeemed without the redirect URI', async () => {
    const { code, verifier } = await codeOf()
    const { status, body } = await web.token({ grant_type: 'authorization_code', code, code_verifier: verifier })
    assert.equal(status, 400)
    assert.match(body.error, /^invalid_(grant|request)$/)
  })

  it('expires after a minute', async () => {
    const [late, early] = [await codeOf(), await codeOf()]
    host.clock.advance(55_000)
    assert.equal((await web.redeem(early.code, early.verifier)).status, 200)
    host.clock.advance(6_000)
    assertError(await web.redeem(late.code, late.verifier), 400, 'invalid_grant')
  })

  it('is rejected if it is unknown', async () => {
    for (const code of ['', 'x', 'a'.repeat(43), 'é', "' or 1=1 --", 'a'.repeat(5_000)]) {
      assert.match((await web.redeem(code, 'a'.repeat(43))).body.error, /^invalid_(grant|request)$/, code)
    }
    assert.deepEqual(identity.failures.splice(0), [])
  })
})

describe('an app at the token endpoint', () => {
  const url = `${issuer}/v1/iam/oauth/token`
  const wrong: [name: string, headers: Record<string, string>][] = [
    ['a wrong secret', basic(`${web.id}:wrong`)],
    ['no secret', basic(`${web.id}:`)],
    ["another app's secret", basic(`${web.id}:${till.secret}`)],
    ['an unknown id', basic('home-nothing:secret')],
    ["a public app's id and a secret", basic(`${spa.id}:secret`)],
    ['no colon', basic('nothing')],
    ['bad escapes', basic(`${web.id}:%zz`)],
    ['a NUL', basic('home\0web:secret')],
    ['invalid base64', { authorization: 'Basic !!!' }],
    ['another scheme', { authorization: `Bearer ${web.secret}` }],
    ['nothing at all', {}],
  ]
  for (const [name, headers] of wrong) {
    it(`is refused with ${name}`, async () => {
      const { code, verifier } = await codeOf()
      const form = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: web.callback }
      const response = await web.token(form, headers)
      assert.ok([400, 401].includes(response.status), `${response.status}`)
      assert.match(response.body.error, /^invalid_(client|request)$/)
      if (response.status === 401) assert.match(`${response.headers.get('www-authenticate')}`, /^Basic /)
      assert.match(`${response.headers.get('cache-control')}`, /no-store/)
      assert.equal((await web.redeem(code, verifier)).status, 200, 'the code is still valid')
    })
  }

  it('gets 401 with a Basic challenge for a wrong secret', async () => {
    const response = await web.token({ grant_type: 'refresh_token', refresh_token: 'x' }, basic(`${web.id}:wrong`))
    assertError(response, 401, 'invalid_client')
    assert.match(`${response.headers.get('www-authenticate')}`, /^Basic realm=/)
  })

  it('can form-encode its id and secret', async () => {
    const { code, verifier } = await codeOf()
    const form = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: web.callback }
    const escaped = `${web.id.replace('h', '%68')}:${web.secret.replace(/^./, char => `%${char.charCodeAt(0).toString(16)}`)}`
    assert.equal((await web.token(form, basic(escaped))).status, 200)
  })

  it('cannot send its secret in the body or the query', async () => {
    const { code, verifier } = await codeOf()
    const form = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: web.callback }
    const credentials = { client_id: web.id, client_secret: web.secret }
    assert.match((await web.token({ ...form, ...credentials }, {})).body.error, /^invalid_(client|request)$/)
    assert.match((await web.token({ ...form, client_id: web.id }, {})).body.error, /^invalid_(client|request)$/)
    const response = await identity.fetch(`${url}?${new URLSearchParams({ ...form, ...credentials })}`, {
      method: 'POST',
    })
    assert.ok([400, 401].includes(response.status))
  })

  it('that is public needs no secret, but the PKCE verifier', async () => {
    const { code, verifier } = await codeOf(spa)
    assertError(await spa.redeem(code, 'a'.repeat(43)), 400, 'invalid_grant')
    const { status, body } = await spa.redeem(code, verifier)
    assert.equal(status, 200)
    assert.equal((await spa.refresh(body.refresh_token)).status, 200)
  })

  it('gets no tokens by other grant types', async () => {
    for (const grant of [
      'password',
      'client_credentials',
      'implicit',
      'urn:ietf:params:oauth:grant-type:device_code',
      '',
    ]) {
      const response = await web.token({
        grant_type: grant,
        username: ada.email,
        password: ada.password,
        scope: 'openid',
      })
      assert.equal(response.status, 400)
      assert.match(response.body.error, /^(unsupported_grant_type|invalid_request|unauthorized_client)$/)
    }
  })

  it('must send a form with each field once', async () => {
    const headers = basic(`${web.id}:${web.secret}`)
    const form = 'grant_type=refresh_token&refresh_token=a&refresh_token=b'
    for (const [type, body] of [
      ['application/json', '{"grant_type":"refresh_token","refresh_token":"a"}'],
      ['text/plain', form],
      ['application/x-www-form-urlencoded', form],
      ['application/x-www-form-urlencoded', 'a'.repeat(2_000_000)],
    ] as const) {
      const init = { method: 'POST', body, headers: { ...headers, 'content-type': type } }
      const response = await identity.fetch(url, init)
      assert.ok([400, 413].includes(response.status), `${type} ${response.status}`)
    }
  })

  it('that was deleted gets no tokens', async () => {
    const old = await registerApp(host, identity, { app: 'former' })
    const [{ tokens }, { code, verifier }] = [await old.signIn(ada), await codeOf(old)]
    await host.call(`DELETE /v1/iam/apps/${old.id}`)
    assertError(await old.redeem(code, verifier), 401, 'invalid_client')
    assertError(await old.refresh(tokens.refresh_token), 401, 'invalid_client')
  })

  it('does not inherit the tokens of a deleted app of the same name', async () => {
    const old = await registerApp(host, identity, { app: 'fleeting' })
    const { tokens } = await old.signIn(ada)
    await host.call(`DELETE /v1/iam/apps/${old.id}`)
    const again = await registerApp(host, identity, { app: 'fleeting' })
    assertError(await again.refresh(tokens.refresh_token), 400, 'invalid_grant')
  })

  it('must use the new secret after a rotation', async () => {
    const app = await registerApp(host, identity, { app: 'rotating' })
    const { tokens } = await app.signIn(ada)
    const { secret } = (await host.call(`POST /v1/iam/apps/${app.id}/secret`)).body
    assertError(await app.refresh(tokens.refresh_token), 401, 'invalid_client')
    const form = { grant_type: 'refresh_token', refresh_token: `${tokens.refresh_token}` }
    assert.equal((await app.token(form, basic(`${app.id}:${secret}`))).status, 200)
  })
})

describe('issued tokens', () => {
  const published = async () => {
    const keys = await (await identity.fetch(`${issuer}/v1/iam/.well-known/jwks`)).json()
    return createLocalJWKSet(keys as never)
  }

  it('include an ID token with person, organisation and app, signed with a published key', async () => {
    const { tokens, nonce } = await web.signIn(ada)
    const options = { issuer, audience: web.id, algorithms: ['RS256'] }
    const { payload, protectedHeader } = await jwtVerify(`${tokens.id_token}`, await published(), options)
    assert.ok(protectedHeader.kid)
    assert.deepEqual([payload.sub, payload.owner, payload.nonce], [ada.user, 'home', nonce])
    assert.deepEqual([payload.email, payload.aud], [ada.email, web.id])
    assert.equal(typeof payload.iat, 'number')
    assert.ok(Number(payload.exp) > Number(payload.iat))
    assert.match(ada.user, /^[\x21-\x7e]{1,255}$/)
  })

  it('include an access token for the organisation that is valid for fifteen minutes', async () => {
    const { tokens } = await web.signIn(ada)
    const options = { issuer, audience: AUDIENCE, algorithms: ['ES256'], typ: 'at+jwt' }
    const { payload, protectedHeader } = await jwtVerify(tokens.access_token, await published(), options)
    assert.ok(protectedHeader.kid)
    assert.deepEqual([payload.owner, payload.email, payload.sub], ['home', ada.email, ada.user])
    assert.deepEqual([payload.client_id, payload.aud], [web.id, AUDIENCE])
    assert.ok(payload.sid && payload.jti)
    assert.equal(Number(payload.exp) - Number(payload.iat), 900)
    assert.notEqual(decodeJwt((await web.signIn(ada)).tokens.access_token).sid, payload.sid, 'one for each sign-in')
  })

  it('cannot be mistaken for each other', async () => {
    const { tokens } = await web.signIn(ada)
    const [access, id] = [decodeJwt(tokens.access_token), decodeJwt(`${tokens.id_token}`)]
    assert.notEqual(decodeProtectedHeader(`${tokens.id_token}`).typ, 'at+jwt')
    assert.notEqual(access.aud, id.aud)
    assert.doesNotMatch(`${tokens.refresh_token}`, /\./)
  })

  it('include the e-mail address in the ID token only with the scope email', async () => {
    const { claims } = await web.signIn(ada, undefined, { scope: 'openid' })
    assert.equal(claims.email, undefined)
    assert.equal(claims.owner, 'home')
  })
})
