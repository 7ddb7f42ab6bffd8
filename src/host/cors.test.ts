import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { eventually } from '../../test/eventually.ts'
import { type Answer, OWN_ORIGINS, type RequestOptions, startHost } from '../../test/host.ts'
import { rawConnection } from '../../test/raw-connection.ts'

const host = await startHost()
const [OWN = '', OWN_TOO = ''] = OWN_ORIGINS
const SHOP = 'https://shop.example.com'
const EXPOSED = 'X-Request-Id, X-Max-Tokens, Link, Retry-After, RateLimit, RateLimit-Policy, WWW-Authenticate'

const project = (slug: string) => host.call('POST /v1/projects', { body: { slug, name: slug } })
const attach = async (slug: string, name: string) => {
  const { body } = await host.call(`POST /v1/projects/${slug}/domains`, { body: { host: name } })
  host.txt.set(body.records[0].name, [body.records[0].value])
}
const verify = async (slug: string, name: string, status = 'live') => {
  const { body } = await host.call(`POST /v1/projects/${slug}/domains/${name}/verify`)
  assert.equal(body.status, status)
}

await project('site')
for (const name of ['shop.example.com', 'xn--bcher-kva.example', 'pending.example.com']) await attach('site', name)
for (const name of ['shop.example.com', 'xn--bcher-kva.example']) await verify('site', name)

const send = (route: string, origin: string | null, { headers, ...more }: RequestOptions = {}) =>
  host.call(route, { headers: { ...headers, ...(origin !== null && { origin }) }, ...more })
const accessHeaders = ({ headers }: Answer) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('access-control-')))

const WITHOUT_CREDENTIALS = (origin: string) => ({
  'access-control-allow-origin': origin,
  'access-control-expose-headers': EXPOSED,
})
const WITH_CREDENTIALS = (origin: string) => ({
  ...WITHOUT_CREDENTIALS(origin),
  'access-control-allow-credentials': 'true',
})
const ALLOWED = [
  [OWN, WITH_CREDENTIALS(OWN)],
  [OWN_TOO, WITH_CREDENTIALS(OWN_TOO)],
  [SHOP, WITHOUT_CREDENTIALS(SHOP)],
  ['https://xn--bcher-kva.example', WITHOUT_CREDENTIALS('https://xn--bcher-kva.example')],
] as const

describe('a page of an allowed origin', () => {
  for (const [origin, headers] of ALLOWED) {
    const how = 'access-control-allow-credentials' in headers ? 'with' : 'without'
    it(`${origin} may read answers ${how} credentials`, async () => {
      for (const route of ['GET /v1', 'GET /v1/projects', 'HEAD /v1/projects']) {
        const answer = await send(route, origin)
        assert.equal(answer.status, 200)
        assert.deepEqual(accessHeaders(answer), headers, route)
      }
    })

    for (const [what, status, route, more] of [
      ['no credential', 401, 'GET /v1/projects', { as: null }],
      ['a wrong credential', 401, 'GET /v1/projects', { as: 'sk-wrong' }],
      ['an unknown path', 404, 'GET /nowhere', {}],
      ['an unknown project', 404, 'GET /v1/projects/nowhere', {}],
      ['an unsupported method', 405, 'PUT /v1/projects', {}],
      ['an invalid path', 400, 'GET /v1/projects/%zz', {}],
      ['a body that is not JSON', 400, 'POST /v1/projects', { body: '{' }],
      ['a body of another type', 415, 'POST /v1/projects', { body: 'x', headers: { 'content-type': 'text/plain' } }],
      ['an invalid field', 400, 'POST /v1/projects', { body: { slug: '-', name: 'x' } }],
      ['a slug that is taken', 409, 'POST /v1/projects', { body: { slug: 'site', name: 'x' } }],
    ] as const) {
      it(`${origin} may read a ${status} answer to ${what}`, async () => {
        const answer = await send(route, origin, more)
        assert.equal(answer.status, status)
        assert.deepEqual(accessHeaders(answer), headers)
      })
    }
  }
})

