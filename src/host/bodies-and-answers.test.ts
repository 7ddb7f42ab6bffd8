// The kinds of body and answer an operation can declare, each tested with a specimen operation.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import * as zlib from 'node:zlib'
import { eventually } from '../../test/eventually.ts'
import { startHost } from '../../test/host.ts'
import { parseResponse, rawConnection } from '../../test/raw-connection.ts'
import { BODY_LIMIT, disconnects } from '../../test/specimen/bodies-and-answers.ts'
import { specimen } from '../../test/specimen.ts'

const host = await startHost({ services: [specimen] })
const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  host.call(`POST /v1/specimen/${path}`, { body, headers })

describe('a body of bytes', () => {
  it('is accepted with any media type or none', async () => {
    for (const type of ['application/json', 'text/plain', 'application/x-sentry-envelope', '']) {
      const answer = await post('raw?tag=x', Buffer.from([0, 255, 10]), { 'content-type': type })
      assert.deepEqual(answer.body, { bytes: 3, tag: 'x' }, type)
    }
  })

  it('is decoded from each encoding, up to the limit', async () => {
    const bytes = Buffer.alloc(BODY_LIMIT, 'a')
    for (const [encoding, encoded] of [
      ['gzip', zlib.gzipSync(bytes)],
      ['x-gzip', zlib.gzipSync(bytes)],
      ['GZIP', zlib.gzipSync(bytes)],
      ['deflate', zlib.deflateSync(bytes)],
      ['br', zlib.brotliCompressSync(bytes)],
      ['zstd', zlib.zstdCompressSync(bytes)],
      ['identity', bytes],
    ] as const) {
      assert.deepEqual((await post('raw', encoded, { 'content-encoding': encoding })).body, { bytes: BODY_LIMIT })
    }
  })

  it('that expands beyond the limit when decoded is answered 413', async () => {
    const bomb = zlib.gzipSync(Buffer.alloc(3 * 1024 * 1024, 0))
    assert.ok(bomb.length < BODY_LIMIT)
    for (let at = 0; at < 20; at++) {
      assert.equal((await post('raw', bomb, { 'content-encoding': 'gzip' })).status, 413)
    }
  })

  it('in two encodings or an unknown one is answered 415 with the accepted encodings', async () => {
    for (const encoding of ['gzip, gzip', 'compress', 'gzip;q=1']) {
      const answer = await post('raw', zlib.gzipSync('x'), { 'content-encoding': encoding })
      assert.equal(answer.status, 415, encoding)
      assert.equal(answer.headers['accept-encoding'], 'gzip, deflate, br, zstd')
    }
  })
})

describe('a parsed body', () => {
  it('is passed with its bytes, its JSON and the declared fields', async () => {
    const text = '{ "model": "one", "more": [1] }'
    const answer = await post('parsed', text, { 'content-type': 'application/json' })
    assert.deepEqual(answer.body, { bytes: text.length, json: { model: 'one', more: [1] }, model: 'one' })
  })

  it('may be any JSON value, or empty', async () => {
    assert.deepEqual((await post('parsed', '[1,2]')).body, { bytes: 5, json: [1, 2], model: null })
    assert.deepEqual((await post('parsed', undefined)).body, { bytes: 0, model: null })
    assert.equal((await post('parsed', '{')).status, 400)
  })

  it('is checked for unsafe values', async () => {
    const deep = `${'['.repeat(40)}${']'.repeat(40)}`
    for (const text of [deep, '{"a":"\\u0000"}', '[{"__proto__":1}]', '{"a":"\\ud800"}']) {
      const answer = await post('parsed', text)
      assert.equal(answer.status, 400, text.slice(0, 20))
      assert.equal(answer.body.error.code, 'invalid_input')
    }
  })
})

