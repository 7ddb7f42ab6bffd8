// No text of a client costs more than linear time: long runs of every character that a parser treats specially, in each
// part of a request, cost little more CPU than an ordinary request of the same kind.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { createServer } from 'node:http'
import { type AddressInfo, BlockList } from 'node:net'
import { after, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { connect, type TLSSocket } from 'node:tls'
import { openHttp } from '../../src/engines/http/http.ts'
import { HEADER_BYTES_MAX } from '../../src/host/listener.ts'
import { logInto } from '../../src/host/log.ts'
import { openSite } from '../../src/host/site.ts'
import { openIdentityOrigin } from '../../src/identity/origin.ts'
import { openBounds } from '../../src/kit/tables/bounds.ts'
import { services } from '../../src/services/index.ts'
import { type Case, runCases } from '../cases.ts'
import { CA, startHost, testListener } from '../host.ts'
import { siteDirectory } from '../site.ts'
import { specimen } from '../specimen.ts'

const TIMES_ORDINARY = 10
const TRIES = 20
/** Between tries, longer each time: a busy machine may be slow for seconds. */
const PAUSE_MS = 50
const WARM_UP_RUNS = 50
const ORDINARY_RUNS = 15
const BODY_CHARS = 64 * 1024

const SHAPES = [
  ...[' ', '\t', ',', ';', '"', '\\', '=', '[', '(', '.', '-', '/', '%', '1', 'a'],
  ...['a ', ';=', ',;', 'a=', '%41', '",', 'a/a,', '127.0.0.1,'],
]

type Kind = {
  name: string
  origin: 'api' | 'identity'
  method?: string
  path: string
  headers?: Record<string, string>
  body?: string
}

const upstream = createServer({ maxHeaderSize: 4 * HEADER_BYTES_MAX }, (request, response) => {
  request.resume().on('end', () => response.end('ok'))
})
await new Promise<void>(resolve => upstream.listen(0, '127.0.0.1', resolve))
const trusted = new BlockList()
trusted.addSubnet('127.0.0.0', 8)
const host = await startHost({
  now: 'real',
  services: [...services, specimen],
  trusted,
  http: openHttp({ allow: [] }),
  upstreams: new Map([['search', new URL(`http://127.0.0.1:${(upstream.address() as AddressInfo).port}/`)]]),
  files: [{ path: '/files', directory: new URL('../../deploy/', import.meta.url) }],
  pages: openSite(siteDirectory()),
})
const identityPort = await startIdentityOrigin()
after(() => {
  upstream.closeAllConnections()
  upstream.close()
})

const bearer = { authorization: `Bearer ${host.home.key}` }
const json = { ...bearer, 'content-type': 'application/json' }
const form = { 'content-type': 'application/x-www-form-urlencoded' }
const AUTHORIZE = '/v1/iam/oauth/authorize'

const api = (name: string, path: string, more: Partial<Kind> = {}): Kind => ({ name, origin: 'api', path, ...more })
const identity = (name: string, path: string, more: Partial<Kind> = {}): Kind => ({
  ...{ name, origin: 'identity', path },
  ...more,
})
const read = api('a read with a key', '/v1/projects/none', { headers: bearer })
const anonymous = api('a read without a credential', '/v1/projects/none')
const write = api('a write', '/v1/projects', { method: 'POST', headers: json, body: '{"slug":"A","name":"A"}' })
const creation = api('a creation', '/v1/projects', {
  method: 'POST',
  headers: json,
  body: '{"slug":"linear","name":"A"}',
})
const message = api('a message with a key in its own header', '/v1/messages', {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: '{"model":"none","max_tokens":1,"messages":[]}',
})
const door = api('a tool message', '/v1/mcp', {
  method: 'POST',
  headers: json,
  body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
})
const ingest = api('an event', '/v1/specimen/ingest', {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
})
const event = api('an event', '/v1/event', { method: 'POST', headers: json, body: '{"event":"x","properties":{}}' })
const keyless = api('an event whose key is elsewhere', '/v1/event', {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: '{"event":"x","properties":{}}',
})
const summary = api('a summary', '/v1/billing/usage/summary', { headers: bearer })
const relayed = api('a relayed request', '/v1/search/a', { headers: bearer })
const login = api('a login', '/v1/account/login')
const callback = api('a callback', '/v1/account/callback?code=a&state=1.aaaaaaaaaaaaaaaaaaaaaa')
const file = api('a file', '/files/nginx.conf')
const page = api('a page of the console', '/o/home/keys')
const script = api('a script of the console', '/assets/app-4f3a9c21.js')
const discovery = identity('discovery', '/.well-known/openid-configuration')
const authorize = identity('an authorization request', `${AUTHORIZE}?client_id=none&response_type=code`)
const token = identity('a token request', '/v1/iam/oauth/token', {
  method: 'POST',
  headers: form,
  body: 'grant_type=a',
})
const userinfo = identity('userinfo', '/v1/iam/oauth/userinfo', { headers: { authorization: 'Bearer a.b.c' } })
const logout = identity('a logout', '/v1/iam/oauth/logout')
const signIn = identity('a sign-in', '/sign-in/aaaaaaaaaaaaaaaaaaaaa', {
  method: 'POST',
  headers: form,
  body: 'email=a',
})

/** Every request header that the source or a library of the identity origin reads, and requests for which it is read. */
const HEADERS: Record<string, readonly Kind[]> = {
  accept: [read, summary, authorize, token],
  'accept-encoding': [script],
  'access-control-request-headers': [discovery],
  'access-control-request-method': [discovery, token],
  authorization: [read, token, userinfo],
  connection: [relayed, read],
  'content-encoding': [write],
  'content-length': [discovery],
  'content-type': [write, token, signIn],
  cookie: [anonymous, page, login, callback, relayed, authorize, logout, signIn],
  dpop: [token, userinfo],
  host: [read, discovery],
  expect: [file, discovery],
  upgrade: [read, discovery],
  'if-none-match': [file, page, discovery],
  'oauth-client-attestation': [token],
  'oauth-client-attestation-pop': [token],
  origin: [read, discovery, token],
  referer: [authorize],
  'transfer-encoding': [write, token],
  'user-agent': [authorize],
  'x-api-key': [message],
  'x-csrf-token': [anonymous],
  'x-forwarded-for': [read, discovery, signIn],
  'x-forwarded-host': [authorize],
  'x-forwarded-proto': [read, discovery],
  'idempotency-key': [creation],
  'mcp-method': [door],
  'mcp-name': [door],
  'mcp-protocol-version': [door],
  'x-project-id': [read, relayed],
  'x-webhook-delivery': [event],
  'x-write-key': [keyless],
  dnt: [event],
  'sec-gpc': [event],
  'x-service-ingest-key': [ingest],
}

describe('a long header', () => {
  it('that the source reads is tested here', async () => {
    const names = new Set<string>()
    for await (const file of glob('src/{host,identity,services,kit}/**/*.ts')) {
      if (!file.endsWith('.test.ts')) for (const name of headersReadIn(readFileSync(file, 'utf8'))) names.add(name)
    }
    assert.ok(names.size >= 12)
    assert.deepEqual(
      [...names].filter(name => !(name in HEADERS)),
      [],
    )
  })

  it('costs little more than an ordinary one', async () => {
    const quoted: Part[] = [['a quote in accept', token, text => ({ headers: { accept: `a/a;a="${text}a` } })]]
    await runShapes([
      ...quoted,
      ...Object.entries(HEADERS).flatMap(([name, kinds]) =>
        kinds.map(kind => [`${name} of ${kind.name}`, kind, text => ({ headers: { [name]: `a${text}a` } })] as Part),
      ),
    ])
  })

  it('costs little more than an ordinary one, as a cookie', async () => {
    const names = ['__Host-stoa-session', '__Host-stoa-id-known', '__Host-stoa-id-browser', '_session', '_interaction']
    await runShapes(
      [anonymous, login, authorize, signIn].flatMap(kind => [
        [`the name of a cookie of ${kind.name}`, kind, text => ({ headers: { cookie: `a${text}a=1` } })] as Part,
        ...names.map(
          name => [`${name} of ${kind.name}`, kind, text => ({ headers: { cookie: `${name}=a${text}a` } })] as Part,
        ),
      ]),
    )
  })
})

describe('many headers', () => {
  it('cost little more than an ordinary request', async () => {
    const lines = ['x-org: 1', 'a: 1', 'cookie: a', 'x-forwarded-for: 127.0.0.1', 'connection: a', 'accept: a/a']
    const parts = lines.flatMap(line =>
      [read, relayed, discovery, token].map((kind): Part => {
        const repeated = (text: string) => `\r\n${line}`.repeat(Math.floor(text.length / (line.length + 2)))
        return [`${line} of ${kind.name}`, kind, text => ({ headers: { 'x-first': `1${repeated(text)}` } })]
      }),
    )
    await runShapes(parts, ['a'])
  })
})

describe('a long target', () => {
  it('costs little more than an ordinary one', async () => {
    await runShapes(
      [read, relayed, login, file, discovery, authorize].flatMap((kind): Part[] => {
        const path = kind.path.split('?', 1)[0]
        return [
          [`the path of ${kind.name}`, kind, text => ({ path: `${path}/a${text}a` })],
          [`the name of a parameter of ${kind.name}`, kind, text => ({ path: `${path}?a${text}a=1` })],
          [`the value of a parameter of ${kind.name}`, kind, text => ({ path: `${path}?to=a${text}a` })],
          [`the query of ${kind.name}`, kind, text => ({ path: `${path}?a${text.replaceAll(';', '&')}a` })],
        ]
      }),
    )
  })
})

describe('a long text in a body', () => {
  it('costs little more than an ordinary one', async () => {
    const member = api('a new member', '/v1/iam/members', { method: 'POST', headers: json, body: '{"email":"A"}' })
    const path = '/v1/projects/none/domains'
    const domain = api('a new domain', path, { method: 'POST', headers: json, body: '{"host":"a b"}' })
    const withField = (kind: Kind, name: string, others: object = {}): Part => [
      `${name} of ${kind.name}`,
      kind,
      text => ({ body: JSON.stringify({ ...others, [name]: `a${text}a` }) }),
      BODY_CHARS,
    ]
    await runShapes([
      withField(write, 'slug', { name: 'A' }),
      withField(write, 'name', { slug: 'A' }),
      withField(member, 'email', { role: 'member' }),
      withField(domain, 'host'),
      ['the code of a token request', token, text => ({ body: `code=a${text}a` }), BODY_CHARS / 2],
      ['the fields of a token request', token, text => ({ body: `a${text.replaceAll(';', '&')}` }), BODY_CHARS / 2],
      ['the e-mail address of a sign-in', signIn, text => ({ body: `email=a${text}a` }), 8_000],
    ])
  })
})

/** A part of a request: its name, the request, how a text is put into it, and the length of the text. */
type Part = readonly [name: string, kind: Kind, place: (text: string) => Partial<Kind>, chars?: number]

async function runShapes(parts: readonly Part[], shapes = SHAPES): Promise<void> {
  const cases = parts.flatMap(([name, kind, place, chars]) =>
    shapes.map((shape): Case => {
      const run = async () => {
        const bound = TIMES_ORDINARY * (await ordinaryUs(kind))
        const room = chars ?? HEADER_BYTES_MAX - textOf(changed(kind, place(''))).length - 200
        const text = textOf(changed(kind, place(shape.repeat(Math.floor(room / shape.length)))))
        let least = Number.POSITIVE_INFINITY
        for (let tries = 0; tries < TRIES && least > bound; tries++) {
          const { us, status } = await measure(kind, text)
          assert.ok(status !== 431 && status !== 429 && status < 500, `answered ${status}`)
          least = Math.min(least, us)
          if (least > bound) await wait(PAUSE_MS * tries)
        }
        assert.ok(least <= bound, `took ${least} us; an ordinary request takes ${bound / TIMES_ORDINARY} us`)
      }
      return [`${JSON.stringify(shape)} in ${name}`, run]
    }),
  )
  await runCases(cases)
}

const changed = (kind: Kind, more: Partial<Kind>): Kind => ({
  ...kind,
  ...more,
  headers: { ...kind.headers, ...more.headers },
})

const ordinary = new Map<Kind, Promise<number>>()

/** The median, once the code is compiled. */
function ordinaryUs(kind: Kind): Promise<number> {
  const measured = async () => {
    const all: number[] = []
    for (let n = 0; n < WARM_UP_RUNS; n++) await measure(kind, textOf(kind))
    for (let n = 0; n < ORDINARY_RUNS; n++) all.push((await measure(kind, textOf(kind))).us)
    return all.sort((a, b) => a - b)[Math.floor(ORDINARY_RUNS / 2)] as number
  }
  const known = ordinary.get(kind) ?? measured()
  ordinary.set(kind, known)
  return known
}

function textOf({ origin, method = 'GET', path, headers = {}, body }: Kind): string {
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  const all = { host: `localhost:${origin === 'api' ? host.port : identityPort}`, ...length, ...headers }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`
}

/** The CPU time of this process, in which client and host both run, for one request. */
async function measure({ origin }: Kind, text: string): Promise<{ us: number; status: number }> {
  const socket = await connectionTo(origin === 'api' ? host.port : identityPort)
  const before = process.cpuUsage()
  const status = await answerTo(socket, text)
  const { user, system } = process.cpuUsage(before)
  return { us: user + system, status }
}

const connections = new Map<number, TLSSocket>()

/** The kept-alive connection, or a new one. */
async function connectionTo(port: number): Promise<TLSSocket> {
  const known = connections.get(port)
  if (known && !known.destroyed && known.writable && known.readable) return known
  const socket = connect({ port, host: '127.0.0.1', servername: 'localhost', ca: CA() })
  socket.on('error', () => {})
  await new Promise(resolve => socket.once('secureConnect', resolve))
  connections.set(port, socket)
  return socket
}

after(() => {
  for (const socket of connections.values()) socket.destroy()
})

/** The status of the response, when all of it has arrived or the connection was closed. */
function answerTo(socket: TLSSocket, text: string): Promise<number> {
  return new Promise(resolve => {
    let received = ''
    const done = () => {
      socket.off('data', read).off('close', done)
      if (/^connection: close\r$/im.test(received)) socket.destroy()
      resolve(Number(received.split(' ', 2)[1]))
    }
    const read = (part: Buffer) => {
      received += part.toString('latin1')
      if (isWhole(received)) done()
    }
    socket.on('data', read).on('close', done).write(text)
  })
}

function isWhole(received: string): boolean {
  const end = received.indexOf('\r\n\r\n')
  if (end < 0) return false
  const head = received.slice(0, end)
  const length = head.match(/^content-length: (\d+)$/im)?.[1]
  if (length !== undefined) return received.length >= end + 4 + Number(length)
  return /^transfer-encoding: chunked$/im.test(head) ? received.endsWith('\r\n0\r\n\r\n') : true
}

/** The names in `headers.name`, `headers['name']` and `{ name } = request.headers`; a variable by its own name. */
/** Constants that the source reads headers with. */
const NAMED: Record<string, string> = {
  INGEST_HEADER: 'x-service-ingest-key',
  IDEMPOTENCY_HEADER: 'idempotency-key',
  keyHeader: 'x-api-key',
}

function headersReadIn(text: string): string[] {
  const members = [...text.matchAll(/(?<!-|fault\.|file\.|answer\.|response\.)\bheaders(?:\.(\w+)|\[('?[\w-]+'?)\])/g)]
  const taken = [...text.matchAll(/\{([^{}]*)\} = (?:request\.)?headers\b/g)].flatMap(([, names = '']) =>
    names.split(',').map(name => name.trim().split(':', 1)[0] as string),
  )
  return [...members.map(([, name, computed]) => name ?? (computed as string)), ...taken]
    .map(name => NAMED[name] ?? name.replaceAll("'", ''))
    .filter(name => name !== '' && !['name', 'push', 'map'].includes(name))
}

async function startIdentityOrigin(): Promise<number> {
  const log = logInto('info', host.clock, { write: () => {} })
  const opened = await testListener(log, { trusted })
  const issuer = `https://localhost:${opened.listener.port}`
  const origin = await openIdentityOrigin({
    ...opened,
    engines: host.engines,
    audience: host.baseUrl,
    log,
    issuers: new Map([['default', issuer]]),
    configured: new Map(),
    ownOrigins: [issuer],
    startsPerMinute: 1_000_000,
    bounds: openBounds(host.clock, { STOA_MEMBERS_MAX: 1_000 }),
  })
  host.acceptSignIns(origin)
  origin.serve({ isVerified: async () => false, isDisposable: async () => null, requests: host.requests })
  after(() => origin.drain(0))
  return opened.listener.port
}
