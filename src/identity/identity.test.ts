import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import * as client from 'openid-client'
import { startHost } from '../../test/host.ts'
import { AUDIENCE, startIdentity } from '../../test/identity.ts'

const host = await startHost()
const identity = await startIdentity(host)
const CALLBACK = 'https://shop.example.com/callback'
const PASSWORD = 'walnut-desk-twelve-green'

const person = await host.call('POST /v1/iam/members', {
  body: { email: 'ada@home.test', role: 'member', password: PASSWORD },
})
const app = (
  await host.call('POST /v1/iam/apps', {
    body: { app: 'web', name: 'The shop', type: 'confidential', people: 'team', redirectUris: [CALLBACK] },
  })
).body

const configuration = await client.discovery(
  new URL(identity.issuer),
  app.id,
  undefined,
  client.ClientSecretBasic(app.secret),
  { [client.customFetch]: identity.fetch as never },
)

async function begin(more: Record<string, string> = {}) {
  const verifier = client.randomPKCECodeVerifier()
  const state = client.randomState()
  const nonce = client.randomNonce()
  const url = client.buildAuthorizationUrl(configuration, {
    redirect_uri: CALLBACK,
    scope: 'openid profile email',
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    nonce,
    ...more,
  })
  const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce }
  return { url: url.href, checks }
}

async function signIn(browser = identity.browser()) {
  const { url, checks } = await begin()
  const page = await browser.go(url)
  const back = page.text.includes('<form')
    ? await browser.submit(page, { email: 'ada@home.test', password: PASSWORD })
    : page
  assert.ok(back.url.startsWith(CALLBACK), back.text)
  const tokens = await client.authorizationCodeGrant(configuration, new URL(back.url), checks)
  return { tokens, browser, back }
}

describe('signing in', () => {
  it('redirects to the app with a code, which is redeemed for tokens', async () => {
    const { tokens } = await signIn()
    const claims = tokens.claims()
    assert.equal(claims?.sub, person.body.user)
    assert.equal(claims?.owner, 'home')
    assert.equal(tokens.expires_in, 900)
    const access = decodeJwt(tokens.access_token)
    assert.equal(decodeProtectedHeader(tokens.access_token).alg, 'ES256')
    assert.equal(decodeProtectedHeader(tokens.access_token).typ, 'at+jwt')
    assert.deepEqual(
      [access.iss, access.aud, access.sub, access.owner, access.email, access.client_id],
      [identity.issuer, AUDIENCE, person.body.user, 'home', 'ada@home.test', 'home-web'],
    )
    assert.ok(access.sid)
    assert.ok(tokens.refresh_token)
    assert.deepEqual(identity.failures, [])
  })
})
