// The minimum that forwards a stream: node:http, undici and a pipe. Its argument is the URL of the model server.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { Agent, request as send } from 'undici'
import { serve } from './serve.ts'

const KEEP_ALIVE_MS = 65_000

serve(async () => {
  const upstream = process.argv[2] as string
  const dispatcher = new Agent()
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, async (request, response) => {
    try {
      const { 'content-type': type, 'content-length': length, authorization } = request.headers
      const answer = await send(upstream + request.url, {
        dispatcher,
        method: 'POST',
        headers: { 'content-type': type, 'content-length': length, authorization },
        body: request,
      })
      response.writeHead(answer.statusCode, { 'content-type': answer.headers['content-type'] as string })
      await pipeline(answer.body, response)
    } catch {
      response.destroy()
    }
  })
  await new Promise<void>(listening => server.listen({ port: 0, host: '127.0.0.1', backlog: 1024 }, listening))
  const close = async () => {
    server.closeAllConnections()
    server.close()
    await dispatcher.destroy()
  }
  return { port: (server.address() as AddressInfo).port, close }
})
