// The model server that all gateways of a benchmark call. The request says how much time is between two chunks of a
// stream.
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { COMPLETION, chunkMsIn, chunksOf } from './model-wire.ts'
import { serve } from './serve.ts'

/** Longer than that of any gateway, so that none of them meets a connection that is being closed. */
const KEEP_ALIVE_MS = 600_000

const completion = Buffer.from(COMPLETION)
const [plain, withUsage] = [false, true].map(asks => chunksOf(asks).map(text => Buffer.from(text)))

serve(async () => {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS, requestTimeout: 0 }, (request, response) => {
    let body = ''
    request.on('data', part => {
      body += part
    })
    request.on('end', () => {
      if (body.includes('"stream":true'))
        stream(response, (body.includes('"include_usage":true') ? withUsage : plain) as Buffer[], chunkMsIn(body))
      else
        response
          .writeHead(200, { 'content-type': 'application/json', 'content-length': completion.length })
          .end(completion)
    })
  })
  await new Promise<void>(listening => server.listen({ port: 0, host: '127.0.0.1', backlog: 1024 }, listening))
  const close = async () => {
    server.closeAllConnections()
    server.close()
  }
  return { port: (server.address() as AddressInfo).port, close }
})

/** Each chunk is written by itself, as a model produces it. */
function stream(response: ServerResponse, chunks: readonly Buffer[], chunkMs: number): void {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
  let next = 0
  const timer = setInterval(() => {
    response.write(chunks[next++])
    if (next === chunks.length) response.end()
  }, chunkMs)
  response.once('close', () => clearInterval(timer))
  response.once('finish', () => clearInterval(timer))
}