describe('a streamed body', () => {
  it('is passed on as it arrives, decoded from each encoding', async () => {
    const bytes = Buffer.alloc(600_000, 'a')
    assert.equal((await post('upload', bytes)).body.bytes, bytes.length)
    for (const [encoding, encoded] of [
      ['gzip', zlib.gzipSync(bytes)],
      ['deflate', zlib.deflateSync(bytes)],
      ['br', zlib.brotliCompressSync(bytes)],
      ['zstd', zlib.zstdCompressSync(bytes)],
    ] as const) {
      const { body } = await post('upload', encoded, { 'content-encoding': encoding })
      assert.equal(body.bytes, bytes.length, encoding)
    }
  })

  it('reaches the operation before it is complete', async () => {
    const { write, closed } = await rawConnection(host.port, { tls: true })
    write(`POST /v1/specimen/upload HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${host.home.key}\r\n`)
    write('Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n3\r\nabc\r\n')
    await wait(50)
    write('2\r\nde\r\n0\r\n\r\n')
    const [, body = ''] = (await closed).split('\r\n\r\n')
    assert.deepEqual(JSON.parse(body), { bytes: 5, chunks: 2 })
  })

  it('over the limit is answered 413, before and after decoding', async () => {
    const { write, closed } = await rawConnection(host.port, { tls: true })
    write(`POST /v1/specimen/upload HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${host.home.key}\r\n`)
    write('Transfer-Encoding: chunked\r\n\r\n')
    const chunk = `10000\r\n${'a'.repeat(0x10000)}\r\n`
    for (let at = 0; at < 17; at++) write(chunk)
    assert.equal(parseResponse(await closed).status, 413)
    const bomb = zlib.gzipSync(Buffer.alloc(64 * 1024 * 1024))
    assert.equal((await post('upload', bomb, { 'content-encoding': 'gzip' })).status, 413)
  })

  it('that the operation does not read does not block the connection', async () => {
    const bytes = Buffer.alloc(900_000, 'a')
    for (let at = 0; at < 5; at++) assert.equal((await post('unread-upload', bytes)).status, 204)
    assert.equal((await host.call('GET /v1/specimen/whoami')).status, 200)
  })

  it('that the operation does not read leaves no listener on the connection', async t => {
    const warnings: string[] = []
    const warned = ({ message }: Error) => warnings.push(message)
    process.on('warning', warned)
    t.after(() => process.off('warning', warned))
    const { write, received, socket } = await rawConnection(host.port, { tls: true })
    const head = `POST /v1/specimen/unread-upload HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${host.home.key}\r\n`
    for (let at = 1; at <= 15; at++) {
      write(`${head}Content-Length: 3\r\n\r\n`)
      await eventually(
        async () => received().split(' 204 ').length - 1,
        answers => answers === at,
      )
      write('abc') // After the answer.
    }
    socket.destroy()
    assert.deepEqual(warnings, [])
  })
})

describe('an operation with the method ANY', () => {
  it('accepts every method', async () => {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      const body = method === 'GET' ? undefined : 'x'
      const answer = await host.call(`${method} /v1/specimen/any-method?what=ever`, { body })
      assert.deepEqual(answer.body, { method, bytes: method === 'GET' ? 0 : 1 })
    }
  })
})

describe('a reply', () => {
  it('has its own status, headers and cookies in addition to the common headers', async () => {
    const answer = await host.call('GET /v1/specimen/redirect', { as: null })
    assert.equal(answer.status, 303)
    assert.equal(answer.headers.location, 'https://elsewhere.example.com/')
    assert.deepEqual(answer.headers['set-cookie'], ['a=1', 'b=2'])
    assert.equal(answer.headers['x-content-type-options'], 'nosniff')
    assert.match(answer.headers['x-request-id'] ?? '', /^req_/)
  })

  it('may replace a common header', async () => {
    const answer = await host.call('GET /v1/specimen/file', { as: null })
    assert.equal(answer.text, 'plain')
    assert.equal(answer.headers['cache-control'], 'max-age=60')
    assert.equal(answer.headers['content-length'], '5')
    const head = await host.call('HEAD /v1/specimen/file', { as: null })
    assert.deepEqual([head.text, head.headers['content-length']], ['', '5'])
  })
})

