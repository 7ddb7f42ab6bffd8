import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { brotliDecompressSync } from 'node:zlib'
import { Agent, request } from 'undici'
import { eventually } from '../../test/eventually.ts'
import { CA, startHost } from '../../test/host.ts'
import { parseResponse, rawConnection } from '../../test/raw-connection.ts'
import { BODY_LIMIT, disconnects } from '../../test/specimen/bodies-and-answers.ts'
import { specimen } from '../../test/specimen.ts'
import { services } from '../services/index.ts'

const host = await startHost({ services: [...services, specimen], hsts: true })

describe('the OpenAPI document', () => {
  it('is compressed for clients that accept it, and the same for others', async () => {
    const get = (headers: Record<string, string>) => host.call('GET /v1/openapi.json', { as: null, headers })
    const plain = await get({})
    assert.equal(plain.headers['content-encoding'], undefined)
    assert.match(String(plain.headers.vary), /Accept-Encoding/)
    const { dispatcher, body, headers, statusCode } = await compressed('/v1/openapi.json')
    assert.deepEqual([statusCode, headers['content-encoding']], [200, 'br'])
    const bytes = Buffer.from(await body.arrayBuffer())
    assert.ok(bytes.length < plain.text.length / 10)
    assert.equal(brotliDecompressSync(bytes).toString(), plain.text)
    assert.notEqual(headers.etag, plain.headers.etag)
    await dispatcher.close()
    for (const encoding of ['gzip', 'br;q=0', 'identity']) {
      assert.equal((await get({ 'accept-encoding': encoding })).headers['content-encoding'], undefined)
    }
    const current = await get({ 'accept-encoding': 'br', 'if-none-match': String(headers.etag) })
    assert.equal(current.status, 304)
  })
})

async function compressed(path: string) {
  const dispatcher = new Agent({ connect: { ca: CA() } })
  const answer = await request(host.baseUrl + path, { dispatcher, headers: { 'accept-encoding': 'gzip, br' } })
  return { dispatcher, ...answer }
}

