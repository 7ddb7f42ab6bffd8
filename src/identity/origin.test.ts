import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request as overHttp } from 'node:http'
import { request as overHttps } from 'node:https'
import { BlockList } from 'node:net'
import { after, describe, it } from 'node:test'
import { connect } from 'node:tls'
import { CA, startHost, testListener } from '../../test/host.ts'
import { logInto } from '../host/log.ts'
import { openBounds } from '../kit/tables/bounds.ts'
import { openIdentityOrigin } from './origin.ts'

const host = await startHost({ now: 'real' })
const logged: Record<string, unknown>[] = []
const trusted = new BlockList()
trusted.addAddress('127.0.0.1')
const log = logInto('info', host.clock, { write: line => void logged.push(JSON.parse(line)) })
const opened = await testListener(log, { trusted })
const { port } = opened.listener
const origin = await openIdentityOrigin({
  ...opened,
  engines: host.engines,
  audience: 'https://stoa.example',
  log,
  issuers: new Map([['default', `https://localhost:${port}`]]),
  configured: new Map(),
  ownOrigins: ['https://stoa.example', `https://localhost:${port}`],
  startsPerMinute: 1_000,
  bounds: openBounds(host.clock, { STOA_MEMBERS_MAX: 10 }),
})
host.acceptSignIns(origin)
origin.serve({ isVerified: async () => false, isDisposable: async () => null, requests: host.requests })
after(() => origin.drain(0))

type SendOptions = { method?: string; path?: string; headers?: Record<string, string>; body?: string; plain?: boolean }

function send({ method = 'GET', path = '/', headers = {}, body = '', plain = false }: SendOptions) {
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const options = { host: '127.0.0.1', port, method, path, headers: { host: `localhost:${port}`, ...headers } }
    const sent = plain ? overHttp(options) : overHttps({ ...options, servername: 'localhost', ca: CA() })
    sent.on('error', reject).on('response', response => {
      let text = ''
      response.on('data', part => {
        text += part
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
    })
    sent.end(body)
  })
}

describe('a connection to the identity origin', () => {
  it('gets one response to a request whose body never arrives', async () => {
    const socket = connect({ port, host: '127.0.0.1', servername: 'localhost', ca: CA() })
    let text = ''
    socket.on('data', chunk => {
      text += chunk
    })
    socket.write(`POST /nothing HTTP/1.1\r\nHost: localhost:${port}\r\nX-Forwarded-Proto: https\r\n`)
    socket.write('Content-Length: 1000\r\n\r\nabcde')
    await once(socket, 'close')
    assert.equal(text.match(/HTTP\/1\.1 /g)?.length, 1)
  })
})

describe('the identity origin behind a proxy', () => {
  it('reads the client address from a trusted proxy', async () => {
    const body = { email: 'bea@example.com', role: 'member' }
    assert.equal((await host.call('POST /v1/iam/invites', { body })).status, 201)
    const path = new URL(host.mails.at(-1)?.text.match(/https:\S+/)?.[0] ?? '').pathname
    const headers = { 'x-forwarded-for': '203.0.113.7', 'content-type': 'application/x-www-form-urlencoded' }
    const joined = await send({ method: 'POST', path, headers, body: 'password=walnut-desk-twelve' })
    assert.match(joined.text, /Welcome/)
    const [latest] = (await host.call('GET /v1/iam/audit')).body.data
    assert.deepEqual([latest.what, latest.ip], ['invite.accept', '203.0.113.7'])
  })

  it('refuses requests that reached the proxy over plain HTTP', async () => {
    const path = '/.well-known/openid-configuration'
    for (const [headers, status] of [
      [{ 'x-forwarded-proto': 'http' }, 403],
      [{}, 403],
      [{ 'x-forwarded-proto': 'https' }, 200],
    ] as const) {
      assert.equal((await send({ path, headers, plain: true })).status, status)
    }
  })

  it('accepts an absolute URL as request target, and rejects an invalid host', async () => {
    const path = `https://localhost:${port}/.well-known/openid-configuration`
    assert.match((await send({ path })).text, /"issuer"/)
    assert.equal((await send({ headers: { host: 'a b' } })).status, 400)
  })
})

describe('a request to the identity origin', () => {
  it('is logged and counted by operation, without its contents', async () => {
    logged.length = 0
    const headers = { 'x-forwarded-for': '203.0.113.9', 'content-type': 'application/x-www-form-urlencoded' }
    await send({
      method: 'POST',
      path: '/v1/iam/oauth/token',
      headers,
      body: 'grant_type=authorization_code&code=s3cret',
    })
    await send({ path: '/sign-in/none?token=s3cret', headers })
    await send({ path: '/s3cret', headers })
    const lines = logged.map(({ operation, method, status, ip }) => [operation, method, status, ip])
    assert.deepEqual(lines, [
      ['identity.token', 'POST', 400, '203.0.113.9'],
      ['identity.signIn', 'GET', 400, '203.0.113.9'],
      ['identity.none', 'GET', 200, '203.0.113.9'],
    ])
    assert.ok(!JSON.stringify(logged).includes('s3cret'))
    const counted = host.requests.text()
    assert.match(counted, /operation="identity\.token",method="POST",status="400"/)
    assert.match(counted, /operation="identity\.signIn",method="GET",status="400"/)
  })

  it('closes the connection if its chunked body is longer than is read', async () => {
    const socket = connect({ host: '127.0.0.1', port, servername: 'localhost', ca: CA() })
    const type = 'content-type: application/x-www-form-urlencoded'
    socket.write(
      `POST /v1/iam/oauth/token HTTP/1.1\r\nhost: localhost\r\n${type}\r\ntransfer-encoding: chunked\r\n\r\n`,
    )
    for (let part = 0; part < 64; part++) socket.write(`4000\r\n${'x'.repeat(0x4000)}\r\n`)
    let text = ''
    socket.setEncoding('latin1').on('data', chunk => {
      text += chunk
    })
    await once(socket, 'close')
    assert.match(text, /^HTTP\/1\.1 4\d\d .*connection: close/is)
  })
})
