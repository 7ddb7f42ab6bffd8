// The limits on one client's or organisation's use of connections, pipelined requests and memory.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { BlockList, connect, type Socket } from 'node:net'
import { describe, it } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { Type } from 'typebox'
import { eventually } from '../../test/eventually.ts'
import { CA, startHost, type TestHost } from '../../test/host.ts'
import { rawConnection } from '../../test/raw-connection.ts'
import { specimen } from '../../test/specimen.ts'
import { operation } from '../kit/operation.ts'
import { service } from '../kit/service.ts'
import { newKeyText } from '../services/account/public.ts'
import { services } from '../services/index.ts'

const count = (text: string, part: string) => text.split(part).length - 1
const headOf = (host: TestHost, key = host.home.key) => `Host: x\r\nAuthorization: Bearer ${key}\r\n`

/** Opens a connection; resolves when it is accepted or closed. */
function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  return new Promise(resolve => {
    socket.once('connect', () => setTimeout(resolve, 50, socket))
    socket.once('close', () => resolve(socket))
  })
}

describe('connections', () => {
  it('from one address are limited, and closed ones make room', async t => {
    const host = await startHost({ connections: { perAddress: 5, waitingPerAddress: 3, waitMs: 100 } }, t)
    const sockets = await Promise.all(Array.from({ length: 12 }, () => open(host.port)))
    const left = () => sockets.filter(socket => !socket.destroyed)
    const accepted = await eventually(
      async () => left(),
      sockets => sockets.length <= 5,
    )
    assert.equal(accepted.length, 5)
    for (const socket of accepted) socket.destroy()
    const answer = await eventually(
      () => host.call('GET /v1').catch(() => null),
      found => found?.status === 200,
    )
    assert.equal(answer?.status, 200)
    const text = await metricsOf(host)
    assert.match(text, /^stoa_refused_total\{reason="connections_per_address"\} [7-9]$/m)
    assert.match(text, /^stoa_connections\{\} \d$/m)
    const lines = host.logged.filter(line => line.includes('connections_per_address'))
    assert.ok(lines.length <= 2, 'one line, and perhaps another a second later')
  })

  it('over the limit wait until others close, which happens after their next answer', async t => {
    const host = await startHost({ connections: { perAddress: 5 } }, t)
    const sockets = Array.from({ length: 10 }, () => connectTls({ port: host.port, host: 'localhost', ca: CA() }))
    await eventually(
      () => metricsOf(host),
      text => text.includes('stoa_connections{} 10\n'),
    )
    const answers = sockets.map(async socket => {
      socket.write('GET /v1 HTTP/1.1\r\nHost: x\r\n\r\n')
      let text = ''
      for await (const chunk of socket) {
        text += chunk
        if (text.trimEnd().endsWith('}')) break
      }
      return text
    })
    const all = await Promise.all(answers)
    assert.deepEqual([all.length, all.filter(text => text.startsWith('HTTP/1.1 200 ')).length], [10, 10])
    assert.equal(all.filter(text => /\r\nconnection: close\r\n/i.test(text)).length, 5)
    assert.doesNotMatch(await metricsOf(host), /connections_per_address/)
  })

  it('carry out nothing that the client could not learn of: no request after the last answer', async t => {
    const host = await startHost({ connections: { perAddress: 3, waitMs: 5_000 } }, t)
    const { write, closed } = await rawConnection(host.port, { tls: true })
    const others = await Promise.all(Array.from({ length: 6 }, () => open(host.port)))
    const posts = Array.from({ length: 5 }, (_, at) => {
      const body = JSON.stringify({ slug: `last-${at}`, name: 'x' })
      return `POST /v1/projects HTTP/1.1\r\n${headOf(host)}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    })
    write(posts.join(''))
    const answers = count(await closed, 'HTTP/1.1 201 ')
    for (const socket of others) socket.destroy()
    const startedMs = performance.now()
    const { body } = await eventually(
      () => host.call('GET /v1/projects').catch(() => ({ body: null })),
      found => found.body !== null,
    )
    assert.equal(body.data.length, answers)
    assert.ok(answers < 5)
    assert.ok(performance.now() - startedMs < 5_000, 'those that left while they waited take no place')
  })

  it('are limited in total, even from trusted proxies, which are exempt from the limit per address', async t => {
    const trusted = new BlockList()
    trusted.addAddress('127.0.0.1')
    const host = await startHost({ connections: { perAddress: 2, total: 6 }, trusted }, t)
    const sockets = await Promise.all(Array.from({ length: 10 }, () => open(host.port)))
    const left = async () => sockets.filter(socket => !socket.destroyed).length
    assert.equal(await eventually(left, count => count <= 6), 6)
    for (const socket of sockets) socket.destroy()
  })

  it('that do not read their answer are closed', async t => {
    const host = await startHost({ connections: { stalledMs: 300 } }, t)
    const { socket, write, closed } = await rawConnection(host.port, { tls: true })
    socket.pause()
    const request = 'GET /v1/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'
    write(request.repeat(200))
    await eventually(
      () => metricsOf(host),
      text => text.includes('reason="stalled_connection"} 1'),
    )
    socket.resume() // A paused socket does not notice that it is closed.
    await closed
  })
})

const metricsOf = async (host: TestHost) => (await fetch(`http://127.0.0.1:${host.metricsPort}/metrics`)).text()

describe('pipelined requests', async () => {
  const host = await startHost({ services: [...services, specimen] })
  const GET = `GET /v1/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n`

  it('are all answered, in order, however many there are', async () => {
    const { write, closed } = await rawConnection(host.port, { tls: true })
    const targets = Array.from({ length: 3_000 }, (_, at) => `/v1/nosuch-${at}`)
    write(targets.map(target => `GET ${target} HTTP/1.1\r\nHost: x\r\n\r\n`).join(''))
    write('GET /v1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    const answered = [...(await closed).matchAll(/GET (\/v1\/nosuch-\d+)/g)].map(match => match[1])
    assert.deepEqual(answered, targets)
  })

  it('with bodies are answered in order too', async () => {
    const { write, closed } = await rawConnection(host.port, { tls: true })
    const posts = Array.from({ length: 100 }, (_, at) => {
      const body = JSON.stringify({ slug: `pipelined-${at}`, name: 'x'.repeat(at) || 'x' })
      return `POST /v1/projects HTTP/1.1\r\n${headOf(host)}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    })
    write(posts.join(''))
    write('GET /v1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    const answered = [...(await closed).matchAll(/"slug":"pipelined-(\d+)"/g)].map(match => Number(match[1]))
    assert.deepEqual(answered, [...posts.keys()])
  })

  it('of a client that reads nothing are neither handled nor read further', async () => {
    const connections = await Promise.all(Array.from({ length: 10 }, () => rawConnection(host.port, { tls: true })))
    const answered = () => count(host.logged.join(''), '"operation":"getOpenapi"')
    const before = answered()
    for (const { socket, write } of connections) {
      socket.pause()
      write(GET.repeat(1_000))
    }
    assert.equal((await host.call('GET /v1/projects')).status, 200, 'others are served')
    await eventually(
      async () => answered() - before,
      handled => handled > 0,
    )
    assert.ok(answered() - before < 10 * 300, 'answers wait in the sockets only')
    for (const { socket } of connections) socket.destroy()
  })
})

describe('requests that arrive at the same moment', async () => {
  const host = await startHost({ services: [...services, specimen] })

  it('are started in turn by organisation', async () => {
    const open = () => rawConnection(host.port, { tls: true })
    const flood = await Promise.all(Array.from({ length: 200 }, open))
    const other = await open()
    const request = (key: string) => `GET /v1/specimen/whoami HTTP/1.1\r\n${headOf(host, key)}\r\n`
    for (const as of [host.home.key, host.other.key]) await host.call('GET /v1/specimen/whoami', { as }) // Cached.
    const answered: string[] = []
    const all = [...flood.map(one => ({ ...one, who: 'flood' })), { ...other, who: 'other' }].map(
      ({ socket, write, who }) =>
        new Promise<void>(resolve => {
          socket.once('data', () => {
            answered.push(who)
            resolve()
          })
          write(request(who === 'other' ? host.other.key : host.home.key))
        }),
    )
    await Promise.all(all)
    assert.ok(answered.indexOf('other') < 100, `answered after ${answered.indexOf('other')} of 200`)
    for (const { socket } of [...flood, other]) socket.destroy()
  })

  it('are started a few per turn of the event loop, even if they are calls of one batch', async () => {
    const params = { name: 'get_v1_specimen_whoami', arguments: {} }
    const batch = Array.from({ length: 20 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'tools/call', params }))
    await host.call('POST /v1/mcp', { body: batch.slice(0, 1) }) // The credential is cached, and the list is prepared.
    const calls = () => host.logged.filter(line => line.includes('"operation":"whoami"')).length
    let [seen, most, isDone] = [calls(), 0, false]
    const watch = () => {
      most = Math.max(most, calls() - seen)
      seen = calls()
      if (!isDone) setImmediate(watch)
    }
    watch()
    const { body } = await host.call('POST /v1/mcp', { body: batch })
    isDone = true
    assert.equal(body.filter((one: { result?: object }) => one.result).length, 20)
    assert.ok(most <= 6, `${most} in one turn`)
  })
})

describe('answers', () => {
  const MB = 1_000_000
  const large = operation({
    route: 'GET /v1/large',
    summary: 'Answers 20 MB',
    access: 'bearer',
    output: Type.Object({ text: Type.String() }),
    run: () => ({ text: 'x'.repeat(20 * MB) }),
  })

  it('that one organisation does not read do not use up the memory of others', async t => {
    const services = [service({ name: 'large', what: 'For this test', operations: [{ large }] })]
    const host = await startHost({ services, answerBytesMax: 64 * MB }, t)
    const unread = async () => {
      const socket = connectTls({ port: host.port, host: '127.0.0.1', servername: 'localhost', ca: CA() })
      t.after(() => socket.destroy())
      socket.write(`GET /v1/large HTTP/1.1\r\n${headOf(host, host.home.key)}\r\n`)
      await once(socket, 'readable')
      return socket
    }
    const sockets = [await unread(), await unread()]
    const refused = await host.call('GET /v1/large')
    assert.deepEqual([refused.status, refused.body.error.code], [503, 'overloaded'])
    assert.match(refused.body.error.message, /are still unread/)
    assert.equal((await host.call('GET /v1/projects')).status, 200)
    assert.equal((await host.call('GET /v1/large', { as: host.other.key })).status, 200)
    for (const socket of sockets) socket.destroy()
    await eventually(
      async () => (await host.call('GET /v1/large')).status,
      status => status === 200,
    )
  })
})

describe('request bodies', () => {
  /** Sends a body except its last byte. */
  async function stall(host: TestHost, key: string, bytes: number) {
    const connection = await rawConnection(host.port, { tls: true })
    const body = `{"entries":[],"note":"${'x'.repeat(bytes - 25)}"}`
    connection.write(
      `PUT /v1/risk/reference/domain HTTP/1.1\r\n${headOf(host, key)}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`,
    )
    connection.write(body.slice(0, -1))
    return { ...connection, finish: () => connection.write(body.slice(-1)) }
  }

  it('of one organisation are refused before they are read if they would use up the memory of others', async t => {
    const MiB = 1024 * 1024
    const host = await startHost({ bodyBytesMax: 8 * MiB }, t)
    const [first, second, third] = [
      await stall(host, host.home.key, 2 * MiB),
      await stall(host, host.home.key, 2 * MiB),
      await stall(host, host.home.key, 2 * MiB),
    ]
    const refused = await eventually(
      async () => third.received(),
      text => text.includes('\r\n\r\n{'),
    )
    assert.match(refused, /^HTTP\/1\.1 503 .*\r\nretry-after: 1\r\n.*"code":"overloaded"/is)
    assert.equal((await host.call('POST /v1/projects', { body: { slug: 'small', name: 'Small' } })).status, 201)
    const entries = Array.from({ length: 100 }, (_, at) => ({
      key: `${at}.example`,
      verdict: 'deny',
      note: 'x'.repeat(400),
    }))
    const others = await host.call('PUT /v1/risk/reference/domain', { as: host.other.key, body: { entries } })
    assert.equal(others.status, 200, 'another organisation at the same address is served')
    for (const one of [first, second]) {
      one.finish()
      await eventually(
        async () => one.received(),
        text => text.startsWith('HTTP/1.1 400'),
      )
    }
    const again = await stall(host, host.home.key, 3 * MiB)
    again.finish()
    await eventually(
      async () => again.received(),
      text => text.startsWith('HTTP/1.1 400'),
    )
    for (const { socket } of [first, second, third, again]) socket.destroy()
  })

  it('without a length are counted as they arrive, and released when the client leaves', async t => {
    const host = await startHost({ bodyBytesMax: 1024 * 1024 }, t)
    const send = async () => {
      const connection = await rawConnection(host.port, { tls: true })
      connection.write(
        `PUT /v1/risk/reference/domain HTTP/1.1\r\n${headOf(host)}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
      )
      for (let sent = 0; sent < 6; sent++) connection.write(`10000\r\n${'x'.repeat(0x10000)}\r\n`)
      return connection
    }
    const both = [await send(), await send()]
    await eventually(
      async () => both.filter(one => one.received().startsWith('HTTP/1.1 503')),
      refused => refused.length >= 1, // Both, if they grow at the same pace.
    )
    for (const { socket } of both) socket.destroy()
    const body = { entries: [{ key: 'a.example', verdict: 'deny', note: 'x'.repeat(400) }] }
    await eventually(
      async () => host.call('PUT /v1/risk/reference/domain', { body }),
      ({ status }) => status === 200,
    )
    const last = await send()
    last.write('0\r\n\r\n')
    await eventually(
      async () => last.received(),
      text => text.startsWith('HTTP/1.1 400'),
    )
    last.socket.destroy()
  })
})

describe('overload', () => {
  it('is counted by reason and logged once a second with a count, without a line for each refusal', async t => {
    const host = await startHost({ services: [...services, specimen], settings: { STOA_REFUSED_PER_MINUTE: 1 } }, t)
    const unknown = () => host.call('GET /v1/projects', { as: newKeyText(host.engines.random, 'secret') })
    assert.equal((await unknown()).status, 401)
    for (let at = 0; at < 30; at++) assert.equal((await unknown()).status, 429)
    assert.match(await metricsOf(host), /^stoa_refused_total\{reason="too_many_tries"\} 30$/m)
    const lines = host.logged.filter(line => line.includes('"msg":"refused"'))
    assert.ok(lines.length >= 1 && lines.length <= 5, `${lines.length} lines`)
    assert.ok(!host.logged.some(line => line.includes('"level":50')))
  })
})
