// Regression tests for hostile clients: each request gets one answer, and streams end and stay bounded.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { after, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Type } from 'typebox'
import { Agent } from 'undici'
import { eventually } from '../../test/eventually.ts'
import { startHost } from '../../test/host.ts'
import { rawConnection } from '../../test/raw-connection.ts'
import { specimen } from '../../test/specimen.ts'
import { httpOver } from '../engines/http/http.ts'
import { eventStream, events, replies, reply } from '../kit/answer.ts'
import { operation } from '../kit/operation.ts'
import { service } from '../kit/service.ts'

const made: Readable[] = []
const ended = { count: 0 }
const begun = { count: 0 }
const late = operation({
  route: 'GET /v1/odd/late',
  summary: 'Answer a stream after its client may have left',
  access: 'public',
  output: replies,
  run: async () => {
    begun.count++
    await wait(100)
    const body = new Readable({ read() {} })
    made.push(body)
    return reply(200, {}, body)
  },
})
const silent = operation({
  route: 'GET /v1/odd/silent',
  summary: 'Answer a stream that has not begun',
  access: 'public',
  output: replies,
  run: () => {
    begun.count++
    return reply(200, {}, new Readable({ read() {} }))
  },
})
const waiting = operation({
  route: 'GET /v1/odd/waiting',
  summary: 'Answer an event stream that has not begun',
  access: 'public',
  output: events(Type.String()),
  run: ({ request: { signal } }) => {
    begun.count++
    async function* source(): AsyncGenerator<{ data: string }> {
      try {
        await new Promise(resolve => signal.addEventListener('abort', resolve))
        yield { data: 'too late' }
      } finally {
        ended.count++
      }
    }
    return eventStream(source())
  },
})
const closable = operation({
  route: 'GET /v1/odd/closable',
  summary: 'Answer an event stream whose source must be closed',
  access: 'public',
  output: events(Type.String()),
  run: () => {
    const iterator: AsyncIterator<{ data: string }> = {
      next: async () => ({ done: true, value: undefined }),
      return: async () => {
        ended.count++
        return { done: true, value: undefined }
      },
    }
    return eventStream({ [Symbol.asyncIterator]: () => iterator })
  },
})
const many = operation({
  route: 'GET /v1/odd/many',
  summary: 'Answer many events of a kilobyte',
  access: 'public',
  output: events(Type.String()),
  run: () => {
    const data = 'x'.repeat(1_000)
    async function* source(): AsyncGenerator<{ data: string }> {
      for (let n = 0; n < 60_000; n++) yield { data }
    }
    return eventStream(source())
  },
})
const odd = service({ name: 'odd', what: 'For this test', operations: [{ late, silent, waiting, closable, many }] })

const upstream = createServer((request, response) => {
  if (request.url?.includes('broken')) request.socket.destroy()
  else response.writeHead(200, { vary: 'Accept-Encoding', ratelimit: '"x"' }).end(String(request.headers['x-org-id']))
})
await new Promise<void>(resolve => upstream.listen(0, '127.0.0.1', resolve))
after(() => upstream.close())
const agent = new Agent()
after(() => agent.destroy())
const url = new URL(`http://127.0.0.1:${(upstream.address() as AddressInfo).port}`)
const host = await startHost({
  upstreams: new Map([['ai', url]]),
  http: httpOver({ public: agent, configured: agent }),
  services: [service({ name: 'ai', what: 'Models', paths: ['/v1/ai', '/v1/chat'] }), specimen, odd],
})
const HEAD = `Host: x\r\nAuthorization: Bearer ${host.home.key}\r\n`
const statusesIn = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(match => Number(match[1]))

