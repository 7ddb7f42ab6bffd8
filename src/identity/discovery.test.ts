import assert from 'node:assert/strict'
import type { IncomingHttpHeaders } from 'node:http'
import { request } from 'node:https'
import { describe, it } from 'node:test'
import { CA, startHost } from '../../test/host.ts'
import { registerApp, startIdentity } from '../../test/identity.ts'

const ALLOWED = 'https://shop.example.com'
const host = await startHost()
const identity = await startIdentity(host, {
  corsHeaders: async origin => (origin === ALLOWED ? { 'access-control-allow-origin': ALLOWED } : null),
})
const { issuer } = identity
const DISCOVERY = '/.well-known/openid-configuration'
const JWKS = '/v1/iam/.well-known/jwks'

const TLS = { ca: CA(), agent: false, servername: 'localhost' } as const

type Response = { status: number; headers: IncomingHttpHeaders; text: string }

/** Sends the path and headers unchanged, which browsers would normalise. */
function send(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(issuer)
    const sent = request({ hostname, port, path, method, headers, ...TLS }, async response => {
      let text = ''
      for await (const part of response) text += part
      resolve({ status: response.statusCode ?? 0, headers: response.headers, text })
    })
    sent.on('error', reject)
    sent.end()
  })
}
const corsOf = ({ headers }: Response) => Object.keys(headers).filter(name => name.startsWith('access-control-'))

const discovery = await send(DISCOVERY)
const document = JSON.parse(discovery.text)

