import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { eventually } from '../../test/eventually.ts'
import { startHost } from '../../test/host.ts'
import { parseResponse, rawConnection } from '../../test/raw-connection.ts'
import { slowCalls } from '../../test/specimen/access.ts'
import { specimen } from '../../test/specimen.ts'
import { cidrList } from '../engines/http/guard.ts'

const timeouts = { handshakeMs: 300, headersMs: 400, requestMs: 600, idleMs: 300, endedMs: 200 }
const host = await startHost({ services: [specimen], timeouts })

describe('plain HTTP', () => {
  for (const line of ['GET /v1 HTTP/1.1', 'POST /v1/projects HTTP/1.1', 'PROPFIND / HTTP/1.1', 'anything at all']) {
    it(`is answered 403 and closed: ${line}`, async () => {
      const { write, closed } = await rawConnection(host.port, { tls: false })
      write(`${line}\r\nHost: localhost\r\nAuthorization: Bearer ${host.home.key}\r\n\r\n`)
      const { status, error, head } = parseResponse(await closed)
      assert.equal(status, 403)
      assert.equal(error.code, 'https_required')
      assert.match(head, new RegExp(`X-Request-Id: ${error.request_id}`))
    })
  }

  it('from an untrusted peer is refused whatever its X-Forwarded-Proto says', async () => {
    const { write, closed } = await rawConnection(host.port, { tls: false })
    write('GET /v1 HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-Proto: https\r\n\r\n')
    const { status, error } = parseResponse(await closed)
    assert.equal(status, 403)
    assert.match(error.message, /STOA_TRUST_PROXY/)
    const line = host.logged.map(one => JSON.parse(one)).find(({ request }) => request === error.request_id)
    assert.deepEqual([line.ip, line.msg], ['127.0.0.1', error.message])
  })
})

describe('a trusted proxy', async () => {
  const trusting = await startHost({ services: [specimen], trusted: cidrList(['127.0.0.0/8']) })
  const send = async (headers: string) => {
    const { write, closed } = await rawConnection(trusting.port, { tls: false })
    write(`GET /v1/specimen/whoami HTTP/1.1\r\nHost: x\r\nConnection: close\r\n`)
    write(`Authorization: Bearer ${trusting.home.key}\r\n${headers}\r\n\r\n`)
    return closed
  }

  it('may use plain HTTP for a client that used https, and forwards its address', async () => {
    const text = await send('X-Forwarded-Proto: https\r\nX-Forwarded-For: 203.0.113.9')
    assert.match(text, /^HTTP\/1.1 200/)
    assert.match(text, /"ip":"203.0.113.9"/)
  })

  it('is trusted for the last entry, which it added, but not for entries that the client sent', async () => {
    assert.match(await send('X-Forwarded-Proto: https, http'), /^HTTP\/1.1 403/)
    const text = await send('X-Forwarded-Proto: https\r\nX-Forwarded-For: 10.9.9.9, 203.0.113.9')
    assert.match(text, /"ip":"203.0.113.9"/)
  })

  it('is trusted for an address with or without a port, and for nothing else', async () => {
    for (const [forwarded, address] of [
      ['203.0.113.9:5555', '203.0.113.9'],
      ['2001:db8::7', '2001:db8::7'],
      ['[2001:db8::7]:443', '2001:db8::7'],
      ['unknown', '127.0.0.1'],
      ['<script>', '127.0.0.1'],
      ['","org":"admin', '127.0.0.1'],
    ]) {
      const text = await send(`X-Forwarded-Proto: https\r\nX-Forwarded-For: ${forwarded}`)
      assert.ok(text.includes(`"ip":"${address}"`), forwarded)
    }
    for (const line of trusting.logged) JSON.parse(line)
  })

  it('is refused if its client used plain HTTP or it does not say what the client used', async () => {
    for (const [headers, says] of [
      ['X-Forwarded-Proto: http', /^Use https/],
      ['X-Other: 1', /The proxy must send `X-Forwarded-Proto: https`/],
    ] as const) {
      const { status, error } = parseResponse(await send(headers))
      assert.equal(status, 403)
      assert.equal(error.code, 'https_required')
      assert.match(error.message, says)
    }
  })

  it('over TLS is refused if it says that its client used plain HTTP', async () => {
    const forwarded = (proto: string) =>
      trusting.call('GET /v1/specimen/public', { headers: { 'x-forwarded-proto': proto } })
    assert.equal((await forwarded('http')).status, 403)
    assert.equal((await forwarded('https')).status, 200)
  })

  it('is the only peer whose X-Forwarded-For counts', async () => {
    const { body } = await host.call('GET /v1/specimen/whoami', { headers: { 'x-forwarded-for': '203.0.113.9' } })
    assert.equal(body.ip, '127.0.0.1')
  })
})

