import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Agent, request } from 'undici'
import { CA, startHost } from '../../test/host.ts'
import { drips, RAW_LIMIT } from '../../test/specimen/wires.ts'
import { specimen } from '../../test/specimen.ts'
import { parsed, wire } from '../../test/wire.ts'
import { services } from '../services/index.ts'

const host = await startHost({ services: [...services, specimen], hsts: true })

describe('what is not there', () => {
  for (const [path, why] of [
    ['/', 'nothing is outside /v1'],
    ['/v1/nothing', 'no such service'],
    ['/v1/projects/', 'a trailing slash is another path'],
    ['/v1//projects', 'so is a doubled one'],
    ['/V1/projects', 'and another case'],
    ['/v1/projects/a/b', 'and a deeper path'],
    ['/v1/projects%2f', 'and an encoded slash'],
  ] as const) {
    it(`answers 404 at ${path}: ${why}`, async () => {
      const answer = await host.call(`GET ${path}`)
      assert.equal(answer.status, 404)
      assert.equal(answer.body.error.code, 'not_found')
      assert.equal(answer.body.error.request_id, answer.headers['x-request-id'])
    })
  }

  it('answers 405 with the methods there are, before it reads credential or body', async () => {
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

  it('answers 405 to a method no path has, wherever', async () => {
    for (const method of ['TRACE', 'PROPFIND', 'QUERY', 'PURGE', 'M-SEARCH']) {
      for (const path of ['/v1/projects', '/nowhere']) {
        const { write, closed } = await wire(host.port, { tls: true })
        write(`${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
        const { status, head, error } = parsed(await closed)
        assert.equal(status, 405, `${method} ${path}`)
        assert.equal(error.code, 'method_not_allowed')
        assert.match(head, /allow: GET, HEAD/i)
      }
    }
  })

  it('answers 400 to a path that is not percent-encoding', async () => {
    const answer = await host.call('GET /v1/projects/%zz')
    assert.equal(answer.headers['x-request-id'], answer.body.error.request_id)
    assert.equal(answer.headers['cache-control'], 'no-store')
    assert.equal(answer.status, 400)
    assert.equal(answer.body.error.code, 'malformed_request')
    assert.match(answer.body.error.request_id, /^req_/)
  })
})

describe('the head of a request', () => {
  const ask = async (head: string) => {
    const { write, closed } = await wire(host.port, { tls: true })
    write(`${head}\r\nConnection: close\r\n\r\n`)
    return closed
  }

  for (const [name, head, status, code] of [
    ['a fragment', 'GET /v1#x HTTP/1.1\r\nHost: x', 400, 'malformed_request'],
    ['two hosts', 'GET /v1 HTTP/1.1\r\nHost: x\r\nHost: y', 400, 'malformed_request'],
    ['a host that is none', 'GET /v1 HTTP/1.1\r\nHost: a b/@', 400, 'malformed_request'],
    ['another version', 'GET /v1 HTTP/2.0\r\nHost: x', 400, 'malformed_request'],
    ['an expectation', 'GET /v1 HTTP/1.1\r\nHost: x\r\nExpect: the-unexpected', 417, 'expectation_failed'],
    ['a tunnel', 'CONNECT x:443 HTTP/1.1\r\nHost: x', 405, 'method_not_allowed'],
  ] as const) {
    it(`with ${name} is ${status} in the one fault shape`, async () => {
      const answer = parsed(await ask(head))
      assert.equal(answer.status, status)
      assert.equal(answer.error.code, code)
      assert.match(answer.head, new RegExp(`x-request-id: ${answer.error.request_id}`, 'i'))
    })
  }

  it('may name a whole URL, whose host means nothing', async () => {
    assert.match(await ask('GET https://elsewhere.test/v1/health HTTP/1.1\r\nHost: x'), /^HTTP\/1.1 200/)
    assert.match(await ask('GET http://elsewhere.test HTTP/1.1\r\nHost: x'), /^HTTP\/1.1 404/)
  })
})

describe('every answer', () => {
  it('carries an id of our own, whatever the client sent', async () => {
    const answer = await host.call('GET /v1', { headers: { 'x-request-id': 'mine' } })
    assert.match(answer.headers['x-request-id'] as string, /^req_[0-9A-Za-z]{20}$/)
  })

  it('may not be stored, guessed at or fetched in plain', async () => {
    const { headers } = await host.call('GET /v1')
    assert.equal(headers['cache-control'], 'no-store')
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.match(headers['strict-transport-security'] as string, /max-age=/)
  })

  it('to HEAD is that of GET without its body', async () => {
    const get = await host.call('GET /v1')
    const head = await host.call('HEAD /v1')
    assert.equal(head.status, 200)
    assert.equal(head.text, '')
    assert.equal(head.headers['content-length'], get.headers['content-length'])
  })
})

describe('bodies', () => {
  const big = (bytes: number) => Buffer.alloc(bytes, 0x61)

  it('over the limit are 413, said or not said in advance', async () => {
    const said = await host.call('POST /v1/specimen/raw', { body: big(RAW_LIMIT + 1) })
    assert.equal(said.status, 413)
    assert.match(said.body.error.message, new RegExp(String(RAW_LIMIT)))
    const body = (async function* () {
      yield big(RAW_LIMIT)
      yield big(1)
    })()
    const unsaid = await host.call('POST /v1/specimen/raw', { body })
    assert.equal(unsaid.status, 413)
    assert.equal(unsaid.body.error.code, 'body_too_large')
  })

  it('at the limit pass', async () => {
    const answer = await host.call('POST /v1/specimen/raw?tag=x', { body: big(RAW_LIMIT) })
    assert.deepEqual(answer.body, { bytes: RAW_LIMIT, tag: 'x' })
  })

  it('of any media type reach an operation that takes bytes', async () => {
    for (const type of ['application/octet-stream', 'text/plain', 'application/x-ndjson', 'application/json']) {
      const answer = await host.call('POST /v1/specimen/raw', { body: '{"a":', headers: { 'content-type': type } })
      assert.deepEqual(answer.body, { bytes: 5 }, type)
    }
    assert.deepEqual((await host.call('POST /v1/specimen/raw')).body, { bytes: 0 })
  })

  it('of another media type than JSON are 415 elsewhere', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonx', 'nonsense']) {
      const answer = await host.call('POST /v1/specimen/echo', { body: '{}', headers: { 'content-type': type } })
      assert.equal(answer.status, 415, type)
      assert.equal(answer.body.error.code, 'unsupported_media_type')
    }
  })

  it('may be left out where no field is required', async () => {
    assert.equal((await host.call('POST /v1/specimen/echo')).status, 200)
    const empty = await host.call('POST /v1/specimen/echo', { body: '' })
    assert.equal(empty.status, 200)
  })

  it('do not belong to DELETE', async () => {
    const answer = await host.call('DELETE /v1/projects/x', { body: { slug: 'y' } })
    assert.equal(answer.status, 400)
    assert.match(answer.body.error.message, /query/)
  })
})

describe('a failure nobody foresaw', () => {
  it('is a 500 that tells the caller nothing and the log no secret', async () => {
    const answer = await host.call('GET /v1/specimen/crash')
    assert.equal(answer.status, 500)
    assert.equal(answer.body.error.code, 'internal')
    assert.doesNotMatch(answer.text, /card|sk-/)
    const line = host.logged.find(
      one => one.includes(answer.headers['x-request-id'] as string) && one.includes('"err"'),
    )
    assert.ok(line)
    assert.match(line, /met sk-… and card … on the way/)
    assert.doesNotMatch(line, /4111|abcdefgh/)
  })
})

describe('the log', () => {
  it('has a line a request, without the query, the body or the key', async () => {
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
  it('is stopped when its client leaves', async () => {
    const agent = new Agent({ connect: { ca: CA() } })
    const { body } = await request(`${host.baseUrl}/v1/specimen/drip`, { dispatcher: agent })
    for await (const chunk of body) {
      assert.equal(String(chunk), 'first\n')
      break
    }
    await agent.destroy()
    for (let tries = 0; drips.left === 0 && tries < 100; tries++) await new Promise(done => setTimeout(done, 10))
    assert.equal(drips.left, 1)
  })
})

describe('OPTIONS', () => {
  it('is answered whatever body it has', async () => {
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
