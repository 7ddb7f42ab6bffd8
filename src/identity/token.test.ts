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
type Told = Awaited<ReturnType<typeof web.token>>
const is = ({ status, body }: Told, expected: number, error: string) =>
  assert.deepEqual([status, body.error, body.access_token], [expected, error, undefined])

describe('a code', () => {
  it('is worth tokens, which no cache keeps', async () => {
    const { code, verifier } = await codeOf()
    const { status, headers, body } = await web.redeem(code, verifier)
    assert.equal(status, 200)
    assert.match(`${headers.get('content-type')}`, /^application\/json/)
    assert.match(`${headers.get('cache-control')}`, /no-store/)
    assert.deepEqual([body.token_type, body.expires_in], ['Bearer', 900])
    assert.deepEqual(body.scope.split(' ').toSorted(), ['email', 'openid', 'profile'])
    assert.ok(body.id_token && body.refresh_token)
  })

  it('needs the verifier it was asked for with, and a wrong try does not use it up', async () => {
    const { code, verifier } = await codeOf()
    const turned = verifier.split('').toReversed().join('')
    is(await web.redeem(code, turned), 400, 'invalid_grant')
    is(await web.redeem(code, 'short'), 400, 'invalid_request')
    is(await web.redeem(code, `${'a'.repeat(42)}!`), 400, 'invalid_request')
    const without = { grant_type: 'authorization_code', code, redirect_uri: web.callback }
    is(await web.token(without), 400, 'invalid_grant')
    assert.equal((await web.redeem(code, verifier)).status, 200)
  })

  it('is not redeemed by the challenge itself', async () => {
    const { query } = await web.enter(ada, undefined, { code_challenge: 'b'.repeat(43) })
    is(await web.redeem(query.get('code'), 'b'.repeat(43)), 400, 'invalid_grant')
  })

  it('used twice takes everything with it that it gave', async () => {
    const { code, verifier } = await codeOf()
    const first = await web.redeem(code, verifier)
    is(await web.redeem(code, verifier), 400, 'invalid_grant')
    is(await web.refresh(first.body.refresh_token), 400, 'invalid_grant')
  })

  it('redeemed fifty times at once is redeemed once', async () => {
    const { code, verifier } = await codeOf()
    const told = await Promise.all(Array.from({ length: 50 }, () => web.redeem(code, verifier)))
    assert.equal(told.filter(({ status }) => status === 200).length, 1)
    for (const one of told) if (one.status !== 200) is(one, 400, 'invalid_grant')
    assert.deepEqual(identity.failures.splice(0), [])
  })

  it('belongs to the app that asked', async () => {
    const { code, verifier } = await codeOf()
    is(await till.redeem(code, verifier, { redirect_uri: web.callback }), 400, 'invalid_grant')
    is(await spa.redeem(code, verifier, { redirect_uri: web.callback }), 400, 'invalid_grant')
    assert.equal((await web.redeem(code, verifier)).status, 200)
  })

  it('belongs to the callback it was sent to', async () => {
    const { code, verifier } = await codeOf()
    for (const redirect of [
      `${web.callback}/`,
      till.callback,
      'https://evil.test/',
      'https://WEB.example.com/callback',
    ]) {
      is(await web.redeem(code, verifier, { redirect_uri: redirect }), 400, 'invalid_grant')
    }
  })

  it('is not redeemed without naming the callback', async () => {
    const { code, verifier } = await codeOf()
    const { status, body } = await web.token({ grant_type: 'authorization_code', code, code_verifier: verifier })
    assert.equal(status, 400)
    assert.match(body.error, /^invalid_(grant|request)$/)
  })

  it('ends after a minute', async () => {
    const [late, early] = [await codeOf(), await codeOf()]
    host.clock.advance(55_000)
    assert.equal((await web.redeem(early.code, early.verifier)).status, 200)
    host.clock.advance(6_000)
    is(await web.redeem(late.code, late.verifier), 400, 'invalid_grant')
  })

  it('that nobody gave out is refused', async () => {
    for (const code of ['', 'x', 'a'.repeat(43), 'é', "' or 1=1 --", 'a'.repeat(5_000)]) {
      assert.match((await web.redeem(code, 'a'.repeat(43))).body.error, /^invalid_(grant|request)$/, code)
    }
    assert.deepEqual(identity.failures.splice(0), [])
  })
})

