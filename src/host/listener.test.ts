import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { startHost } from '../../test/host.ts'
import { specimen } from '../../test/specimen.ts'
import { parsed, wire } from '../../test/wire.ts'
import { cidrList } from '../engines/http/guard.ts'

const timeouts = { handshakeMs: 300, headersMs: 400, requestMs: 600, idleMs: 300 }
const host = await startHost({ services: [specimen], timeouts })

describe('plain HTTP', () => {
  for (const line of ['GET /v1 HTTP/1.1', 'POST /v1/projects HTTP/1.1', 'PROPFIND / HTTP/1.1', 'anything at all']) {
    it(`is answered 403 and closed: ${line}`, async () => {
      const { write, closed } = await wire(host.port, { tls: false })
      write(`${line}\r\nHost: localhost\r\nAuthorization: Bearer ${host.home.key}\r\n\r\n`)
      const { status, error, head } = parsed(await closed)
      assert.equal(status, 403)
      assert.equal(error.code, 'https_required')
      assert.match(head, new RegExp(`X-Request-Id: ${error.request_id}`))
    })
  }

  it('from an ordinary peer is refused whatever it claims of a proxy', async () => {
    const { write, closed } = await wire(host.port, { tls: false })
    write('GET /v1 HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-Proto: https\r\n\r\n')
    assert.equal(parsed(await closed).status, 403)
  })
})

describe('a trusted proxy', async () => {
  const trusting = await startHost({ services: [specimen], trusted: cidrList(['127.0.0.0/8']) })
  const ask = async (headers: string) => {
    const { write, closed } = await wire(trusting.port, { tls: false })
    write(`GET /v1/specimen/whoami HTTP/1.1\r\nHost: x\r\nConnection: close\r\n`)
    write(`Authorization: Bearer ${trusting.home.key}\r\n${headers}\r\n\r\n`)
    return closed
  }

  it('may speak plain HTTP for a client that spoke https, and tells its address', async () => {
    const text = await ask('X-Forwarded-Proto: https\r\nX-Forwarded-For: 203.0.113.9')
    assert.match(text, /^HTTP\/1.1 200/)
    assert.match(text, /"ip":"203.0.113.9"/)
  })

  it('is believed for the last entry it added, not for those a client made up', async () => {
    assert.match(await ask('X-Forwarded-Proto: https, http'), /^HTTP\/1.1 403/)
    const text = await ask('X-Forwarded-Proto: https\r\nX-Forwarded-For: 10.9.9.9, 203.0.113.9')
    assert.match(text, /"ip":"203.0.113.9"/)
  })

  it('is believed when it names an address, with a port or without, and otherwise not', async () => {
    for (const [said, told] of [
      ['203.0.113.9:5555', '203.0.113.9'],
      ['2001:db8::7', '2001:db8::7'],
      ['[2001:db8::7]:443', '2001:db8::7'],
      ['unknown', '127.0.0.1'],
      ['<script>', '127.0.0.1'],
      ['","org":"admin', '127.0.0.1'],
    ]) {
      const text = await ask(`X-Forwarded-Proto: https\r\nX-Forwarded-For: ${said}`)
      assert.ok(text.includes(`"ip":"${told}"`), said)
    }
    for (const line of trusting.logged) JSON.parse(line)
  })

  it('that speaks for a plain client, or does not say, is refused', async () => {
    for (const headers of ['X-Forwarded-Proto: http', 'X-Other: 1']) {
      const { status, error } = parsed(await ask(headers))
      assert.equal(status, 403)
      assert.equal(error.code, 'https_required')
    }
  })

  it('over TLS may say that its client was not', async () => {
    const said = (proto: string) => trusting.call('GET /v1/specimen/open', { headers: { 'x-forwarded-proto': proto } })
    assert.equal((await said('http')).status, 403)
    assert.equal((await said('https')).status, 200)
  })

  it('is the only one whose X-Forwarded-For counts', async () => {
    const { body } = await host.call('GET /v1/specimen/whoami', { headers: { 'x-forwarded-for': '203.0.113.9' } })
    assert.equal(body.ip, '127.0.0.1')
  })
})

