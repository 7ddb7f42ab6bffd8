import assert from 'node:assert/strict'
import type { IncomingHttpHeaders } from 'node:http'
import { request } from 'node:https'
import { describe, it } from 'node:test'
import { CA, startHost } from '../../test/host.ts'
import { registerApp, startIdentity } from '../../test/identity.ts'

const FRIEND = 'https://shop.example.com'
const host = await startHost()
const identity = await startIdentity(host, {
  corsHeaders: async origin => (origin === FRIEND ? { 'access-control-allow-origin': FRIEND } : null),
})
const { issuer } = identity
const DISCOVERY = '/.well-known/openid-configuration'
const JWKS = '/v1/iam/.well-known/jwks'

const TLS = { ca: CA(), agent: false, servername: 'localhost' } as const

type Heard = { status: number; headers: IncomingHttpHeaders; text: string }

/** Sends the path and the headers to the letter, as no browser would. */
function ask(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Heard> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(issuer)
    const asked = request({ hostname, port, path, method, headers, ...TLS }, async answer => {
      let text = ''
      for await (const part of answer) text += part
      resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text })
    })
    asked.on('error', reject)
    asked.end()
  })
}
const corsOf = ({ headers }: Heard) => Object.keys(headers).filter(name => name.startsWith('access-control-'))

const answer = await ask(DISCOVERY)
const document = JSON.parse(answer.text)

describe('the discovery document', () => {
  it('is JSON', () => {
    assert.equal(answer.status, 200)
    assert.match(`${answer.headers['content-type']}`, /^application\/json/)
    assert.equal(answer.headers['set-cookie'], undefined)
  })

  it('names the origin as the issuer and the six paths as endpoints', () => {
    assert.equal(document.issuer, issuer)
    assert.equal(document.authorization_endpoint, `${issuer}/v1/iam/oauth/authorize`)
    assert.equal(document.token_endpoint, `${issuer}/v1/iam/oauth/token`)
    assert.equal(document.userinfo_endpoint, `${issuer}/v1/iam/oauth/userinfo`)
    assert.equal(document.jwks_uri, `${issuer}${JWKS}`)
    assert.equal(document.end_session_endpoint, `${issuer}/v1/iam/oauth/logout`)
  })

  it('offers the code flow with PKCE S256 and refreshing, and no other way to tokens', () => {
    assert.deepEqual(document.response_types_supported, ['code'])
    assert.deepEqual(document.grant_types_supported.toSorted(), ['authorization_code', 'refresh_token'])
    assert.deepEqual(document.code_challenge_methods_supported, ['S256'])
    assert.deepEqual(document.token_endpoint_auth_methods_supported.toSorted(), ['client_secret_basic', 'none'])
    assert.equal(document.request_uri_parameter_supported, false)
    assert.notEqual(document.request_parameter_supported, true)
    assert.equal(document.authorization_response_iss_parameter_supported, true)
  })

  it('names exactly the scopes openid, profile and email', () => {
    assert.deepEqual(document.scopes_supported.toSorted(), ['email', 'openid', 'profile'])
  })

  it('names the claims owner and email, public subjects and RS256 for ID tokens', () => {
    for (const claim of ['sub', 'iss', 'owner', 'email']) assert.ok(document.claims_supported.includes(claim), claim)
    assert.deepEqual(document.subject_types_supported, ['public'])
    assert.deepEqual(document.id_token_signing_alg_values_supported, ['RS256'])
  })

  it('advertises no endpoint beside the documented ones', () => {
    const endpoints = Object.keys(document).filter(name => /_(endpoint|uri|iframe|endpoint_aliases)$/.test(name))
    assert.deepEqual(endpoints.toSorted(), [
      'authorization_endpoint',
      'end_session_endpoint',
      'jwks_uri',
      'token_endpoint',
      'userinfo_endpoint',
    ])
    const features = Object.keys(document).filter(name =>
      /dpop|pushed|backchannel|introspection|device|mtls/.test(name),
    )
    assert.deepEqual(features, [])
  })

  it('advertises no response mode that the pages do not allow: their policy stops form_post', () => {
    assert.ok(!(document.response_modes_supported ?? []).includes('form_post'))
  })

  const tricks: [what: string, headers: Record<string, string>, path?: string][] = [
    ['another Host', { host: 'evil.test' }],
    ['another port', { host: 'localhost:1' }],
    ['X-Forwarded-Host', { 'x-forwarded-host': 'evil.test' }],
    ['X-Forwarded-Host and Proto', { 'x-forwarded-host': 'evil.test', 'x-forwarded-proto': 'http' }],
    ['several forwarded hosts', { 'x-forwarded-host': 'evil.test, localhost', 'x-forwarded-proto': 'http, https' }],
    ['X-Forwarded-Port and Prefix', { 'x-forwarded-port': '1', 'x-forwarded-prefix': '/evil.test' }],
    ['Forwarded', { forwarded: 'for=1.1.1.1;host=evil.test;proto=http' }],
    ['X-Original-URL', { 'x-original-url': '/evil.test', 'x-rewrite-url': '/evil.test' }],
    ['a query', {}, `${DISCOVERY}?issuer=https://evil.test`],
  ]
  for (const [what, headers, path = DISCOVERY] of tricks) {
    it(`says the same whatever the request says with ${what}`, async () => {
      const told = await ask(path, headers)
      assert.equal(told.status, 200)
      assert.deepEqual(JSON.parse(told.text), document)
    })
  }

  it('says nothing of a foreign host in the absolute form of a request', async () => {
    const told = await ask(`https://evil.test${DISCOVERY}`, { host: 'evil.test' })
    assert.equal(told.status, 200)
    assert.doesNotMatch(told.text + JSON.stringify(told.headers), /evil/)
  })

  it('sends people to pages on the issuer whatever Host says', async () => {
    const app = await registerApp(host, identity, { app: 'hosts' })
    const { pathname, search } = new URL((await app.begin()).url)
    const told = await ask(pathname + search, { host: 'evil.test', 'x-forwarded-host': 'evil.test' })
    assert.equal(new URL(`${told.headers.location}`, issuer).origin, issuer)
    assert.doesNotMatch(JSON.stringify(told.headers), /evil/)
  })
})

