// A server that fails as networks, proxies and overloaded hosts do. The first segment of a URL names the run, whose
// requests it records, the second one the scenario; the rest is the path of an operation.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { after } from 'node:test'

export type Recorded = {
  method: string
  path: string
  headers: Record<string, string>
  body: string
  atMs: number
  /** Whether the client closed the connection before the answer was complete. */
  wasLeft: boolean
}

type Step = (response: ServerResponse) => void

const PROJECT = { slug: 'web-shop', name: 'Web shop', created: '2026-11-15T09:00:00.000Z', updated: '' }
const PAGE = '<!doctype html><title>Bad gateway</title>'

/** Without reuse, a request that fails was sent once: Chromium repeats those that fail on a reused connection. */
const CLOSE = { connection: 'close' }

const json =
  (status: number, value: unknown, headers: Record<string, string> = {}): Step =>
  response =>
    response.writeHead(status, { ...CLOSE, 'content-type': 'application/json', ...headers }).end(JSON.stringify(value))

const fault = (status: number, code: string, type: string, headers: Record<string, string> = {}): Step =>
  json(status, { error: { code, message: `${code}.`, type, param: null, request_id: 'req_1' } }, headers)

const html =
  (status: number): Step =>
  response =>
    response.writeHead(status, { ...CLOSE, 'content-type': 'text/html', 'x-request-id': 'req_2' }).end(PAGE)

const ok = json(200, PROJECT)
const receipt = json(200, { accepted: 2, dropped: 0 })
const created = json(201, PROJECT)
const overloaded = fault(503, 'overloaded', 'api_error')
const never: Step = () => {}
const reset: Step = response => response.socket?.resetAndDestroy()

/** Announces more than it sends. */
const cut: Step = response => {
  response.writeHead(200, { ...CLOSE, 'content-type': 'application/json', 'content-length': '1000' })
  response.write('{"slug":', () => response.socket?.destroy())
}

/** Breaks off a body of unknown length, which Node 20 takes for its end. */
const cutChunks: Step = response => {
  slowBody(response)
  setTimeout(() => response.socket?.destroy(), 100)
}

const slowBody: Step = response => {
  response.writeHead(200, { ...CLOSE, 'content-type': 'application/json' })
  response.write('{"slug":')
}

const stream =
  (body: string, end: (response: ServerResponse) => void): Step =>
  response => {
    response.writeHead(200, { ...CLOSE, 'content-type': 'text/event-stream; charset=utf-8' })
    response.write(body, () => end(response))
  }