describe('a connection', () => {
  for (const [what, rest, status] of [
    ['garbage', 'garbage\r\n\r\n', 400],
    ['CONNECT', 'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n', 405],
    ['an unknown expectation', `GET /v1 HTTP/1.1\r\n${HEAD}Expect: y\r\nConnection: close\r\n\r\n`, 417],
  ] as const) {
    it(`answers all requests before ${what}, in order, and then that`, async () => {
      for (const count of [1, 3, 30]) {
        const { write, closed } = await rawConnection(host.port, { tls: true })
        const requests = Array.from({ length: count }, (_, at) => {
          return `GET /v1/specimen/${at === 0 ? 'slow' : 'whoami'} HTTP/1.1\r\n${HEAD}\r\n`
        })
        write(requests.join('') + rest)
        assert.deepEqual(statusesIn(await closed), [...Array(count).fill(200), status])
      }
    })
  }

  it('answers a request whose body is invalid in its turn, and does not carry it out', async () => {
    const { write, closed } = await rawConnection(host.port, { tls: true })
    const chunked = `POST /v1/specimen/echo HTTP/1.1\r\n${HEAD}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`
    write(`GET /v1/specimen/slow HTTP/1.1\r\n${HEAD}\r\n${chunked}zz\r\n`)
    assert.deepEqual(statusesIn(await closed), [200, 400])
  })

  it('is closed after the answer to a request that asks to upgrade', async () => {
    const { write, closed } = await rawConnection(host.port, { tls: true })
    const upgrade = `GET /v1 HTTP/1.1\r\n${HEAD}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`
    write(`${upgrade}GET /v1/specimen/whoami HTTP/1.1\r\n${HEAD}\r\n`)
    assert.deepEqual(statusesIn(await closed), [200])
  })

  it('gets one answer if the body becomes invalid after the answer', async () => {
    for (const [rest, path] of [
      ['zz\r\n', '/v1/nosuch'],
      ['', '/v1/specimen/unread-upload'],
    ]) {
      const { write, closed } = await rawConnection(host.port, { tls: true })
      write(`POST ${path} HTTP/1.1\r\n${HEAD}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n`)
      await wait(200)
      if (rest) write(rest)
      const text = await closed
      assert.equal(statusesIn(text).length, 1, text)
    }
  })

  it('is closed if the client keeps sending after the answer', async () => {
    const { write, socket, closed } = await rawConnection(host.port, { tls: true })
    write(`GET /v1 HTTP/1.1\r\n${HEAD}Transfer-Encoding: chunked\r\n\r\n`)
    const timer = setInterval(() => socket.destroyed || write(`100\r\n${'a'.repeat(256)}\r\n`), 20)
    assert.deepEqual(statusesIn(await closed), [200])
    clearInterval(timer)
  })

  it('gets its 413 even if the client sends the whole body first, and can be reused', async () => {
    const { write, socket } = await rawConnection(host.port, { tls: true })
    let received = ''
    socket.on('data', chunk => {
      received += chunk
    })
    const length = 8 * 1024 * 1024
    write(`POST /v1/projects HTTP/1.1\r\n${HEAD}Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`)
    for (let sent = 0; sent < length; sent += 65_536) {
      if (!socket.write('a'.repeat(65_536))) await new Promise(resolve => socket.once('drain', resolve))
    }
    write(`GET /v1/specimen/public HTTP/1.1\r\n${HEAD}\r\n`)
    await eventually(
      () => statusesIn(received).join(),
      statuses => statuses === '413,200',
    )
    socket.destroy()
  })

  it('accepts no transfer coding but chunked', async () => {
    const { write, closed } = await rawConnection(host.port, { tls: true })
    write(
      `POST /v1/specimen/raw HTTP/1.1\r\n${HEAD}Transfer-Encoding: gzip, chunked\r\nConnection: close\r\n\r\n0\r\n\r\n`,
    )
    assert.deepEqual(statusesIn(await closed), [400])
  })
})