describe('a client that ends its side of the connection', () => {
  const request = 'GET /v1/specimen/public HTTP/1.1\r\nHost: x\r\n\r\n'

  it('is answered over TLS, and so are its pipelined requests', async () => {
    const { socket, closed } = await rawConnection(host.port, { tls: true })
    socket.end(request.repeat(3))
    assert.equal((await closed).match(/HTTP\/1.1 200/g)?.length, 3)
  })

  it('is answered over plain HTTP', async t => {
    const trusting = await startHost({ services: [specimen], trusted: cidrList(['127.0.0.0/8']) }, t)
    const { socket, closed } = await rawConnection(trusting.port, { tls: false })
    socket.end(request.replace('Host', 'X-Forwarded-Proto: https\r\nHost'))
    assert.match(await closed, /^HTTP\/1.1 200/)
  })

  it('gets 400 if the request is incomplete', async () => {
    const { socket, closed } = await rawConnection(host.port, { tls: true })
    socket.end(
      'POST /v1/specimen/echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{',
    )
    assert.equal(parseResponse(await closed).status, 400)
  })

  it('counts as having left if its answer takes long, with status 499 in the log', async () => {
    const before = slowCalls.count
    const { socket, write, closed } = await rawConnection(host.port, { tls: true })
    write('GET /v1/specimen/slow HTTP/1.1\r\nHost: x\r\n\r\n')
    await eventually(
      () => slowCalls.count,
      count => count === before + 1,
    )
    socket.end()
    assert.equal(await closed, '')
    await eventually(
      () => host.logged.find(line => line.includes('"operation":"slow"')) ?? '',
      line => line.includes('"status":499'),
    )
  })

  it('before it has sent anything is disconnected', async () => {
    for (const tls of [true, false]) {
      const { socket, closed } = await rawConnection(host.port, { tls })
      socket.end()
      await closed
    }
  })
})

describe('a slow client', () => {
  it('is disconnected if it sends nothing', async () => {
    const { closed } = await rawConnection(host.port, { tls: false })
    assert.equal(await closed, '')
  })

  it('gets 408 for headers that never end', async () => {
    const { write, closed } = await rawConnection(host.port, { tls: true })
    write('GET /v1 HTTP/1.1\r\nHost: localhost\r\nX-Slow: ')
    const { status, error } = parseResponse(await closed)
    assert.equal(status, 408)
    assert.equal(error.code, 'request_timeout')
  })

  it('gets 408 for a body that arrives too slowly', async () => {
    const { socket, write, closed } = await rawConnection(host.port, { tls: true })
    write(
      'POST /v1/specimen/echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{',
    )
    const drip = setInterval(() => socket.writable && write(' '), 50)
    const { status, error } = parseResponse(await closed)
    clearInterval(drip)
    assert.equal(status, 408)
    assert.equal(error.code, 'request_timeout')
  })

  it('has its idle connection closed', async () => {
    const { write, closed } = await rawConnection(host.port, { tls: true })
    write('GET /v1/specimen/public HTTP/1.1\r\nHost: x\r\n\r\n')
    assert.match(await closed, /^HTTP\/1.1 200/)
  })
})

describe('a malformed request', () => {
  for (const [name, text, expected] of [
    ['garbage', 'GARBAGE\r\n\r\n', 400],
    [
      'two lengths',
      'POST /v1/specimen/echo HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{',
      400,
    ],
    [
      'length and chunks',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    ['no Host', 'GET /v1 HTTP/1.1\r\n\r\n', 400],
    ['headers past 16 KiB', `GET /v1 HTTP/1.1\r\nHost: x\r\nX-Big: ${'a'.repeat(17_000)}\r\n\r\n`, 431],
    ['a URL past 16 KiB', `GET /v1?${'a'.repeat(17_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431],
  ] as const) {
    it(`with ${name} is answered ${expected} with a fault body`, async () => {
      const { write, closed } = await rawConnection(host.port, { tls: true })
      write(text)
      const { status, error, head } = parseResponse(await closed)
      assert.equal(status, expected)
      assert.equal(error.code, expected === 431 ? 'headers_too_large' : 'malformed_request')
      assert.match(head, /X-Request-Id: req_/i)
    })
  }
})

describe('a client refused on the raw socket', () => {
  it('gets 431 even if it sends far more than the header limit', async () => {
    for (let tries = 0; tries < 5; tries++) {
      const { write, closed } = await rawConnection(host.port, { tls: true })
      write(`GET /v1 HTTP/1.1\r\nHost: x\r\nX-Big: ${'a'.repeat(300_000)}\r\n\r\n`)
      assert.equal(parseResponse(await closed).status, 431)
    }
  })

  it('is logged with its request id', async () => {
    const { write, closed } = await rawConnection(host.port, { tls: false })
    write('GET /v1 HTTP/1.1\r\n\r\n')
    const { error } = parseResponse(await closed)
    assert.ok(host.logged.some(line => line.includes(error.request_id) && line.includes('"status":403')))
  })
})

describe('draining', () => {
  it('finishes running requests, answers requests in transit, then refuses connections', async t => {
    const ending = await startHost({ services: [specimen] }, t)
    const { socket, write, closed } = await rawConnection(ending.port, { tls: true })
    const before = slowCalls.count
    const running = ending.call('GET /v1/specimen/slow')
    await eventually(
      () => slowCalls.count,
      count => count === before + 1,
    )
    const drained = ending.drain(60_000)
    await wait(50)
    // This connection was open and idle when draining began; its request was already on the way.
    write('GET /v1/specimen/public HTTP/1.1\r\nHost: x\r\n\r\n')
    const late = await closed
    assert.match(late, /^HTTP\/1.1 200/)
    assert.match(late, /connection: close/i)
    assert.deepEqual((await running).body, { done: true })
    await drained
    assert.ok(socket.destroyed)
    await assert.rejects(ending.call('GET /v1/specimen/public'))
  })

  it('ends a request that runs longer than the grace period', async t => {
    const ending = await startHost({ services: [specimen] }, t)
    const { write, received, closed } = await rawConnection(ending.port, { tls: true })
    write('GET /v1/specimen/endless-stream HTTP/1.1\r\nHost: x\r\n\r\n')
    await eventually(received, text => text.includes('first'))
    await ending.drain(300) // The stream does not end by itself.
    assert.match(await closed, /first/)
  })
})
