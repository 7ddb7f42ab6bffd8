import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, describe, it } from 'node:test'
import { MockAgent } from 'undici'
import { eventually } from '../../../test/eventually.ts'
import { type Http, HttpFailure, type HttpRequest } from '../engines.ts'
import { addressGuard, cidrList } from './guard.ts'
import { httpOver, openHttp } from './http.ts'

let written = 0

const respond: RequestListener = async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  switch (request.url) {
    case '/echo':
      return response
        .writeHead(201, { 'x-method': request.method, 'x-sent': request.headers['x-sent'] ?? '' })
        .end(Buffer.concat(chunks))
    case '/moved':
      return response.writeHead(302, { location: '/echo' }).end()
    case '/slow-head':
      return
    case '/slow-body':
      return response.writeHead(200).write('some')
    case '/endless':
      for (let n = 0; !response.destroyed; n++, written += 65_536) {
        const isFull = !response.write(Buffer.alloc(65_536, n % 251))
        if (isFull) await Promise.race([once(response, 'drain'), once(response, 'close')])
      }
      return
    default:
      return response.writeHead(200).end('x'.repeat(1000))
  }
}
const server = createServer((request, response) => void respond(request, response))
await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
after(() => {
  server.closeAllConnections()
  server.close()
})

/** The mock agent reaches this server and nothing else. */
const mock = new MockAgent()
mock.disableNetConnect()
mock.enableNetConnect(host => origin.endsWith(host))

const call = (http: Http, path: string, more: Partial<HttpRequest> = {}) =>
  http.send({ method: 'GET', url: origin + path, timeoutMs: 2_000, bodyBytesMax: 1000, ...more })
const failsFor = (reason: HttpFailure['reason']) => (error: unknown) =>
  error instanceof HttpFailure && error.reason === reason
const text = async (body: AsyncIterable<Buffer>) => {
  let all = ''
  for await (const chunk of body) all += chunk
  return all
}

/** Tests for every outgoing HTTP engine. */
function conforms(name: string, http: Http): void {
  describe(`outgoing HTTP: ${name}`, () => {
    after(() => http.close())

    it('sends method, headers and body, and returns status, headers and body', async () => {
      const response = await call(http, '/echo', { method: 'PUT', headers: { 'x-sent': 'yes' }, body: 'hello' })
      assert.equal(response.status, 201)
      assert.equal(response.headers['x-method'], 'PUT')
      assert.equal(response.headers['x-sent'], 'yes')
      assert.equal(await text(response.body), 'hello')
    })

    it('accepts a body of exactly the allowed size and fails on one byte more', async () => {
      assert.equal((await text((await call(http, '/')).body)).length, 1000)
      const response = await call(http, '/', { bodyBytesMax: 999 })
      await assert.rejects(text(response.body), failsFor('size'))
    })

    it('times out when the head does not arrive and when the body does not end', async () => {
      await assert.rejects(call(http, '/slow-head', { timeoutMs: 150 }), failsFor('timeout'))
      const response = await call(http, '/slow-body', { timeoutMs: 2_000 })
      await assert.rejects(text(response.body), failsFor('timeout'))
    })

    it('reads no further than its reader, and ends the call when the body is destroyed', async () => {
      written = 0
      const { body } = await call(http, '/endless', { bodyBytesMax: Number.POSITIVE_INFINITY, timeoutMs: 60_000 })
      const before = await eventually(
        async () => {
          const then = written
          await new Promise(resolve => setTimeout(resolve, 100))
          return then
        },
        then => then > 0 && then === written,
      )
      assert.ok(before < 32 * 1024 * 1024, `${before} bytes were read ahead`)
      let read = 0
      for await (const chunk of body) {
        assert.equal(chunk[0], Math.floor(read / 65_536) % 251, 'bytes are missing')
        read += chunk.length
        if (read > 2 * before) break
      }
      await eventually(
        () =>
          new Promise<number>((resolve, reject) =>
            server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
          ),
        count => count <= 1,
      )
      await assert.rejects(text(body), failsFor('network'))
    })

    it('stops when the caller aborts', async () => {
      const aborted = call(http, '/slow-head', { signal: AbortSignal.timeout(50) })
      await assert.rejects(aborted, (error: Error) => !(error instanceof HttpFailure))
    })

    it('follows no redirect by default, and never one to plain http', async () => {
      assert.equal((await call(http, '/moved')).status, 302)
      await assert.rejects(call(http, '/moved', { redirects: 3 }), failsFor('redirect'))
    })
  })
}

conforms('undici', openHttp({ allow: ['127.0.0.1'] }))
conforms('mock agent', httpOver({ public: mock, configured: mock }))