describe('an unknown route', () => {
  for (const [path, why] of [
    ['/', 'nothing exists outside /v1'],
    ['/v1/nothing', 'no such service'],
    ['/v1/projects/', 'a trailing slash is a different path'],
    ['/v1//projects', 'a doubled slash is a different path'],
    ['/V1/projects', 'paths are case-sensitive'],
    ['/v1/projects/a/b', 'a deeper path is a different path'],
    ['/v1/projects%2f', 'an encoded slash is not a separator'],
  ] as const) {
    it(`answers 404 at ${path}: ${why}`, async () => {
      const answer = await host.call(`GET ${path}`)
      assert.equal(answer.status, 404)
      assert.equal(answer.body.error.code, 'not_found')
      assert.equal(answer.body.error.request_id, answer.headers['x-request-id'])
    })
  }

  for (const [path, meant] of [
    ['/v1/projects/', '/v1/projects'],
    ['/v1/projects/web-shop/', '/v1/projects/web-shop'],
    ['/v1/health/?x=1', '/v1/health'],
    ['/v1/nothing/', null],
    ['/', null],
  ] as const) {
    it(`answers 404 at ${path}${meant === null ? '' : ` with ${meant}`}, without a credential too`, async () => {
      for (const as of [host.home.key, null]) {
        const { status, body } = await host.call(`GET ${path}`, { as })
        assert.equal(status, 404)
        const hint = body.error.message.match(/Did you mean (.*), without the slash/)?.[1] ?? null
        assert.equal(hint, meant)
        if (meant === null) assert.match(body.error.message, /GET \/v1 lists the services/)
      }
    })
  }

  for (const [request, meant] of [
    ['GET /v1//projects/', 'GET /v1/projects'],
    ['GET /v1/projects//', 'GET /v1/projects'],
    ['GET /projects', 'GET /v1/projects'],
    ['POST /v1/v1/projects', 'POST /v1/projects'],
    ['GET /v1/project', 'GET /v1/projects'],
    ['POST /v1/events', 'POST /v1/event'],
    ['GET /v1/keys', 'GET /v1/account/keys'],
    ['DELETE /v1/audit', 'GET /v1/iam/audit'],
    ['POST /v1/risk/resolve', 'POST /v1/risk/reference/resolve'],
  ]) {
    it(`answers 404 at ${request} with ${meant}`, async () => {
      const { status, body } = await host.call(request as string, { as: null })
      assert.equal(status, 404)
      assert.match(body.error.message, new RegExp(`Did you mean ${meant}\\?$`))
    })
  }

  it('answers 404 for a long path in linear time, without a hint', async () => {
    const { status, body } = await host.call(`GET /${'x'.repeat(8_000)}`, { as: null })
    assert.equal(status, 404)
    assert.match(body.error.message, /GET \/v1 lists the services\.$/)
  })

  it('answers 405 with the allowed methods, before it reads credential or body', async () => {
    const answer = await host.call('PUT /v1/projects', { as: null, body: 'not json' })
    assert.equal(answer.status, 405)
    assert.equal(answer.headers.allow, 'GET, HEAD, POST, OPTIONS')
    assert.equal(answer.body.error.code, 'method_not_allowed')
  })

  it('answers OPTIONS with the same list and no body', async () => {
    const answer = await host.call('OPTIONS /v1/projects/x', { as: null })
    assert.equal(answer.status, 204)
    assert.equal(answer.headers.allow, 'GET, HEAD, PATCH, DELETE, OPTIONS')
  })

  it('does not let a header change the method', async () => {
    const answer = await host.call('GET /v1/projects', { headers: { 'x-http-method-override': 'POST' } })
    assert.equal(answer.status, 200)
  })

  it('answers 405 to an unsupported method on any path', async () => {
    for (const method of ['TRACE', 'PROPFIND', 'QUERY', 'PURGE', 'M-SEARCH']) {
      for (const path of ['/v1/projects', '/nowhere']) {
        const { write, closed } = await rawConnection(host.port, { tls: true })
        write(`${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
        const { status, head, error } = parseResponse(await closed)
        assert.equal(status, 405, `${method} ${path}`)
        assert.equal(error.code, 'method_not_allowed')
        assert.match(head, /allow: GET, HEAD/i)
      }
    }
  })

  it('answers 400 to a path with invalid percent-encoding', async () => {
    const answer = await host.call('GET /v1/projects/%zz')
    assert.equal(answer.headers['x-request-id'], answer.body.error.request_id)
    assert.equal(answer.headers['cache-control'], 'no-store')
    assert.equal(answer.status, 400)
    assert.equal(answer.body.error.code, 'malformed_request')
    assert.match(answer.body.error.request_id, /^req_/)
  })
})

describe('the head of a request', () => {
  const send = async (head: string) => {
    const { write, closed } = await rawConnection(host.port, { tls: true })
    write(`${head}\r\nConnection: close\r\n\r\n`)
    return closed
  }

  for (const [name, head, status, code] of [
    ['a fragment', 'GET /v1#x HTTP/1.1\r\nHost: x', 400, 'malformed_request'],
    ['two hosts', 'GET /v1 HTTP/1.1\r\nHost: x\r\nHost: y', 400, 'malformed_request'],
    ['an invalid host', 'GET /v1 HTTP/1.1\r\nHost: a b/@', 400, 'malformed_request'],
    ['another HTTP version', 'GET /v1 HTTP/2.0\r\nHost: x', 400, 'malformed_request'],
    ['an unsupported expectation', 'GET /v1 HTTP/1.1\r\nHost: x\r\nExpect: the-unexpected', 417, 'expectation_failed'],
    ['CONNECT', 'CONNECT x:443 HTTP/1.1\r\nHost: x', 405, 'method_not_allowed'],
  ] as const) {
    it(`with ${name} is answered ${status} with a fault body`, async () => {
      const answer = parseResponse(await send(head))
      assert.equal(answer.status, status)
      assert.equal(answer.error.code, code)
      assert.match(answer.head, new RegExp(`x-request-id: ${answer.error.request_id}`, 'i'))
    })
  }

  it('may contain a whole URL, whose host is ignored', async () => {
    assert.match(await send('GET https://elsewhere.test/v1/health HTTP/1.1\r\nHost: x'), /^HTTP\/1.1 200/)
    assert.match(await send('GET http://elsewhere.test HTTP/1.1\r\nHost: x'), /^HTTP\/1.1 404/)
  })
})

describe('every answer', () => {
  it('carries a request id of the host, whatever the client sent', async () => {
    const answer = await host.call('GET /v1', { headers: { 'x-request-id': 'mine' } })
    assert.match(answer.headers['x-request-id'] as string, /^req_[0-9A-Za-z]{20}$/)
  })

  it('forbids caching, content sniffing and plain HTTP', async () => {
    const { headers } = await host.call('GET /v1')
    assert.equal(headers['cache-control'], 'no-store')
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.match(headers['strict-transport-security'] as string, /max-age=/)
  })

  it('to HEAD has the headers of GET and no body', async () => {
    const get = await host.call('GET /v1')
    const head = await host.call('HEAD /v1')
    assert.equal(head.status, 200)
    assert.equal(head.text, '')
    assert.equal(head.headers['content-length'], get.headers['content-length'])
  })
})

describe('a request body', () => {
  const big = (bytes: number) => Buffer.alloc(bytes, 0x61)

  it('over the limit is answered 413, with and without Content-Length', async () => {
    const withLength = await host.call('POST /v1/specimen/raw', { body: big(BODY_LIMIT + 1) })
    assert.equal(withLength.status, 413)
    assert.match(withLength.body.error.message, new RegExp(String(BODY_LIMIT)))
    const body = (async function* () {
      yield big(BODY_LIMIT)
      yield big(1)
    })()
    const withoutLength = await host.call('POST /v1/specimen/raw', { body })
    assert.equal(withoutLength.status, 413)
    assert.equal(withoutLength.body.error.code, 'body_too_large')
  })

  it('of exactly the limit is accepted', async () => {
    const answer = await host.call('POST /v1/specimen/raw?tag=x', { body: big(BODY_LIMIT) })
    assert.deepEqual(answer.body, { bytes: BODY_LIMIT, tag: 'x' })
  })

  it('of any media type is passed to an operation that accepts bytes', async () => {
    for (const type of ['application/octet-stream', 'text/plain', 'application/x-ndjson', 'application/json']) {
      const answer = await host.call('POST /v1/specimen/raw', { body: '{"a":', headers: { 'content-type': type } })
      assert.deepEqual(answer.body, { bytes: 5 }, type)
    }
    assert.deepEqual((await host.call('POST /v1/specimen/raw')).body, { bytes: 0 })
  })

  it('of another media type than JSON is answered 415 by other operations', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonx', 'nonsense']) {
      const answer = await host.call('POST /v1/specimen/echo', { body: '{}', headers: { 'content-type': type } })
      assert.equal(answer.status, 415, type)
      assert.equal(answer.body.error.code, 'unsupported_media_type')
    }
  })

  it('may be omitted if no field is required', async () => {
    assert.equal((await host.call('POST /v1/specimen/echo')).status, 200)
    const empty = await host.call('POST /v1/specimen/echo', { body: '' })
    assert.equal(empty.status, 200)
  })

  it('is rejected for DELETE', async () => {
    const answer = await host.call('DELETE /v1/projects/x', { body: { slug: 'y' } })
    assert.equal(answer.status, 400)
    assert.match(answer.body.error.message, /query/)
  })
})

describe('an unexpected error', () => {
  it('is answered 500 without details, and logged without secrets', async () => {
    const answer = await host.call('GET /v1/specimen/unexpected-error')
    assert.equal(answer.status, 500)
    assert.equal(answer.body.error.code, 'internal')
    assert.doesNotMatch(answer.text, /card|sk-/)
    const line = host.logged.find(
      one => one.includes(answer.headers['x-request-id'] as string) && one.includes('"err"'),
    )
    assert.ok(line)
    assert.match(line, /failed for key sk-… and card … in a test/)
    assert.doesNotMatch(line, /4111|abcdefgh/)
  })
})

describe('the log', () => {
  it('has no error for a service that is not built', async () => {
    const { status, headers } = await host.call('GET /v1/search/anything')
    assert.equal(status, 501)
    const lines = host.logged.filter(line => line.includes(headers['x-request-id'] as string))
    assert.deepEqual(
      lines.map(line => JSON.parse(line).level),
      [30],
    )
  })

  it('has the path of a request that is answered 404, without its query and without secrets', async () => {
    const { key } = host.home
    await host.call(`GET /v1/no"where/${key}?token=c2VjcmV0`)
    await host.call('GET /v1/projects/no-such-project')
    await host.call(`GET /v1/projects${key}`)
    await host.call(`GET /v1/x/%73k-${key.slice(3)}`)
    await host.call(`GET /v1/${'a/'.repeat(95)}${key}`)
    await host.call('GET /v1/x/4111%201111.1111-1111')
    await host.call(`GET /v1/x/${[...key].map(char => `%25${char.charCodeAt(0).toString(16)}`).join('')}`)
    await host.call('GET //user:hunter2@example.com/x')
    const token = '8H6UxN3kQvZt0bLrYw5pGdAfEjMsCiOuTnKhPqRzXy1' // As in an invitation link that is opened at the wrong port.
    await host.call(`GET /sign-in/invitations/${token}`)
    const found = host.logged.map(line => JSON.parse(line)).filter(({ status }) => status === 404)
    const paths = found.map(({ path }) => path)
    assert.ok(paths.includes('/v1/…/…'), paths.join())
    assert.ok(paths.includes('/v1/projects/no-such-project'))
    assert.ok(paths.includes('/sign-in/invitations/…'))
    for (const secret of ['c2VjcmV0', key.slice(3), key.slice(20, 30), token, '4111', 'hunter2', '736b'])
      assert.ok(!host.logged.join('').includes(secret))
  })

  it('has one line per request, without the query, the body or the key', async () => {
    await host.call('GET /v1/projects?limit=7&after=c2VjcmV0')
    await host.call('POST /v1/projects', { body: { slug: 'logged', name: 'Very private name' } })
    const all = host.logged.join('')
    assert.match(all, /"operation":"createProject","method":"POST","status":201/)
    assert.match(all, /"org":"home","credential":"key_/)
    for (const secret of ['c2VjcmV0', 'Very private', host.home.key, host.home.key.slice(3, 20)]) {
      assert.ok(!all.includes(secret), secret)
    }
  })
})

describe('a stream', () => {
  it('is stopped when its client disconnects', async () => {
    const before = disconnects.count
    const agent = new Agent({ connect: { ca: CA() } })
    const { body } = await request(`${host.baseUrl}/v1/specimen/endless-stream`, { dispatcher: agent })
    for await (const chunk of body) {
      assert.equal(String(chunk), 'first\n')
      break
    }
    await agent.destroy()
    await eventually(
      () => disconnects.count,
      count => count === before + 1,
    )
  })
})

describe('OPTIONS', () => {
  it('is answered whatever its body is', async () => {
    for (const type of ['application/json', 'text/plain']) {
      const answer = await host.call('OPTIONS /v1/projects', {
        as: null,
        body: 'xx',
        headers: { 'content-type': type },
      })
      assert.equal(answer.status, 204)
    }
  })
})