describe('a page of another origin', () => {
  const ROUTES = ['GET /v1', 'GET /v1/projects', 'GET /nowhere', 'PUT /v1/projects', 'OPTIONS /v1/projects']
  for (const [what, ...origins] of [
    ['none', null],
    ['that of a sandbox or a file', 'null', 'file://', 'about:blank'],
    ['no single origin', '*', '', `${SHOP} ${OWN}`, `${SHOP}, ${SHOP}`, `${OWN}, ${OWN}`, `${SHOP},https://evil.test`],
    ['another scheme', 'http://shop.example.com', 'ws://shop.example.com', 'shop.example.com', '//shop.example.com'],
    ['this machine', 'https://localhost', 'http://localhost:3000', `https://localhost:${host.port}`],
    ['an address', 'https://127.0.0.1', `https://127.0.0.1:${host.port}`, 'https://[::1]', 'https://2130706433'],
    ['a port', `${SHOP}:443`, `${SHOP}:8443`, `${SHOP}:`, `${SHOP}:0`],
    ['more than an origin', `${SHOP}/`, `${SHOP}/x`, `${SHOP}?`, `${SHOP}#`, `${SHOP}\\`, `${OWN}/`],
    ['another spelling', `${SHOP}.`, `${OWN}.`, 'https://SHOP.example.com', 'HTTPS://shop.example.com'],
    ['percent-encoding', 'https://shop%2eexample.com', 'https://%73hop.example.com', 'https://b%C3%BCcher.example'],
    ['below a verified host', 'https://a.shop.example.com', 'https://www.shop.example.com'],
    ['above a verified host', 'https://example.com', 'https://com'],
    ['beside a verified host', 'https://blog.example.com', 'https://evilshop.example.com', 'https://hop.example.com'],
    ['like a verified host', `${SHOP}.evil.test`, `${SHOP}munity`, 'https://shop-example.com', 'https://shop.example'],
    ['with a user', `${SHOP}@evil.test`, `${SHOP}:x@evil.test`, 'https://evil.test@shop.example.com'],
    ['pending', 'https://pending.example.com'],
    ['unknown', 'https://evil.test', 'https://a.b.c.d.e.f.g.example'],
    ['too long', `https://${'a'.repeat(5_000)}`, `https://${'a.'.repeat(2_500)}shop.example.com`, 'x'.repeat(5_000)],
    ['similar to an own origin', 'http://stoa.example', `${OWN}:8443`, `${OWN}:443`, 'https://STOA.example'],
    [
      'derived from an own origin',
      'https://a.stoa.example',
      `${OWN}.evil.test`,
      'https://evilstoa.example',
      `${OWN}@evil.test`,
    ],
  ] as const) {
    for (const origin of origins) {
      it(`gets no CORS headers if it is ${what}: ${String(origin).slice(0, 50)}`, async () => {
        for (const route of ROUTES) assert.deepEqual(accessHeaders(await send(route, origin)), {}, route)
      })
    }
  }

  it('is still answered: the browser withholds the answer, not the host', async () => {
    assert.equal((await send('GET /v1/projects', 'https://evil.test')).status, 200)
  })

  it('gets no CORS headers if Origin is sent twice', async () => {
    for (const origins of [
      [SHOP, SHOP],
      [OWN, OWN],
      [SHOP, 'https://evil.test'],
      ['https://evil.test', OWN],
    ] as const) {
      const { write, closed } = await rawConnection(host.port, { tls: true })
      const head = origins.map(origin => `Origin: ${origin}\r\n`).join('')
      write(`GET /v1 HTTP/1.1\r\nHost: x\r\n${head}Connection: close\r\n\r\n`)
      const text = await closed
      assert.match(text, /^HTTP\/1.1 200/)
      assert.doesNotMatch(text, /access-control-/i)
    }
  })
})

describe('the Vary header', () => {
  for (const [what, status, route, more] of [
    ['success', 200, 'GET /v1/projects', {}],
    ['a head', 200, 'HEAD /v1/projects', {}],
    ['a preflight', 204, 'OPTIONS /v1/projects', {}],
    ['no credential', 401, 'GET /v1/projects', { as: null }],
    ['an unknown path', 404, 'GET /nowhere', {}],
    ['OPTIONS of an unknown path', 404, 'OPTIONS /nowhere', {}],
    ['an unsupported method', 405, 'PUT /v1/projects', {}],
    ['an invalid path', 400, 'GET /v1/projects/%zz', {}],
    ['a body that is not JSON', 400, 'POST /v1/projects', { body: '{' }],
    ['an unsupported encoding', 415, 'POST /v1/projects', { body: {}, headers: { 'content-encoding': 'gzip' } }],
  ] as const) {
    it(`is Origin for ${what}, ${status}`, async () => {
      for (const origin of [null, OWN, SHOP, 'https://evil.test', 'null']) {
        const answer = await send(route, origin, more)
        assert.equal(answer.status, status)
        assert.equal(answer.headers.vary, 'Origin', String(origin))
      }
    })
  }

  it('is Origin for a 204 after DELETE', async () => {
    for (const origin of [null, SHOP, 'https://evil.test']) {
      await project('gone')
      const answer = await send('DELETE /v1/projects/gone', origin)
      assert.equal(answer.status, 204)
      assert.equal(answer.headers.vary, 'Origin')
    }
  })

  for (const [status, header] of [
    [431, `X-Long: ${'x'.repeat(20_000)}`],
    [417, 'Expect: the-unexpected'],
    [400, 'No header'],
  ] as const) {
    it(`is Origin for a ${status} on the raw socket`, async () => {
      const { write, closed } = await rawConnection(host.port, { tls: true })
      write(`GET /v1 HTTP/1.1\r\nHost: x\r\nOrigin: ${SHOP}\r\nConnection: close\r\n${header}\r\n\r\n`)
      const text = await closed
      assert.match(text, new RegExp(`^HTTP/1.1 ${status}`))
      assert.match(text, /^vary: Origin\r$/im)
    })
  }
})