describe('a stream', () => {
  it('whose client left before it began is destroyed', async () => {
    for (let at = 0; at < 5; at++) {
      const { write, socket } = await rawConnection(host.port, { tls: true })
      write('GET /v1/odd/late HTTP/1.1\r\nHost: x\r\n\r\n')
      await eventually(
        () => begun.count,
        count => count === at + 1,
      )
      socket.destroy()
    }
    await eventually(
      () => [made.length, made.filter(one => one.destroyed).length].join(),
      counts => counts === '5,5',
    )
  })

  it('that has not begun when the host drains is answered 503', async t => {
    const ending = await startHost({ services: [odd] }, t)
    const before = begun.count
    const connections = []
    for (const name of ['silent', 'waiting']) {
      const connection = await rawConnection(ending.port, { tls: true })
      connection.write(`GET /v1/odd/${name} HTTP/1.1\r\nHost: x\r\n\r\n`)
      connections.push(connection)
    }
    await eventually(
      () => begun.count,
      count => count === before + 2,
    )
    await ending.drain(1_000)
    for (const { closed } of connections) assert.deepEqual(statusesIn(await closed), [503])
  })

  it('requested with HEAD closes its source', async () => {
    const before = ended.count
    assert.equal((await host.call('HEAD /v1/odd/closable', { as: null })).status, 200)
    await eventually(
      () => ended.count,
      count => count === before + 1,
    )
  })

  it('does not accumulate its events in memory', async () => {
    setFlagsFromString('--expose-gc')
    const collect: () => void = runInNewContext('gc')
    const heapMb = () => {
      collect()
      return process.memoryUsage().heapUsed / 2 ** 20
    }
    const before = heapMb()
    let [most, received, measured] = [0, 0, 0]
    const { write, socket, closed } = await rawConnection(host.port, { tls: true })
    socket.removeAllListeners('data')
    socket.on('data', (chunk: Buffer) => {
      received += chunk.length
      if (received - measured < 5 * 2 ** 20) return
      measured = received
      most = Math.max(most, heapMb())
    })
    write('GET /v1/odd/many HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    await closed
    assert.ok(measured > 50 * 2 ** 20)
    assert.ok(most - before < 30, `the heap grew from ${before.toFixed()} to ${most.toFixed()} MB`)
  })
})

describe('a relayed model service', () => {
  const keyWith = async (bounds: object) =>
    (await host.call('POST /v1/account/keys', { body: { name: 'x', ...bounds } })).body.key
  const chat = (as: string, body: unknown) => host.call('POST /v1/chat/completions', { as, body })

  it('is refused to a key for models it may not call', async () => {
    const as = await keyWith({ limit: ['model:cheap'] })
    assert.equal((await chat(as, { model: 'cheap' })).status, 200)
    for (const body of [{ model: 'dear' }, { model: ['cheap'] }, {}, 'cheap', '[]']) {
      const answer = await chat(as, body)
      assert.deepEqual([answer.status, answer.body.error.code], [403, 'key_limit'], JSON.stringify(body))
    }
    assert.equal((await chat(host.home.key, { model: 'dear' })).status, 200)
  })

  it('is refused to a key that has used up its budget', async () => {
    const as = await keyWith({ budget: { total: 1 } })
    assert.equal((await chat(as, { model: 'any' })).status, 200)
    await host.call('POST /v1/specimen/spend', { as, body: { units: 1_000_000 } })
    assert.deepEqual((await chat(as, { model: 'any' })).status, 402)
  })

  it('adds to Vary and cannot replace headers of the host', async () => {
    const { headers } = await chat(host.home.key, { model: 'any' })
    assert.deepEqual(
      [headers.vary, headers['x-content-type-options'], headers.ratelimit],
      ['Origin, Accept-Encoding', 'nosniff', undefined],
    )
  })

  it('that closes the connection is answered 502', async () => {
    const answer = await host.call('GET /v1/chat/broken')
    assert.deepEqual([answer.status, answer.body.error.code], [502, 'upstream_unreachable'])
  })
})