describe('an app', () => {
  const url = `${issuer}/v1/iam/oauth/token`
  const wrong: [what: string, headers: Record<string, string>][] = [
    ['a wrong secret', basic(`${web.id}:wrong`)],
    ['no secret', basic(`${web.id}:`)],
    ["another app's secret", basic(`${web.id}:${till.secret}`)],
    ['an id nobody has', basic('home-nothing:secret')],
    ["a public app's id and a secret", basic(`${spa.id}:secret`)],
    ['what is no pair', basic('nothing')],
    ['bad escapes', basic(`${web.id}:%zz`)],
    ['a NUL', basic('home\0web:secret')],
    ['no base64', { authorization: 'Basic !!!' }],
    ['another scheme', { authorization: `Bearer ${web.secret}` }],
    ['nothing at all', {}],
  ]
  for (const [what, headers] of wrong) {
    it(`that presents ${what} is refused`, async () => {
      const { code, verifier } = await codeOf()
      const form = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: web.callback }
      const told = await web.token(form, headers)
      assert.ok([400, 401].includes(told.status), `${told.status}`)
      assert.match(told.body.error, /^invalid_(client|request)$/)
      if (told.status === 401) assert.match(`${told.headers.get('www-authenticate')}`, /^Basic /)
      assert.match(`${told.headers.get('cache-control')}`, /no-store/)
      assert.equal((await web.redeem(code, verifier)).status, 200, 'the code is still good')
    })
  }

  it('with a wrong secret is told 401 and how to say it', async () => {
    const told = await web.token({ grant_type: 'refresh_token', refresh_token: 'x' }, basic(`${web.id}:wrong`))
    is(told, 401, 'invalid_client')
    assert.match(`${told.headers.get('www-authenticate')}`, /^Basic realm=/)
  })

  it('may escape its id and secret as forms do', async () => {
    const { code, verifier } = await codeOf()
    const form = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: web.callback }
    const escaped = `${web.id.replace('h', '%68')}:${web.secret.replace(/^./, sign => `%${sign.charCodeAt(0).toString(16)}`)}`
    assert.equal((await web.token(form, basic(escaped))).status, 200)
  })

  it('may not put its secret into the body or the query', async () => {
    const { code, verifier } = await codeOf()
    const form = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: web.callback }
    const pair = { client_id: web.id, client_secret: web.secret }
    assert.match((await web.token({ ...form, ...pair }, {})).body.error, /^invalid_(client|request)$/)
    assert.match((await web.token({ ...form, client_id: web.id }, {})).body.error, /^invalid_(client|request)$/)
    const answer = await identity.fetch(`${url}?${new URLSearchParams({ ...form, ...pair })}`, { method: 'POST' })
    assert.ok([400, 401].includes(answer.status))
  })

  it('that is public needs no secret, and the proof key all the more', async () => {
    const { code, verifier } = await codeOf(spa)
    is(await spa.redeem(code, 'a'.repeat(43)), 400, 'invalid_grant')
    const { status, body } = await spa.redeem(code, verifier)
    assert.equal(status, 200)
    assert.equal((await spa.refresh(body.refresh_token)).status, 200)
  })

  it('gets tokens in no other way', async () => {
    for (const grant of [
      'password',
      'client_credentials',
      'implicit',
      'urn:ietf:params:oauth:grant-type:device_code',
      '',
    ]) {
      const told = await web.token({ grant_type: grant, username: ada.email, password: ada.password, scope: 'openid' })
      assert.equal(told.status, 400)
      assert.match(told.body.error, /^(unsupported_grant_type|invalid_request|unauthorized_client)$/)
    }
  })

  it('has to send a form, each field once', async () => {
    const headers = basic(`${web.id}:${web.secret}`)
    const form = 'grant_type=refresh_token&refresh_token=a&refresh_token=b'
    for (const [type, body] of [
      ['application/json', '{"grant_type":"refresh_token","refresh_token":"a"}'],
      ['text/plain', form],
      ['application/x-www-form-urlencoded', form],
      ['application/x-www-form-urlencoded', 'a'.repeat(2_000_000)],
    ] as const) {
      const sent = { ...headers, 'content-type': type }
      const answer = await identity.fetch(url, { method: 'POST', body, headers: sent })
      assert.ok([400, 413].includes(answer.status), `${type} ${answer.status}`)
    }
  })

  it('that was removed gets nothing more', async () => {
    const old = await registerApp(host, identity, { app: 'former' })
    const [{ tokens }, { code, verifier }] = [await old.signIn(ada), await codeOf(old)]
    await host.call(`DELETE /v1/iam/apps/${old.id}`)
    is(await old.redeem(code, verifier), 401, 'invalid_client')
    is(await old.refresh(tokens.refresh_token), 401, 'invalid_client')
  })

  it('does not inherit the tokens of a removed one of the same name', async () => {
    const old = await registerApp(host, identity, { app: 'fleeting' })
    const { tokens } = await old.signIn(ada)
    await host.call(`DELETE /v1/iam/apps/${old.id}`)
    const again = await registerApp(host, identity, { app: 'fleeting' })
    is(await again.refresh(tokens.refresh_token), 400, 'invalid_grant')
  })

  it('whose secret was replaced has to use the new one', async () => {
    const app = await registerApp(host, identity, { app: 'rotating' })
    const { tokens } = await app.signIn(ada)
    const { secret } = (await host.call(`POST /v1/iam/apps/${app.id}/secret`)).body
    is(await app.refresh(tokens.refresh_token), 401, 'invalid_client')
    const form = { grant_type: 'refresh_token', refresh_token: `${tokens.refresh_token}` }
    assert.equal((await app.token(form, basic(`${app.id}:${secret}`))).status, 200)
  })
})

describe('the tokens', () => {
  const published = async () => {
    const keys = await (await identity.fetch(`${issuer}/v1/iam/.well-known/jwks`)).json()
    return createLocalJWKSet(keys as never)
  }

  it('say in the ID token who signed in, where and for whom, signed with a published key', async () => {
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

  it('say in the access token which organisation it opens, for fifteen minutes, and no more than needed', async () => {
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

  it('cannot be taken for each other', async () => {
    const { tokens } = await web.signIn(ada)
    const [access, id] = [decodeJwt(tokens.access_token), decodeJwt(`${tokens.id_token}`)]
    assert.notEqual(decodeProtectedHeader(`${tokens.id_token}`).typ, 'at+jwt')
    assert.notEqual(access.aud, id.aud)
    assert.doesNotMatch(`${tokens.refresh_token}`, /\./)
  })

  it('carry the e-mail address in the ID token only where the scope was asked for', async () => {
    const { claims } = await web.signIn(ada, undefined, { scope: 'openid' })
    assert.equal(claims.email, undefined)
    assert.equal(claims.owner, 'home')
  })
})