describe('a preflight', () => {
  const preflight = (path: string, origin: string | null, method = 'GET') =>
    send(`OPTIONS ${path}`, origin, {
      as: null,
      headers: { 'access-control-request-method': method, 'access-control-request-headers': 'authorization' },
    })

  for (const [path, methods] of [
    ['/v1', 'GET, HEAD, OPTIONS'],
    ['/v1/projects', 'GET, HEAD, POST, OPTIONS'],
    ['/v1/projects/x', 'GET, HEAD, PATCH, DELETE, OPTIONS'],
    ['/v1/projects/x/domains', 'GET, HEAD, POST, OPTIONS'],
    ['/v1/projects/x/domains/shop.example.com', 'DELETE, OPTIONS'],
    ['/v1/projects/x/domains/shop.example.com/verify', 'POST, OPTIONS'],
  ] as const) {
    it(`of ${path} is answered 204 without a credential, with ${methods}`, async () => {
      for (const [origin, headers] of ALLOWED) {
        const answer = await preflight(path, origin, 'PATCH')
        assert.equal(answer.status, 204)
        assert.equal(answer.text, '')
        const { 'access-control-allow-headers': accepted, ...rest } = accessHeaders(answer)
        assert.deepEqual(rest, {
          ...headers,
          'access-control-allow-methods': methods,
          'access-control-max-age': '600',
        })
        const named = accepted?.split(', ') ?? []
        assert.deepEqual(named, [
          'Authorization',
          'Content-Type',
          'Content-Encoding',
          'X-Write-Key',
          'AnonymousId',
          'Idempotency-Key',
          'X-CSRF-Token',
          'X-Project-Id',
          'X-Service-Ingest-Key',
          'MCP-Protocol-Version',
          'Mcp-Method',
          'Mcp-Name',
        ])
      }
    })
  }

  it('of another origin is answered 204 with Allow and no CORS headers', async () => {
    for (const origin of [
      null,
      'null',
      'https://evil.test',
      'https://pending.example.com',
      'http://shop.example.com',
    ]) {
      const answer = await preflight('/v1/projects', origin, 'POST')
      assert.equal(answer.status, 204)
      assert.equal(answer.headers.allow, 'GET, HEAD, POST, OPTIONS')
      assert.deepEqual(accessHeaders(answer), {}, String(origin))
    }
  })
})

describe('a change of verified host names', () => {
  const isAllowed = async (name: string) => {
    const headers = accessHeaders(await send('GET /v1', `https://${name}`))
    if ('access-control-allow-origin' in headers) return true
    assert.deepEqual(headers, {})
    return false
  }
  /** The test clock does not advance, so cache entries do not expire: they must be invalidated. */
  const becomes = (name: string, wanted: boolean) =>
    eventually(
      () => isAllowed(name),
      is => is === wanted,
    )
  const becomesAndStays = async (name: string, expected: boolean) => {
    await becomes(name, expected)
    for (let round = 0; round < 5; round++) assert.equal(await isAllowed(name), expected)
  }

  for (const [how, slug, change] of [
    ['its record is gone', 'recordless', (name: string) => host.txt.delete(`_stoa-verify.${name}`)],
    ['it is detached', 'detached', (name: string) => host.call(`DELETE /v1/projects/detached/domains/${name}`)],
    ['its project is deleted', 'deleted', () => host.call('DELETE /v1/projects/deleted')],
    [
      'it is changed in the database',
      'by-hand',
      (name: string) => host.db`update domains set verified = null where host = ${name}`,
    ],
  ] as const) {
    it(`removes the headers immediately when ${how}`, async () => {
      const name = `${slug}.example.com`
      await project(slug)
      await attach(slug, name)
      await verify(slug, name)
      await becomesAndStays(name, true)
      await change(name)
      if (slug === 'recordless') await verify(slug, name, 'pending')
      await becomes(name, false)
      await becomesAndStays(name, false)
      assert.equal(await isAllowed('shop.example.com'), true)
    })
  }

  it('adds the headers immediately for a host name that was refused before', async () => {
    const name = 'new.example.com'
    await becomesAndStays(name, false)
    await attach('site', name)
    await becomesAndStays(name, false)
    await verify('site', name)
    await becomes(name, true)
    await becomesAndStays(name, true)
  })

  it('adds the headers immediately when a domain is inserted into the database', async () => {
    const name = 'restored.example.com'
    await becomesAndStays(name, false)
    await host.db`insert into domains (org, project, host, token, created, verified)
      values ('home', 'site', ${name}, 't', now(), now())`
    await becomes(name, true)
  })
})
