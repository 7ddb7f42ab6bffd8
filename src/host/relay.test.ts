import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, describe, it } from 'node:test'
import { startHost } from '../../test/host.ts'
import { wire } from '../../test/wire.ts'
import { openHttp } from '../engines/http/http.ts'
import { services } from '../services/index.ts'

type Seen = { method?: string; url?: string; headers: IncomingMessage['headers']; body: string }
const seen: Seen[] = []
let streamLeft = false

const upstream: Server = createServer(async (request, response) => {
  if (request.url?.endsWith('/odd')) return void response.socket?.end('HTTP/1.1 999 Odd\r\nContent-Length: 0\r\n\r\n')
  if (request.url?.endsWith('/never')) return
  if (request.url?.endsWith('/endless')) {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n')
    response.on('close', () => {
      streamLeft = true
    })
    return
  }
  let body = ''
  for await (const chunk of request) body += chunk
  seen.push({ method: request.method, url: request.url, headers: request.headers, body })
  response.writeHead(207, {
    'content-type': 'text/plain',
    'content-length': 13,
    'x-own': 'yes',
    'access-control-allow-origin': '*',
  })
  response.end('from upstream')
})
await new Promise<void>(resolve => upstream.listen(0, '127.0.0.1', resolve))
after(() => {
  upstream.closeAllConnections()
  upstream.close()
})
const at = (port: number) => new URL(`http://127.0.0.1:${port}/inner/`)
const port = (upstream.address() as AddressInfo).port
const upstreams = new Map([
  ['search', at(port)],
  ['projects', at(port)],
  ['tasks', at(1)],
])
const host = await startHost({ services, upstreams, http: openHttp({ allow: [] }) })
const last = () => seen.at(-1) as Seen

describe('a service mounted elsewhere', () => {
  it('gets the request as it was sent, below its own address', async () => {
    const answer = await host.call('POST /v1/search/a%20b/c?q=1&q=2&x=%2F', { body: { any: 'thing' } })
    assert.equal(answer.status, 207)
    assert.equal(answer.text, 'from upstream')
    assert.equal(answer.headers['x-own'], 'yes')
    assert.equal(last().method, 'POST')
    assert.equal(last().url, '/inner/v1/search/a%20b/c?q=1&q=2&x=%2F')
    assert.equal(last().body, '{"any":"thing"}')
    assert.equal(last().headers['content-type'], 'application/json')
  })

  it('is told who calls by exactly three headers, none of which a client can set', async () => {
    await host.call('GET /v1/search', {
      headers: {
        'X-Org-Id': 'admin',
        'x-user-id': 'usr_x',
        X_Org_Id: 'admin',
        'X-User-Email': 'x@x',
        'x-user-name': 'x',
        'X-OrgId': 'admin',
        'Remote-User': 'root',
        'X-Goog-Authenticated-User-Email': 'root',
        X_Forwarded_For: '1.2.3.4',
        'X-Is-Admin': 'yes',
        'x-forwarded-for': '1.2.3.4',
      },
    })
    const names = Object.keys(last().headers).filter(
      name => /org|user|tenant|forwarded|admin/.test(name) && name !== 'user-agent',
    )
    assert.deepEqual(names.sort(), ['x-org-id', 'x-user-email', 'x-user-id'])
    assert.equal(last().headers['x-org-id'], 'home')
    assert.equal(last().headers['x-user-id'], host.home.user)
    assert.equal(last().headers['x-user-email'], host.home.email)
  })

  it('never sees the credential', async () => {
    await host.call('GET /v1/search', { headers: { cookie: 'session=1' } })
    assert.equal(last().headers.authorization, undefined)
    assert.equal(last().headers.cookie, undefined)
  })

  it('is not reached without one', async () => {
    const before = seen.length
    assert.equal((await host.call('GET /v1/search/x', { as: null })).status, 401)
    assert.equal((await host.call('GET /v1/search/x', { as: `pk-${host.home.key.slice(3)}` })).status, 403)
    assert.equal(seen.length, before)
  })

  it('is not reached by a path that leaves it', async () => {
    const before = seen.length
    for (const path of [
      '..#',
      '%2e%2e#x',
      '..',
      '../account',
      '%2e%2e/account',
      'a/..%2f..%2faccount',
      'a%5c..%5cb',
      './x',
      '%2E/x',
    ]) {
      const { write, closed } = await wire(host.port, { tls: true })
      write(
        `GET /v1/search/${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${host.home.key}\r\n\r\n`,
      )
      assert.match(await closed, /^HTTP\/1.1 400/, path)
    }
    assert.equal(seen.length, before)
  })

  it('gets its own root, and whatever query there is', async () => {
    await host.call('GET /v1/search/?rest=1&__proto__=2&x=%00')
    assert.equal(last().url, '/inner/v1/search/?rest=1&__proto__=2&x=%00')
  })

  it('is reached below its own path when the target is a whole URL', async () => {
    const { write, closed } = await wire(host.port, { tls: true })
    write(
      `GET http://z/v1/search/x HTTP/1.1\r\nHost: z\r\nConnection: close\r\nAuthorization: Bearer ${host.home.key}\r\n\r\n`,
    )
    assert.match(await closed, /^HTTP\/1.1 207/)
    assert.equal(last().url, '/inner/v1/search/x')
  })

  it('answers under our request id, and with its own length', async () => {
    const answer = await host.call('GET /v1/search/x', { headers: { 'x-request-id': 'forged' } })
    assert.match(answer.headers['x-request-id'] as string, /^req_/)
    assert.equal(answer.headers['content-length'], '13')
    assert.equal(last().headers['x-request-id'], undefined)
  })

  it('that answers nonsense is 502', async () => {
    assert.equal((await host.call('GET /v1/search/odd')).status, 502)
  })

  it('whose client leaves before it answers is no failure of ours', async () => {
    const { socket, write } = await wire(host.port, { tls: true })
    write(`GET /v1/search/never HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${host.home.key}\r\n\r\n`)
    await new Promise(done => setTimeout(done, 100))
    socket.destroy()
    await new Promise(done => setTimeout(done, 100))
    assert.ok(!host.logged.some(line => line.includes('AbortError') && line.includes('"level":50')))
  })

  it('replaces the operations of that service here', async () => {
    await host.call('DELETE /v1/projects/x')
    assert.equal(last().url, '/inner/v1/projects/x')
    const { body } = await host.call('GET /v1')
    assert.equal(body.services.find((one: { name: string }) => one.name === 'projects').operations, 0)
  })

  it('keeps its own idea of CORS to itself', async () => {
    assert.equal((await host.call('GET /v1/search')).headers['access-control-allow-origin'], undefined)
  })

  it('that does not answer is 502', async () => {
    const answer = await host.call('GET /v1/tasks')
    assert.equal(answer.status, 502)
    assert.equal(answer.body.error.code, 'upstream_unreachable')
  })

  it('learns that a client left its stream', async () => {
    const { socket, write } = await wire(host.port, { tls: true })
    write(`GET /v1/search/endless HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${host.home.key}\r\n\r\n`)
    await new Promise<void>(resolve => socket.on('data', chunk => String(chunk).includes('data: 1') && resolve()))
    socket.destroy()
    for (let tries = 0; !streamLeft && tries < 100; tries++) await new Promise(done => setTimeout(done, 10))
    assert.ok(streamLeft)
  })
})