describe('the discovery document', () => {
  it('is also served for pure OAuth 2.0 clients', async () => {
    const { status, text } = await send('/.well-known/oauth-authorization-server')
    assert.deepEqual([status, JSON.parse(text)], [200, document])
  })

  it('is JSON', () => {
    assert.equal(discovery.status, 200)
    assert.match(`${discovery.headers['content-type']}`, /^application\/json/)
    assert.equal(discovery.headers['set-cookie'], undefined)
  })

  it('names the origin as the issuer and the six paths as endpoints', () => {
    assert.equal(document.issuer, issuer)
    assert.equal(document.authorization_endpoint, `${issuer}/v1/iam/oauth/authorize`)
    assert.equal(document.token_endpoint, `${issuer}/v1/iam/oauth/token`)
    assert.equal(document.userinfo_endpoint, `${issuer}/v1/iam/oauth/userinfo`)
    assert.equal(document.jwks_uri, `${issuer}${JWKS}`)
    assert.equal(document.end_session_endpoint, `${issuer}/v1/iam/oauth/logout`)
  })

  it('offers only the code flow with PKCE S256 and refresh tokens', () => {
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

  it('advertises no other endpoints', () => {
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

  it('does not advertise form_post, which the content security policy of the pages forbids', () => {
    assert.ok(!(document.response_modes_supported ?? []).includes('form_post'))
  })

  const variants: [name: string, headers: Record<string, string>, path?: string][] = [
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
  for (const [name, headers, path = DISCOVERY] of variants) {
    it(`does not change with ${name}`, async () => {
      const response = await send(path, headers)
      assert.equal(response.status, 200)
      assert.deepEqual(JSON.parse(response.text), document)
    })
  }

  it('does not contain a foreign host from an absolute-form request target', async () => {
    const response = await send(`https://evil.test${DISCOVERY}`, { host: 'evil.test' })
    assert.equal(response.status, 200)
    assert.doesNotMatch(response.text + JSON.stringify(response.headers), /evil/)
  })

  it('redirects people to the issuer regardless of the Host header', async () => {
    const app = await registerApp(host, identity, { app: 'hosts' })
    const { pathname, search } = new URL((await app.begin()).url)
    const response = await send(pathname + search, { host: 'evil.test', 'x-forwarded-host': 'evil.test' })
    assert.equal(new URL(`${response.headers.location}`, issuer).origin, issuer)
    assert.doesNotMatch(JSON.stringify(response.headers), /evil/)
  })
})

describe('the published keys', () => {
  it('are public keys for RS256 and ES256, each with kid, use and alg', async () => {
    const response = await send(JWKS)
    assert.equal(response.status, 200)
    assert.match(`${response.headers['content-type']}`, /^application\/(jwk-set\+)?json/)
    const { keys } = JSON.parse(response.text)
    assert.deepEqual(keys.map(({ alg }: { alg: string }) => alg).toSorted(), ['ES256', 'RS256'])
    assert.equal(new Set(keys.map(({ kid }: { kid: string }) => kid)).size, keys.length)
    for (const key of keys) {
      assert.equal(key.use, 'sig')
      assert.ok(key.kid)
      for (const secret of ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']) assert.ok(!(secret in key), secret)
    }
  })
})

describe('scripts of other origins', () => {
  const readable = [DISCOVERY, JWKS, '/v1/iam/oauth/token', '/v1/iam/oauth/userinfo']
  const unknownOrigins = ['https://evil.test', 'null', 'http://localhost:3000', `${ALLOWED}.evil.test`]
  for (const path of readable) {
    it(`get no CORS headers for ${path} unless the origin is allowed`, async () => {
      for (const origin of unknownOrigins) {
        const response = await send(path, { origin })
        const preflight = await send(path, { origin, 'access-control-request-method': 'POST' }, 'OPTIONS')
        assert.deepEqual([corsOf(response), corsOf(preflight)], [[], []], origin)
        assert.match(`${response.headers.vary}`, /origin/i)
      }
    })

    it(`can read ${path} if the origin is allowed`, async () => {
      const response = await send(path, { origin: ALLOWED })
      assert.equal(response.headers['access-control-allow-origin'], ALLOWED)
      assert.match(`${response.headers.vary}`, /origin/i)
    })
  }

  it('get a preflight response that allows UserInfo with a bearer token', async () => {
    const headers = {
      origin: ALLOWED,
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'authorization',
    }
    const preflight = await send('/v1/iam/oauth/userinfo', headers, 'OPTIONS')
    assert.ok([200, 204].includes(preflight.status), `${preflight.status}`)
    assert.equal(preflight.headers['access-control-allow-origin'], ALLOWED)
    assert.match(`${preflight.headers['access-control-allow-headers']}`, /\bauthorization\b/i)
    assert.match(`${preflight.headers['access-control-allow-methods']}`, /\bGET\b/)
  })

  it('get no CORS headers for HTML pages, even if the origin is allowed', async () => {
    for (const path of ['/', '/v1/iam/oauth/authorize', '/v1/iam/oauth/logout', '/sign-in/abc']) {
      assert.deepEqual(corsOf(await send(path, { origin: ALLOWED })), [], path)
    }
  })
})

describe('every other path', () => {
  const paths = [
    '/',
    '/?next=<script>alert(1)</script>',
    '/<script>alert(1)</script>',
    '/favicon.ico',
    '/login',
    '/me',
    '/jwks',
    '/oauth/token',
    '/oauth/authorize',
    '/api/login',
    '/api/login/oauth/access_token',
    '/api/',
    '/v1/iam/me',
    '/.well-known/oauth-authorization-server/x',
    '/.well-known/webfinger',
    '/.well-known/jwks',
    '/.well-known/',
    '/request',
    '/reg',
    '/device',
    '/backchannel',
    '/token/introspection',
    '/token/revocation',
    '/session/end',
    '/V1/iam/oauth/userinfo',
    '/v1/IAM/oauth/token',
    '/.Well-Known/openid-configuration',
    '/SIGN-IN/abc',
    '//v1/iam/oauth/token',
    '/v1//iam/oauth/token',
    '/v1/iam/oauth/token/',
    '/v1/iam/oauth/token;x=1',
    '/v1/iam/oauth/%74oken',
    '/v1/iam%2Foauth/token',
    '/%76%31/iam/oauth/userinfo',
    '/.well-known%2fopenid-configuration',
    '/v1/iam/x/../oauth/token',
    '/x/..;/v1/iam/oauth/token',
    '/v1/iam/oauth/./token',
    '/v1/iam/oauth/token%00',
    '/sign-in',
    '/sign-in/',
    '/sign-in/a/b',
    '/sign-in/%3Cscript%3E',
    '/v1/iam/oauth/authorize/a/b',
    '//evil.test/',
    '//evil.test/%2e%2e',
    '/\\evil.test',
    '/v1/iam/oauth/logout/confirm/x',
    `/${'a'.repeat(5000)}`,
  ]

  it('shows one constant page that reflects no input', async () => {
    const { text } = await send('/')
    assert.match(text, /^<!doctype html>/)
    assert.doesNotMatch(text, /<(script|form|img|iframe)/)
    assert.match(text, /<link rel="icon" href="data:image\/svg\+xml,[^"<>]+">/)
    assert.equal(text.match(/<link/g)?.length, 1)
    for (const path of paths) {
      const response = await send(path, { cookie: 'a=<script>', referer: 'https://evil.test/' })
      assert.equal(response.status, 200, path)
      assert.match(`${response.headers['content-type']}`, /^text\/html/, path)
      assert.equal(response.text, text, path)
    }
  })

  it('sets no cookies, and forbids caching, framing and content sniffing', async () => {
    for (const path of paths) {
      const { headers } = await send(path)
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
    const { text } = await send('/')
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'PROPFIND']) {
      const response = await send('/oauth/token', {}, method)
      assert.deepEqual([response.status, response.text], [200, text], method)
    }
    assert.equal((await send('/oauth/token', {}, 'HEAD')).status, 200)
  })

  it('gives no tokens or cookies for an unsupported method on a known path', async () => {
    for (const [method, path] of [
      ['GET', '/v1/iam/oauth/token'],
      ['PUT', '/v1/iam/oauth/token'],
      ['POST', DISCOVERY],
      ['DELETE', JWKS],
      ['TRACE', '/v1/iam/oauth/authorize'],
    ] as const) {
      const response = await send(path, {}, method)
      assert.ok([200, 404, 405].includes(response.status), `${method} ${path} ${response.status}`)
      assert.equal(response.headers['set-cookie'], undefined)
      assert.equal(response.headers['x-content-type-options'], 'nosniff')
    }
    assert.deepEqual(identity.failures, [])
  })
})