describe('a connection without a call', () => {
  it('is closed soon, however long its server would keep it: each takes a file descriptor', async t => {
    const http = openHttp({ allow: ['127.0.0.1'] })
    t.after(() => http.close())
    const patient = createServer({ keepAliveTimeout: 3_600_000 }, (_request, response) => response.end('x'))
    await new Promise<void>(resolve => patient.listen(0, '127.0.0.1', resolve))
    t.after(() => patient.close())
    const url = `http://127.0.0.1:${(patient.address() as AddressInfo).port}/`
    const response = await call(http, '', { url })
    assert.equal(response.headers['keep-alive'], 'timeout=3600')
    assert.equal(await text(response.body), 'x')
    const open = () => new Promise<number>(resolve => patient.getConnections((_error, count) => resolve(count)))
    assert.equal(await open(), 1)
    await eventually(open, count => count === 0)
  })
})

describe('redirects', () => {
  const http = httpOver({ public: mock, configured: mock })
  const follow = (path: string, redirects: number) =>
    http.send({ method: 'GET', url: `https://a.test${path}`, timeoutMs: 2_000, bodyBytesMax: 1000, redirects })
  const moved = (to: string) => ({ headers: { location: to } })
  mock.get('https://a.test').intercept({ path: '/1' }).reply(301, '', moved('https://b.test/2')).persist()
  mock.get('https://b.test').intercept({ path: '/2' }).reply(307, '', moved('/3')).persist()
  mock.get('https://b.test').intercept({ path: '/3' }).reply(200, 'there').persist()

  it('are followed over https, across hosts, and the final URL is returned', async () => {
    const response = await follow('/1', 2)
    assert.equal(response.url, 'https://b.test/3')
    assert.equal(await text(response.body), 'there')
  })

  it('fail beyond the allowed number', async () => {
    await assert.rejects(follow('/1', 1), failsFor('redirect'))
  })

  it('fail for a host the mock does not know', async () => {
    await assert.rejects(
      http.send({ method: 'GET', url: 'https://c.test/', timeoutMs: 500, bodyBytesMax: 1 }),
      failsFor('network'),
    )
  })
})

describe('the address guard', () => {
  const http = openHttp({ allow: [] })
  after(() => http.close())

  for (const url of [
    origin,
    origin.replace('127.0.0.1', 'localhost'),
    origin.replace('127.0.0.1', '[::1]'),
    origin.replace('127.0.0.1', '[::ffff:127.0.0.1]'),
    origin.replace('127.0.0.1', '2130706433'),
    origin.replace('127.0.0.1', '0x7f.1'),
    'http://169.254.169.254/latest/meta-data',
    'http://[fd00::1]/',
  ]) {
    it(`refuses ${url.replace(/:\d{4,5}$/, '')}`, async () => {
      const failed = http.send({ method: 'GET', url, timeoutMs: 2_000, bodyBytesMax: 1000 })
      await assert.rejects(failed, (error: unknown) => failsFor('address')(error) || failsFor('network')(error))
    })
  }

  it('permits localhost like the loopback address that is allowed', async t => {
    const allowing = openHttp({ allow: ['127.0.0.1'] })
    t.after(() => allowing.close())
    for (const name of ['localhost', 'localhost.', 'api.localhost']) {
      const url = origin.replace('127.0.0.1', name)
      assert.equal(await allowing.isPublic(url), true, name)
      assert.equal((await call(allowing, '/', { url })).status, 200, name)
      assert.equal(await http.isPublic(url), false, name)
    }
    assert.equal(await allowing.isPublic('https://localhost.example.com.invalid/'), null)
  })

  it('does not apply to URLs from the settings', async () => {
    assert.equal((await call(http, '/', { reach: 'configured' })).status, 200)
  })

  it('permits public and allowed addresses only', () => {
    const permits = addressGuard(['10.1.0.0/16', 'fd00::/64'])
    for (const address of ['8.8.8.8', '1.1.1.1', '2606:4700::1111', '10.1.2.3', 'fd00::7', '172.32.0.1']) {
      assert.ok(permits(address), address)
    }
    for (const address of [
      '127.0.0.1',
      '10.2.0.1',
      '172.16.0.1',
      '172.31.255.255',
      '192.168.1.1',
      '169.254.1.1',
      '100.64.0.1',
      '0.0.0.0',
      '224.0.0.1',
      '255.255.255.255',
      '::1',
      '::',
      'fe80::1',
      'fd01::1',
      'ff02::1',
      '2002:7f00:1::',
      '::ffff:8.8.8.8',
      '64:ff9b::808:808',
      '2001:db8::1',
      '2001::1',
      'not an address',
      '',
    ]) {
      assert.ok(!permits(address), address)
    }
  })

  it('rejects malformed CIDRs', () => {
    for (const text of [
      '10.0.0.0/33',
      '10.0.0/8',
      '010.0.0.1',
      '::/129',
      '1.2.3.4/',
      'x',
      '1.2.3.4/8/8',
      '1.2.3.4/-1',
    ]) {
      assert.throws(() => cidrList([text]), /is not an address or a CIDR/, text)
    }
  })
})