describe('the published keys', () => {
  it('are public, have each a name, a use and an algorithm, and suit RS256 and ES256', async () => {
    const told = await ask(JWKS)
    assert.equal(told.status, 200)
    assert.match(`${told.headers['content-type']}`, /^application\/(jwk-set\+)?json/)
    const { keys } = JSON.parse(told.text)
    assert.deepEqual(keys.map(({ alg }: { alg: string }) => alg).toSorted(), ['ES256', 'RS256'])
    assert.equal(new Set(keys.map(({ kid }: { kid: string }) => kid)).size, keys.length)
    for (const key of keys) {
      assert.equal(key.use, 'sig')
      assert.ok(key.kid)
      for (const secret of ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']) assert.ok(!(secret in key), secret)
    }
  })
})

describe('pages of other origins', () => {
  const readable = [DISCOVERY, JWKS, '/v1/iam/oauth/token', '/v1/iam/oauth/userinfo']
  const strangers = ['https://evil.test', 'null', 'http://localhost:3000', `${FRIEND}.evil.test`]
  for (const path of readable) {
    it(`may not read ${path}, nor be told that they may, unless they are known`, async () => {
      for (const origin of strangers) {
        const told = await ask(path, { origin })
        const preflight = await ask(path, { origin, 'access-control-request-method': 'POST' }, 'OPTIONS')
        assert.deepEqual([corsOf(told), corsOf(preflight)], [[], []], origin)
        assert.match(`${told.headers.vary}`, /origin/i)
      }
    })

    it(`may read ${path} when they are known, by name`, async () => {
      const told = await ask(path, { origin: FRIEND })
      assert.equal(told.headers['access-control-allow-origin'], FRIEND)
      assert.match(`${told.headers.vary}`, /origin/i)
    })
  }

  it('are told before they ask for UserInfo with a bearer that they may', async () => {
    const headers = {
      origin: FRIEND,
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'authorization',
    }
    const preflight = await ask('/v1/iam/oauth/userinfo', headers, 'OPTIONS')
    assert.ok([200, 204].includes(preflight.status), `${preflight.status}`)
    assert.equal(preflight.headers['access-control-allow-origin'], FRIEND)
  })

  it('get nothing for the pages people see, even when known', async () => {
    for (const path of ['/', '/v1/iam/oauth/authorize', '/v1/iam/oauth/logout', '/sign-in/abc']) {
      assert.deepEqual(corsOf(await ask(path, { origin: FRIEND })), [], path)
    }
  })
})

describe('every other address', () => {
  const paths = [
    ...[
      '/',
      '/?next=<script>alert(1)</script>',
      '/<script>alert(1)</script>',
      '/favicon.ico',
      '/login',
      '/me',
      '/jwks',
    ],
    ...['/oauth/token', '/oauth/authorize', '/api/login', '/api/login/oauth/access_token', '/api/', '/v1/iam/me'],
    ...['/.well-known/oauth-authorization-server', '/.well-known/webfinger', '/.well-known/jwks', '/.well-known/'],
    ...['/request', '/reg', '/device', '/backchannel', '/token/introspection', '/token/revocation', '/session/end'],
    ...['/V1/iam/oauth/userinfo', '/v1/IAM/oauth/token', '/.Well-Known/openid-configuration', '/SIGN-IN/abc'],
    ...['//v1/iam/oauth/token', '/v1//iam/oauth/token', '/v1/iam/oauth/token/', '/v1/iam/oauth/token;x=1'],
    ...[
      '/v1/iam/oauth/%74oken',
      '/v1/iam%2Foauth/token',
      '/%76%31/iam/oauth/userinfo',
      '/.well-known%2fopenid-configuration',
    ],
    ...['/v1/iam/x/../oauth/token', '/x/..;/v1/iam/oauth/token', '/v1/iam/oauth/./token', '/v1/iam/oauth/token%00'],
    ...['/sign-in', '/sign-in/', '/sign-in/a/b', '/sign-in/%3Cscript%3E', '/v1/iam/oauth/authorize/a/b'],
    ...['//evil.test/', '//evil.test/%2e%2e', '/\\evil.test', '/v1/iam/oauth/logout/confirm/x', `/${'a'.repeat(5000)}`],
  ]

  it('shows one constant page that reflects nothing', async () => {
    const { text } = await ask('/')
    assert.match(text, /^<!doctype html>/)
    assert.doesNotMatch(text, /<(script|form|img|iframe|link)/)
    for (const path of paths) {
      const told = await ask(path, { cookie: 'a=<script>', referer: 'https://evil.test/' })
      assert.equal(told.status, 200, path)
      assert.match(`${told.headers['content-type']}`, /^text\/html/, path)
      assert.equal(told.text, text, path)
    }
  })

  it('sets no cookies, is not kept, not framed and not guessed at', async () => {
    for (const path of paths) {
      const { headers } = await ask(path)
      assert.equal(headers['set-cookie'], undefined, path)
      assert.equal(headers.location, undefined, path)
      assert.equal(headers['cache-control'], 'no-store', path)
      assert.equal(headers['x-content-type-options'], 'nosniff', path)
      assert.equal(headers['x-frame-options'], 'DENY', path)
      assert.equal(headers['referrer-policy'], 'no-referrer', path)
      assert.match(`${headers['content-security-policy']}`, /default-src 'none'.*frame-ancestors 'none'/, path)
    }
  })

  it('is the same for every method', async () => {
    const { text } = await ask('/')
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'PROPFIND']) {
      const told = await ask('/oauth/token', {}, method)
      assert.deepEqual([told.status, told.text], [200, text], method)
    }
    assert.equal((await ask('/oauth/token', {}, 'HEAD')).status, 200)
  })

  it('is all there is behind a registered path with a method it does not have: no tokens, no cookies', async () => {
    for (const [method, path] of [
      ['GET', '/v1/iam/oauth/token'],
      ['PUT', '/v1/iam/oauth/token'],
      ['POST', DISCOVERY],
      ['DELETE', JWKS],
      ['TRACE', '/v1/iam/oauth/authorize'],
    ] as const) {
      const told = await ask(path, {}, method)
      assert.ok([200, 404, 405].includes(told.status), `${method} ${path} ${told.status}`)
      assert.equal(told.headers['set-cookie'], undefined)
      assert.equal(told.headers['x-content-type-options'], 'nosniff')
    }
    assert.deepEqual(identity.failures, [])
  })
})