describe('a client that does not get on with it', () => {
  it('is cut off when it says nothing at all', async () => {
    const { closed } = await wire(host.port, { tls: false })
    assert.equal(await closed, '')
  })

  it('gets 408 for headers that do not end', async () => {
    const { write, closed } = await wire(host.port, { tls: true })
    write('GET /v1 HTTP/1.1\r\nHost: localhost\r\nX-Slow: ')
    const { status, error } = parsed(await closed)
    assert.equal(status, 408)
    assert.equal(error.code, 'request_timeout')
  })

  it('gets 408 for a body that drips', async () => {
    const { socket, write, closed } = await wire(host.port, { tls: true })
    write(
      'POST /v1/specimen/echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{',
    )
    const drip = setInterval(() => socket.writable && write(' '), 50)
    const { status, error } = parsed(await closed)
    clearInterval(drip)
    assert.equal(status, 408)
    assert.equal(error.code, 'request_timeout')
  })

  it('has its idle connection closed', async () => {
    const { write, closed } = await wire(host.port, { tls: true })
    write('GET /v1/specimen/open HTTP/1.1\r\nHost: x\r\n\r\n')
    assert.match(await closed, /^HTTP\/1.1 200/)
  })
})

describe('a request that is none', () => {
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
    it(`with ${name} is ${expected} in the one fault shape`, async () => {
      const { write, closed } = await wire(host.port, { tls: true })
      write(text)
      const { status, error, head } = parsed(await closed)
      assert.equal(status, expected)
      assert.equal(error.code, expected === 431 ? 'headers_too_large' : 'malformed_request')
      assert.match(head, /X-Request-Id: req_/i)
    })
  }
})

describe('a client that', () => {
  it('sends far more than the headers may be is told so all the same', async () => {
    for (let tries = 0; tries < 5; tries++) {
      const { write, closed } = await wire(host.port, { tls: true })
      write(`GET /v1 HTTP/1.1\r\nHost: x\r\nX-Big: ${'a'.repeat(300_000)}\r\n\r\n`)
      assert.equal(parsed(await closed).status, 431)
    }
  })

  it('is refused on the bare socket can be found in the log by its request id', async () => {
    const { write, closed } = await wire(host.port, { tls: false })
    write('GET /v1 HTTP/1.1\r\n\r\n')
    const { error } = parsed(await closed)
    assert.ok(host.logged.some(line => line.includes(error.request_id) && line.includes('"status":403')))
  })
})

describe('draining', () => {
  it('finishes what runs, answers what is on its way, then refuses', async t => {
    const ending = await startHost({ services: [specimen] }, t)
    const { socket, write, closed } = await wire(ending.port, { tls: true })
    const running = ending.call('GET /v1/specimen/slow')
    await wait(50)
    const drained = ending.drain(5_000)
    await wait(50)
    // This connection was open and idle when draining began; its request was already on the way.
    write('GET /v1/specimen/open HTTP/1.1\r\nHost: x\r\n\r\n')
    const late = await closed
    assert.match(late, /^HTTP\/1.1 200/)
    assert.match(late, /connection: close/i)
    assert.deepEqual((await running).body, { done: true })
    await drained
    assert.ok(socket.destroyed)
    await assert.rejects(ending.call('GET /v1/specimen/open'))
  })

  it('ends a request that outlasts the grace', async t => {
    const ending = await startHost({ services: [specimen] }, t)
    const { write, closed } = await wire(ending.port, { tls: true })
    write('GET /v1/specimen/drip HTTP/1.1\r\nHost: x\r\n\r\n')
    await wait(50)
    const started = performance.now()
    await ending.drain(300)
    assert.ok(performance.now() - started < 2_000)
    assert.match(await closed, /first/)
  })
})
