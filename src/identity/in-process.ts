// HTTP requests to a handler in the same process, over a pair of streams instead of a socket.
import { createServer, type IncomingMessage, type RequestListener, request } from 'node:http'
import type { Socket } from 'node:net'
import { duplexPair } from 'node:stream'
import { text } from 'node:stream/consumers'

/** Returns a function that posts a form to the handler and returns its response. */
export function formPoster(handle: RequestListener) {
  const server = createServer(handle)
  return async (path: string, form: Record<string, string>): Promise<{ status: number; text: string }> => {
    const [clientSide, serverSide] = duplexPair()
    server.emit('connection', serverSide)
    const body = new URLSearchParams(form).toString()
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': Buffer.byteLength(body),
      connection: 'close',
    }
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const post = request({ method: 'POST', path, headers, createConnection: () => clientSide as Socket }, resolve)
      post.on('error', reject)
      post.end(body)
    })
    return { status: response.statusCode ?? 0, text: await text(response) }
  }
}