describe('an event stream', () => {
  it('sends each event with its name and id', async () => {
    const answer = await host.call('GET /v1/specimen/ticks?count=2')
    assert.equal(answer.headers['content-type'], 'text/event-stream; charset=utf-8')
    assert.equal(answer.text, 'event: tick\nid: 1\ndata: {"n":1}\n\nevent: tick\nid: 2\ndata: {"n":2}\n\n')
  })

  it('without events, or requested with HEAD, is empty', async () => {
    const none = await host.call('GET /v1/specimen/ticks?count=0')
    assert.deepEqual([none.status, none.text], [200, ''])
    const head = await host.call('HEAD /v1/specimen/ticks')
    assert.deepEqual([head.status, head.text], [200, ''])
  })

  it('answers a fault if it fails before its first event, and later sends an error event', async () => {
    const early = await host.call('GET /v1/specimen/ticks?count=0&fails=true')
    assert.deepEqual([early.status, early.body.error.code], [409, 'conflict'])
    const late = await host.call('GET /v1/specimen/ticks?count=1&fails=true')
    assert.equal(late.status, 200)
    const [, error = ''] = late.text.split('\n\n')
    assert.match(error, /^event: error\ndata: \{"error":\{"code":"conflict"/)
  })

  it('waits for a client that reads slower than the source', async t => {
    const warnings: string[] = []
    const warned = (warning: Error) => void warnings.push(warning.message)
    process.on('warning', warned)
    t.after(() => process.off('warning', warned))
    const { write, socket, closed } = await rawConnection(host.port, { tls: true })
    socket.pause()
    write(`GET /v1/specimen/ticks?count=10000 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${host.home.key}\r\n`)
    write('Connection: close\r\n\r\n')
    await wait(100)
    socket.resume()
    assert.equal((await closed).match(/event: tick/g)?.length, 10_000)
    assert.deepEqual(warnings, [])
  })

  it('is aborted when its client disconnects', async () => {
    const before = disconnects.count
    const { write, socket, received } = await rawConnection(host.port, { tls: true })
    write(`GET /v1/specimen/endless-events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${host.home.key}\r\n\r\n`)
    await eventually(received, text => text.includes('data:'))
    socket.destroy()
    await eventually(
      () => disconnects.count,
      count => count === before + 1,
    )
  })

  it('is sent instead of a value if requested', async () => {
    assert.deepEqual((await post('chat', { model: 'one' })).body, { model: 'one' })
    const stream = await post('chat', { model: 'one', stream: true, other: 1 })
    assert.equal(stream.text, 'event: tick\nid: 1\ndata: {"n":1}\n\nevent: tick\nid: 2\ndata: {"n":2}\n\n')
  })

  it('has no chunks for an HTTP/1.0 client', async () => {
    const head = `Host: x\r\nAuthorization: Bearer ${host.home.key}\r\nContent-Type: application/json\r\n`
    const body = '{"model":"one","stream":true}'
    const old = await rawConnection(host.port, { tls: true })
    old.write(`POST /v1/specimen/chat HTTP/1.0\r\n${head}Content-Length: ${body.length}\r\n\r\n${body}`)
    assert.match(await old.closed, /\r\n\r\nevent: tick\nid: 1\ndata: \{"n":1\}\n\n.*\{"n":2\}\n\n$/s)
  })

  it('ends when the host drains and does not delay it', async t => {
    const ending = await startHost({ services: [specimen] }, t)
    const { write, received, closed } = await rawConnection(ending.port, { tls: true })
    write(`GET /v1/specimen/endless-events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ending.home.key}\r\n\r\n`)
    await eventually(received, text => text.includes('data:'))
    await ending.drain(3_000)
    // A connection that is cut at the end of the grace period has no last chunk.
    assert.match(await closed, /data: \{"n":0\}\n\n\r\n0\r\n\r\n$/, 'the stream was stopped')
    assert.deepEqual(
      ending.logged.filter(line => !line.startsWith('{"level":30')),
      [],
    )
  })
})

describe('a fault', () => {
  it('is written in the dialect of the operation', async () => {
    const oauth = await host.call('POST /v1/specimen/oauth', { body: {} })
    assert.equal(oauth.status, 400)
    assert.deepEqual(oauth.body, { error: 'invalid_request', error_description: '`grant` is required.' })
    const missing = await host.call('POST /v1/specimen/oauth', { body: {}, as: null })
    assert.deepEqual([missing.status, missing.body.error], [401, 'invalid_client'])
    const rpc = await host.call('POST /v1/specimen/jsonrpc', { body: {} })
    const { jsonrpc, id, error } = rpc.body
    assert.deepEqual(
      [rpc.status, jsonrpc, id, error.code, error.data.code],
      [400, '2.0', null, -32602, 'invalid_input'],
    )
    const broken = await host.call('POST /v1/specimen/jsonrpc', { body: '{' })
    assert.equal(broken.body.error.code, -32700)
  })

  it('names the engine that is unreachable', async () => {
    for (const [engine, code, status] of [
      ['db', 'database_unreachable', 503],
      ['warehouse', 'warehouse_unreachable', 503],
      ['log', 'bus_unreachable', 503],
      ['mail', 'mail_unreachable', 502],
    ] as const) {
      const answer = await host.call(`GET /v1/specimen/engine-unavailable/${engine}`, { as: null })
      assert.deepEqual([answer.status, answer.body.error.code], [status, code])
      assert.ok(answer.headers['retry-after'])
    }
  })
})

describe('a path of a service without operations', async () => {
  const product = await startHost({ upstreams: new Map([['tasks', new URL('http://127.0.0.1:9')]]) })

  it('is answered 501 for any method, with or without a credential', async () => {
    for (const path of ['/v1/kms', '/v1/search/x/y', '/v1/platform/x']) {
      for (const method of ['GET', 'POST', 'DELETE']) {
        for (const as of [null, product.home.key]) {
          const answer = await product.call(`${method} ${path}`, { as })
          assert.deepEqual([answer.status, answer.body.error.code], [501, 'not_built'], path)
        }
      }
    }
  })

  it('is not answered 501 below a built, an unknown or a relayed service', async () => {
    assert.equal((await product.call('GET /v1/projects/a/b/c/d')).status, 404)
    assert.equal((await product.call('GET /v1/nosuch')).status, 404)
    assert.equal((await product.call('GET /v1/kmsx')).status, 404)
    assert.equal((await product.call('GET /v1/tasks/x', { as: null })).status, 401)
  })
})

describe('static files', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'stoa-files-'))
  after(() => rmSync(directory, { recursive: true }))
  mkdirSync(join(directory, 'assets'))
  writeFileSync(join(directory, 'index.html'), '<p>page')
  writeFileSync(join(directory, 'assets', 'app-4f3a9c21.js'), 'let a')
  writeFileSync(join(directory, 'plain.css'), 'p {}')
  const serving = await startHost({ files: [{ path: '/console', directory: pathToFileURL(`${directory}/`) }] })
  const get = (path: string, headers: Record<string, string> = {}) => serving.call(`GET ${path}`, { as: null, headers })

  it('are served with their type; names with a digest are cached forever', async () => {
    for (const [path, type, caching, text] of [
      ['/console', 'text/html; charset=utf-8', 'no-cache', '<p>page'],
      ['/console/', 'text/html; charset=utf-8', 'no-cache', '<p>page'],
      ['/console/index.html?x=1', 'text/html; charset=utf-8', 'no-cache', '<p>page'],
      ['/console/plain.css', 'text/css; charset=utf-8', 'no-cache', 'p {}'],
      [
        '/console/assets/app-4f3a9c21.js',
        'text/javascript; charset=utf-8',
        'public, max-age=31536000, immutable',
        'let a',
      ],
    ] as const) {
      const answer = await get(path)
      assert.equal(answer.status, 200, path)
      assert.deepEqual(
        [answer.headers['content-type'], answer.headers['cache-control'], answer.text],
        [type, caching, text],
      )
      assert.equal(answer.headers['x-content-type-options'], 'nosniff')
      const again = await get(path, { 'if-none-match': String(answer.headers.etag) })
      assert.deepEqual([again.status, again.text], [304, ''])
    }
    assert.match((await get('/console')).headers['content-security-policy'] ?? '', /default-src 'self'/)
  })

  it('include the favicon', async () => {
    const pages = await startHost({ files: [{ path: '', directory: new URL('../pages/', import.meta.url) }] })
    for (const [path, type] of [
      ['/favicon.ico', 'image/x-icon'],
      ['/favicon.svg', 'image/svg+xml'],
    ] as const) {
      const { status, headers } = await pages.call(`GET ${path}`, { as: null })
      const { etag = '', 'cache-control': caching, 'content-type': found } = headers
      assert.deepEqual([status, found, caching], [200, type, 'no-cache'], path)
      const again = await pages.call(`GET ${path}`, { as: null, headers: { 'if-none-match': String(etag) } })
      assert.deepEqual([again.status, again.text], [304, ''], 'browsers keep it and ask only whether it changed')
    }
    assert.match((await pages.call('GET /', { as: null })).text, /<link rel="icon" href="\/favicon\.svg">/)
  })

  it('are the only files that are served', async () => {
    for (const path of [
      '/console/../package.json',
      '/console/%2e%2e/package.json',
      '/console/assets',
      '/console/none',
      '/consolex',
    ]) {
      assert.equal((await get(path)).status, 404, path)
    }
    assert.equal((await serving.call('POST /console', { as: null })).status, 404)
  })
})