/** The answers to consecutive requests; the last one to all further requests. */
const SCENARIOS: Record<string, Step[]> = {
  ok: [ok],
  created: [created],
  page: [html(200)],
  'page-502': [html(502), ok],
  'page-404': [html(404)],
  'other-json': [json(502, { message: 'upstream' })],
  never: [never],
  'slow-body': [slowBody],
  cut: [cut],
  'cut-once': [cut, ok],
  'cut-chunks-once': [cutChunks, ok],
  'reset-once': [reset, ok],
  'lost-once': [reset, created],
  'overloaded-once': [overloaded, ok],
  'timeout-once': [fault(408, 'request_timeout', 'invalid_request_error'), ok],
  'gateway-timeout-once': [html(504), ok],
  overloaded: [overloaded],
  conflict: [fault(409, 'conflict', 'conflict_error')],
  internal: [fault(500, 'internal', 'api_error')],
  budget: [fault(402, 'key_budget', 'budget_error')],
  unknown: [fault(418, 'teapot', 'teapot_error')],
  'type-constructor': [fault(418, 'teapot', 'constructor')],
  'type-proto': [fault(418, 'teapot', '__proto__')],
  'no-items': [json(200, { data: {}, next: '' })],
  'no-cursor': [json(200, { data: [PROJECT], next: null })],
  'same-cursor': [json(200, { data: [PROJECT], next: 'a' })],
  'cursors-in-turn': ['a', 'b', 'a'].map(next => json(200, { data: [PROJECT], next })),
  'wait-1': [fault(429, 'key_rate', 'rate_limit_error', { 'retry-after': '1' }), ok],
  'wait-page-1': [response => response.writeHead(503, { ...CLOSE, 'retry-after': '1' }).end(PAGE), ok],
  'wait-3600': [fault(429, 'key_rate', 'rate_limit_error', { 'retry-after': '3600' })],
  'wait-month': [fault(429, 'key_rate', 'rate_limit_error', { 'retry-after': '2592001' })],
  'wait-date': [
    response => {
      const date = new Date(Date.now() + 3_600_000).toUTCString()
      fault(503, 'overloaded', 'api_error', { 'retry-after': date })(response)
    },
  ],
  redirect: [response => response.writeHead(302, { ...CLOSE, location: '/elsewhere' }).end()],
  'redirect-then-ok': [response => response.writeHead(303, { ...CLOSE, location: 'elsewhere' }).end('Elsewhere'), ok],
  events: [stream('\uFEFFid: 1\nevent: tick\ndata: {"n":\ndata: 1}\n\ndata: {"n":2}\n\n', response => response.end())],
  'cut-events': [
    stream('data: {"n":1}\n\ndata: {"n":', response => {
      // Chromium may drop what arrives together with the failure.
      setTimeout(() => response.socket?.destroy(), 200)
    }),
  ],
  'endless-events': [stream('data: {"n":1}\n\ndata: {"n":2}\n\n', () => {})],
  'receipt-late': [reset, cut, overloaded, fault(500, 'internal', 'api_error'), receipt],
  'receipt-wait-1': [fault(429, 'ingest_rate', 'rate_limit_error', { 'retry-after': '1' }), receipt],
  'receipt-partial': [json(200, { accepted: 1, dropped: 1, errors: [{ index: 1, reason: 'id_too_long' }] })],
  'receipt-privacy': [json(200, { accepted: 0, dropped: 2, reason: 'privacy' })],
  'receipt-foreign': [json(200, { success: true })],
  'unroutable-once': [fault(400, 'unroutable_events', 'invalid_request_error'), receipt],
  'events-forbidden-once': [fault(403, 'insufficient_capability', 'permission_error'), receipt],
  'key-unknown': [fault(403, 'ingest_key_unknown', 'permission_error')],
  'key-revoked': [fault(401, 'key_revoked', 'authentication_error')],
  'bad-events': [stream('data: {"n":\n\n', response => response.end())],
}

export async function startUnreliable(): Promise<string> {
  const runs = new Map<string, Recorded[]>()
  const server = createServer((request, response) => void answer(request, response, runs))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function answer(request: IncomingMessage, response: ServerResponse, runs: Map<string, Recorded[]>) {
  response.on('error', () => {}) // A connection that a scenario destroyed.
  const { method = '', url = '', headers } = request
  const [, run = '', scenario = '', ...rest] = url.split('/')
  response.setHeader('access-control-allow-origin', '*')
  response.setHeader('access-control-expose-headers', '*')
  if (method === 'OPTIONS') {
    response.setHeader('access-control-allow-methods', 'GET, POST, PUT, PATCH, DELETE')
    response.setHeader('access-control-allow-headers', headers['access-control-request-headers'] ?? '')
    return response.writeHead(204).end()
  }
  const recorded = runs.get(run) ?? []
  if (scenario === 'recorded') return json(200, recorded)(response)
  const path = `/${rest.join('/')}`
  const entry = { method, path, headers: headers as Record<string, string>, body: '', atMs: Date.now(), wasLeft: false }
  runs.set(run, [...recorded, entry])
  response.on('close', () => {
    entry.wasLeft = !response.writableFinished
  })
  entry.body = await text(request)
  const steps = SCENARIOS[scenario] ?? [never]
  steps[Math.min(recorded.length, steps.length - 1)]?.(response)
}
