import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { eventually } from '../../test/eventually.ts'
import { type Answer, type Ask, OWN_ORIGINS, startHost } from '../../test/host.ts'
import { wire } from '../../test/wire.ts'

const host = await startHost()
const [OWN = '', OWN_TOO = ''] = OWN_ORIGINS
const SHOP = 'https://shop.example.com'
const EXPOSED = 'X-Request-Id, Retry-After, RateLimit, RateLimit-Policy'

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

const ask = (route: string, origin: string | null, { headers, ...more }: Ask = {}) =>
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

describe('a page that may read answers', () => {
  for (const [origin, headers] of ALLOWED) {
    const how = 'access-control-allow-credentials' in headers ? 'with' : 'without'
    it(`of ${origin} may do so ${how} credentials`, async () => {
      for (const route of ['GET /v1', 'GET /v1/projects', 'HEAD /v1/projects']) {
        const answer = await ask(route, origin)
        assert.equal(answer.status, 200)
        assert.deepEqual(accessHeaders(answer), headers, route)
      }
    })

    for (const [what, status, route, more] of [
      ['no credential', 401, 'GET /v1/projects', { as: null }],
      ['a wrong credential', 401, 'GET /v1/projects', { as: 'sk-wrong' }],
      ['a path that is not there', 404, 'GET /nowhere', {}],
      ['a project that is not there', 404, 'GET /v1/projects/nowhere', {}],
      ['a method that is not there', 405, 'PUT /v1/projects', {}],
      ['a path that is no text', 400, 'GET /v1/projects/%zz', {}],
      ['a body that is no JSON', 400, 'POST /v1/projects', { body: '{' }],
      ['a body of another type', 415, 'POST /v1/projects', { body: 'x', headers: { 'content-type': 'text/plain' } }],
      ['a field that is wrong', 400, 'POST /v1/projects', { body: { slug: '-', name: 'x' } }],
      ['a slug that is taken', 409, 'POST /v1/projects', { body: { slug: 'site', name: 'x' } }],
    ] as const) {
      it(`of ${origin} reads the ${status} to ${what} as well`, async () => {
        const answer = await ask(route, origin, more)
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
    ['what a sandbox or a file sends', 'null', 'file://', 'about:blank'],
    ['no single origin', '*', '', `${SHOP} ${OWN}`, `${SHOP}, ${SHOP}`, `${OWN}, ${OWN}`, `${SHOP},https://evil.test`],
    ['another scheme', 'http://shop.example.com', 'ws://shop.example.com', 'shop.example.com', '//shop.example.com'],
    ['this machine', 'https://localhost', 'http://localhost:3000', `https://localhost:${host.port}`],
    ['an address', 'https://127.0.0.1', `https://127.0.0.1:${host.port}`, 'https://[::1]', 'https://2130706433'],
    ['a port', `${SHOP}:443`, `${SHOP}:8443`, `${SHOP}:`, `${SHOP}:0`],
    ['more than an origin', `${SHOP}/`, `${SHOP}/x`, `${SHOP}?`, `${SHOP}#`, `${SHOP}\\`, `${OWN}/`],
    ['another way to write it', `${SHOP}.`, `${OWN}.`, 'https://SHOP.example.com', 'HTTPS://shop.example.com'],
    ['percent-encoding', 'https://shop%2eexample.com', 'https://%73hop.example.com', 'https://b%C3%BCcher.example'],
    ['below a verified host', 'https://a.shop.example.com', 'https://www.shop.example.com'],
    ['above a verified host', 'https://example.com', 'https://com'],
    ['beside a verified host', 'https://blog.example.com', 'https://evilshop.example.com', 'https://hop.example.com'],
    ['like a verified host', `${SHOP}.evil.test`, `${SHOP}munity`, 'https://shop-example.com', 'https://shop.example'],
    ['with a user', `${SHOP}@evil.test`, `${SHOP}:x@evil.test`, 'https://evil.test@shop.example.com'],
    ['pending', 'https://pending.example.com'],
    ['never heard of', 'https://evil.test', 'https://a.b.c.d.e.f.g.example'],
    ['too long', `https://${'a'.repeat(5_000)}`, `https://${'a.'.repeat(2_500)}shop.example.com`, 'x'.repeat(5_000)],
    ['almost an own one', 'http://stoa.example', `${OWN}:8443`, `${OWN}:443`, 'https://STOA.example'],
    ['around an own one', 'https://a.stoa.example', `${OWN}.evil.test`, 'https://evilstoa.example', `${OWN}@evil.test`],
  ] as const) {
    for (const origin of origins) {
      it(`is told nothing if it is ${what}: ${String(origin).slice(0, 50)}`, async () => {
        for (const route of ROUTES) assert.deepEqual(accessHeaders(await ask(route, origin)), {}, route)
      })
    }
  }

  it('is answered all the same: the browser keeps the answer from it, not the host', async () => {
    assert.equal((await ask('GET /v1/projects', 'https://evil.test')).status, 200)
  })

  it('is told nothing if the header comes twice', async () => {
    for (const origins of [
      [SHOP, SHOP],
      [OWN, OWN],
      [SHOP, 'https://evil.test'],
      ['https://evil.test', OWN],
    ] as const) {
      const { write, closed } = await wire(host.port, { tls: true })
      const head = origins.map(origin => `Origin: ${origin}\r\n`).join('')
      write(`GET /v1 HTTP/1.1\r\nHost: x\r\n${head}Connection: close\r\n\r\n`)
      const text = await closed
      assert.match(text, /^HTTP\/1.1 200/)
      assert.doesNotMatch(text, /access-control-/i)
    }
  })
})

describe('an answer, whoever asks,', () => {
  for (const [what, status, route, more] of [
    ['success', 200, 'GET /v1/projects', {}],
    ['a head', 200, 'HEAD /v1/projects', {}],
    ['a preflight', 204, 'OPTIONS /v1/projects', {}],
    ['no credential', 401, 'GET /v1/projects', { as: null }],
    ['a path that is not there', 404, 'GET /nowhere', {}],
    ['OPTIONS of a path that is not there', 404, 'OPTIONS /nowhere', {}],
    ['a method that is not there', 405, 'PUT /v1/projects', {}],
    ['a path that is no text', 400, 'GET /v1/projects/%zz', {}],
    ['a body that is no JSON', 400, 'POST /v1/projects', { body: '{' }],
    ['an encoding that is not taken', 415, 'POST /v1/projects', { body: {}, headers: { 'content-encoding': 'gzip' } }],
  ] as const) {
    it(`says that it depends on the origin: ${what}, ${status}`, async () => {
      for (const origin of [null, OWN, SHOP, 'https://evil.test', 'null']) {
        const answer = await ask(route, origin, more)
        assert.equal(answer.status, status)
        assert.equal(answer.headers.vary, 'Origin', String(origin))
      }
    })
  }

  it('says so with 204 after a DELETE too', async () => {
    for (const origin of [null, SHOP, 'https://evil.test']) {
      await project('gone')
      const answer = await ask('DELETE /v1/projects/gone', origin)
      assert.equal(answer.status, 204)
      assert.equal(answer.headers.vary, 'Origin')
    }
  })

  for (const [status, header] of [
    [431, `X-Long: ${'x'.repeat(20_000)}`],
    [417, 'Expect: the-unexpected'],
    [400, 'No header'],
  ] as const) {
    it(`says so when no request came to be: ${status}`, async () => {
      const { write, closed } = await wire(host.port, { tls: true })
      write(`GET /v1 HTTP/1.1\r\nHost: x\r\nOrigin: ${SHOP}\r\nConnection: close\r\n${header}\r\n\r\n`)
      const text = await closed
      assert.match(text, new RegExp(`^HTTP/1.1 ${status}`))
      assert.match(text, /^vary: Origin\r$/im)
    })
  }
})

describe('a preflight', () => {
  const preflight = (path: string, origin: string | null, method = 'GET') =>
    ask(`OPTIONS ${path}`, origin, {
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
    it(`of ${path} is 204 without a credential, and names ${methods}`, async () => {
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
          'X-CSRF-Token',
          'X-Project-Id',
          'X-Service-Ingest-Key',
        ])
      }
    })
  }

  it('from elsewhere is 204 and told nothing but what the path has', async () => {
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

describe('a change of what is verified', () => {
  const isAllowed = async (name: string) => {
    const headers = accessHeaders(await ask('GET /v1', `https://${name}`))
    if ('access-control-allow-origin' in headers) return true
    assert.deepEqual(headers, {})
    return false
  }
  /** The clock stands still, so nothing that is remembered lapses: it has to be forgotten. */
  const becomes = (name: string, wanted: boolean) =>
    eventually(
      () => isAllowed(name),
      is => is === wanted,
    )
  const remember = async (name: string, expected: boolean) => {
    await becomes(name, expected)
    for (let asked = 0; asked < 5; asked++) assert.equal(await isAllowed(name), expected)
  }

  for (const [how, slug, change] of [
    ['its record is gone', 'recordless', (name: string) => host.txt.delete(`_stoa-verify.${name}`)],
    ['it is detached', 'detached', (name: string) => host.call(`DELETE /v1/projects/detached/domains/${name}`)],
    ['its project is deleted', 'deleted', () => host.call('DELETE /v1/projects/deleted')],
    [
      'the database says so',
      'by-hand',
      (name: string) => host.db`update domains set verified = null where host = ${name}`,
    ],
  ] as const) {
    it(`takes the headers away at once when ${how}`, async () => {
      const name = `${slug}.example.com`
      await project(slug)
      await attach(slug, name)
      await verify(slug, name)
      await remember(name, true)
      await change(name)
      if (slug === 'recordless') await verify(slug, name, 'pending')
      await becomes(name, false)
      await remember(name, false)
      assert.equal(await isAllowed('shop.example.com'), true)
    })
  }

  it('gives the headers at once to a host that was refused before', async () => {
    const name = 'new.example.com'
    await remember(name, false)
    await attach('site', name)
    await remember(name, false)
    await verify('site', name)
    await becomes(name, true)
    await remember(name, true)
  })

  it('gives them at once when the database alone knows of it', async () => {
    const name = 'restored.example.com'
    await remember(name, false)
    await host.db`insert into domains (org, project, host, token, created, verified)
      values ('home', 'site', ${name}, 't', now(), now())`
    await becomes(name, true)
  })
})
