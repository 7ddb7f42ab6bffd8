// The endpoint of all webhooks of a benchmark. It answers a POST immediately, unless its path is HANGING. With GET, the
// benchmark queries what has arrived.
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { serve } from './serve.ts'
import { type Answers, COUNTED, HANGING, monotonicMs } from './webhook-wire.ts'

/** Longer than a run, so that no client uses a connection that is being closed. */
const KEEP_ALIVE_MS = 600_000
const ANSWER = Buffer.from('{"received":true}')
const HEAD = { 'content-type': 'application/json', 'content-length': ANSWER.length }
const NUMBER = /"n":(\d+)/

const state = {
  ...{ count: 0, firstMs: 0, lastMs: 0, connections: 0 },
  last: { headers: {} as IncomingHttpHeaders, body: Buffer.alloc(0) as Buffer },
  counted: [] as Answers['/counted'],
  hanging: new Set<IncomingMessage>(),
  waiting: [] as { count: number; resolve: () => void }[],
}

function receive(request: IncomingMessage, body: Buffer): void {
  state.lastMs = monotonicMs()
  state.count++
  if (state.count === 1) state.firstMs = state.lastMs
  state.last = { headers: request.headers, body }
  if (request.url === COUNTED) state.counted.push({ n: Number(NUMBER.exec(body.toString())?.[1]), atMs: state.lastMs })
  while (state.waiting[0] && state.waiting[0].count <= state.count) state.waiting.shift()?.resolve()
}

const questions: { [Path in keyof Answers]: (query: URLSearchParams) => Answers[Path] | Promise<Answers[Path]> } = {
  '/reset': () => {
    Object.assign(state, { count: 0, counted: [], waiting: [] })
    return {}
  },
  '/arrived': async query => {
    const count = Number(query.get('count'))
    if (state.count < count) await new Promise<void>(resolve => state.waiting.push({ count, resolve }))
    return { firstMs: state.firstMs, lastMs: state.lastMs, connections: state.connections }
  },
  '/last': () => ({ headers: state.last.headers, body: state.last.body.toString() }),
  '/counted': () => state.counted,
  '/release': () => {
    for (const request of state.hanging) request.destroy()
    return {}
  },
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url as string, 'https://localhost')
  response.end(JSON.stringify(await questions[pathname as keyof Answers](searchParams)))
}

serve(async pem => {
  const options = { key: pem, cert: pem, keepAliveTimeout: KEEP_ALIVE_MS, requestTimeout: 0 }
  const server = createServer(options, (request, response) => {
    if (request.method === 'GET') return void answer(request, response)
    const parts: Buffer[] = []
    request.on('data', part => parts.push(part))
    request.on('end', () => {
      if (request.url === HANGING) {
        state.hanging.add(request)
        request.once('close', () => state.hanging.delete(request))
      } else {
        receive(request, parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts))
        response.writeHead(200, HEAD).end(ANSWER)
      }
    })
  })
  server.on('secureConnection', () => state.connections++)
  await new Promise<void>(listening => server.listen({ port: 0, host: '127.0.0.1', backlog: 1024 }, listening))
  const close = async () => {
    server.closeAllConnections()
    server.close()
  }
  return { port: (server.address() as AddressInfo).port, close }
})
