// A webhook endpoint on 127.0.0.1 over TLS that answers as set by a test.
import { readFileSync } from 'node:fs'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type ServerOptions } from 'node:https'
import { type AddressInfo, createServer as createPlainServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

export type Delivered = { path: string; headers: IncomingHttpHeaders; body: string }
export type Answering = (response: ServerResponse, delivered: Delivered, request: IncomingMessage) => void

/** `answer` is what the next deliveries get. */
export async function startReceiver(options: ServerOptions = {}, address = '127.0.0.1') {
  const pem = readFileSync(join(process.env.STOA_TEST_TLS as string, 'server.pem'))
  const received: Delivered[] = []
  const state: { answer: Answering } = { answer: response => void response.end('thanks') }
  const server = createServer({ key: pem, cert: pem, ...options }, async (request, response) => {
    const one = { path: request.url ?? '', headers: request.headers, body: await text(request).catch(() => '') }
    received.push(one)
    state.answer(response, one, request)
  })
  server.on('clientError', (_error, socket) => socket.destroy())
  // A TLS connection cannot be reset, only the one below it.
  const below = new Map<number | undefined, Socket>()
  const listener = createPlainServer(socket => {
    below.set(socket.remotePort, socket)
    socket.on('error', () => {}).once('close', () => below.delete(socket.remotePort))
    server.emit('connection', socket)
  })
  await new Promise<void>(resolve => listener.listen(0, address, resolve))
  const { port } = listener.address() as AddressInfo
  const close = () => {
    for (const socket of below.values()) socket.destroy()
    listener.close()
  }
  return {
    url: `https://127.0.0.1:${port}`,
    port,
    /** A test may empty it. */
    received,
    state,
    /** How many connections are open. */
    connections: () => below.size,
    /** Resets the connection of a request, or all. */
    reset: (request?: IncomingMessage) => {
      const sockets = request ? [below.get(request.socket.remotePort)] : [...below.values()]
      for (const socket of sockets) socket?.resetAndDestroy()
    },
    close,
  }
}
