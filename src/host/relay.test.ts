import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, describe, it } from 'node:test'
import { eventually } from '../../test/eventually.ts'
import { startHost } from '../../test/host.ts'
import { rawConnection } from '../../test/raw-connection.ts'
import { openHttp } from '../engines/http/http.ts'
import { services } from '../services/index.ts'

type Received = { method?: string; url?: string; headers: IncomingMessage['headers']; body: string }
const received: Received[] = []
let streamClosed = false

const upstream: Server = createServer(async (request, response) => {
  if (request.url?.endsWith('/odd')) return void response.socket?.end('HTTP/1.1 999 Odd\r\nContent-Length: 0\r\n\r\n')
  if (request.url?.endsWith('/never')) return
  if (request.url?.endsWith('/endless')) {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n')
    response.on('close', () => {
      streamClosed = true
    })
    return
  }
  let body = ''
  for await (const chunk of request) body += chunk
  received.push({ method: request.method, url: request.url, headers: request.headers, body })
  response.writeHead(207, {
    'content-type': 'text/plain',
    'content-length': 13,
    'x-own': 'yes',
    'access-control-allow-origin': '*',
    'clear-site-data': '"cookies"',
    'set-cookie': [
      'theirs=1; Path=/',
      '__Host-stoa-session=forged; Path=/; Secure',
      ' __Secure-stoa-id-step=forged',
      '=__Host-stoa-session=forged',
    ],
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
const last = () => received.at(-1) as Received

describe('a relayed service', () => {
  it('gets the request unchanged, below its own base path', async () => {
    const answer = await host.call('POST /v1/search/a%20b/c?q=1&q=2&x=%2F', { body: { any: 'thing' } })
    assert.equal(answer.status, 207)
    assert.equal(answer.text, 'from upstream')
    assert.equal(answer.headers['x-own'], 'yes')
    assert.equal(last().method, 'POST')
    assert.equal(last().url, '/inner/v1/search/a%20b/c?q=1&q=2&x=%2F')
    assert.equal(last().body, '{"any":"thing"}')
    assert.equal(last().headers['content-type'], 'application/json')
  })

  it('gets exactly three identity headers, which a client cannot set', async () => {
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
        'x.forwarded.for': '1.2.3.4',
        'x.org.id': 'admin',
        'x~user^id': 'usr_x',
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

  it('never receives a project, a method or an address that the client spelled differently', async () => {
    const names = [
      ...[
        'x.project.id',
        'x_project_id',
        'x-projectid',
        'project-id',
        'x.http.method.override',
        'x-httpmethodoverride',
      ],
      ...[
        'http-method-override',
        'x-original-method',
        'x.forwarded.host',
        'forwarded-for',
        'x-forwarded',
        'true.client.ip',
      ],
      ...['cf-connecting-ip', 'x-cluster-client-ip', 'x-realip', 'x-clientip', 'remote-addr', 'x-remote-ip'],
      ...[
        'x-remoteuser',
        'xorgid',
        'x-isadmin',
        'x-userinfo',
        'x-uid',
        'x-member-id',
        'x-consumer-id',
        'x-jwt-assertion',
      ],
      ...['x-amzn-oidc-data', 'ssl-client-s-dn', 'x-authorization', 'x-original-host', 'x-host', 'x-originating-ip'],
    ]
    await host.call('GET /v1/search', { headers: Object.fromEntries(names.map(name => [name, 'forged'])) })
    assert.deepEqual(
      Object.entries(last().headers).filter(([, value]) => value === 'forged'),
      [],
    )
  })

  it('never receives the credential', async () => {
    await host.call('GET /v1/search', { headers: { cookie: 'session=1' } })
    assert.equal(last().headers.authorization, undefined)
    assert.equal(last().headers.cookie, undefined)
  })

  it('is not called without a secret key', async () => {
    const before = received.length
    assert.equal((await host.call('GET /v1/search/x', { as: null })).status, 401)
    assert.equal((await host.call('GET /v1/search/x', { as: `pk-${host.home.key.slice(3)}` })).status, 403)
    assert.equal(received.length, before)
  })

  it('is not called for a path that leads outside of it', async () => {
    const before = received.length
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
      '..;/account',
      '..;a=b/account',
      '.;/x',
      '%2e%2e;/account',
      '%252e%252e/account',
      '%25252e%25252e/account',
      '%252e%252e%252faccount',
      'a/..%3b/account',
      'a%255c..%255cb',
      '..%20/account',
      '..%09/account',
    ]) {
      const { write, closed } = await rawConnection(host.port, { tls: true })
      write(
        `GET /v1/search/${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${host.home.key}\r\n\r\n`,
      )
      assert.match(await closed, /^HTTP\/1.1 400/, path)
    }
    assert.equal(received.length, before)
  })

  it('gets requests for its root path, with any query', async () => {
    await host.call('GET /v1/search/?rest=1&__proto__=2&x=%00')
    assert.equal(last().url, '/inner/v1/search/?rest=1&__proto__=2&x=%00')
  })

  it('is called below its base path when the target is a whole URL', async () => {
    const { write, closed } = await rawConnection(host.port, { tls: true })
    write(
      `GET http://z/v1/search/x HTTP/1.1\r\nHost: z\r\nConnection: close\r\nAuthorization: Bearer ${host.home.key}\r\n\r\n`,
    )
    assert.match(await closed, /^HTTP\/1.1 207/)
    assert.equal(last().url, '/inner/v1/search/x')
  })

  it('answers with the request id of the host and its own Content-Length', async () => {
    const answer = await host.call('GET /v1/search/x', { headers: { 'x-request-id': 'forged' } })
    assert.match(answer.headers['x-request-id'] as string, /^req_/)
    assert.equal(answer.headers['content-length'], '13')
    assert.equal(last().headers['x-request-id'], undefined)
  })

  it('that sends an invalid response is answered 502', async () => {
    assert.equal((await host.call('GET /v1/search/odd')).status, 502)
  })

  it('whose client disconnects before the answer is not logged as an error', async () => {
    const { socket, write } = await rawConnection(host.port, { tls: true })
    write(`GET /v1/search/never HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${host.home.key}\r\n\r\n`)
    await new Promise(done => setTimeout(done, 100))
    socket.destroy()
    await eventually(
      () => host.logged.some(line => line.includes('"operation":"searchRelay') && line.includes('"status":499')),
      isLogged => isLogged,
    )
    assert.ok(!host.logged.some(line => line.includes('AbortError') && line.includes('"level":50')))
  })

  it('replaces the local operations of that service', async () => {
    await host.call('DELETE /v1/projects/x')
    assert.equal(last().url, '/inner/v1/projects/x')
    const { body } = await host.call('GET /v1')
    assert.equal(body.services.find((one: { name: string }) => one.name === 'projects').operations, 0)
  })

  it('sets its own cookies, but none of ours, and cannot clear them', async () => {
    const { headers } = await host.call('GET /v1/search')
    assert.deepEqual([headers['set-cookie']].flat(), ['theirs=1; Path=/'])
    assert.equal(headers['clear-site-data'], undefined)
  })

  it('cannot set CORS headers', async () => {
    assert.equal((await host.call('GET /v1/search')).headers['access-control-allow-origin'], undefined)
  })

  it('that does not answer is answered 502', async () => {
    const answer = await host.call('GET /v1/tasks')
    assert.equal(answer.status, 502)
    assert.equal(answer.body.error.code, 'upstream_unreachable')
  })

  it('is notified when a client leaves its stream', async () => {
    const { socket, write } = await rawConnection(host.port, { tls: true })
    write(`GET /v1/search/endless HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${host.home.key}\r\n\r\n`)
    await new Promise<void>(resolve => socket.on('data', chunk => String(chunk).includes('data: 1') && resolve()))
    socket.destroy()
    await eventually(
      () => streamClosed,
      isClosed => isClosed,
    )
  })
})
