// HTTP to a handler of this very process, over a pair of streams instead of a socket.
import { createServer, type RequestListener, request } from 'node:http'
import type { Socket } from 'node:net'
import { duplexPair } from 'node:stream'
import { text } from 'node:stream/consumers'

/** Posts a form, and answers what the handler does. */
export function formPoster(handle: RequestListener) {
  const server = createServer(handle)
  return async (path: string, form: Record<string, string>): Promise<{ status: number; text: string }> => {
    const [ours, theirs] = duplexPair()
    server.emit('connection', theirs)
    const body = new URLSearchParams(form).toString()
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': Buffer.byteLength(body),
      connection: 'close',
    }
    const answer = await new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
      const asked = request({ method: 'POST', path, headers, createConnection: () => ours as Socket }, resolve)
      asked.on('error', reject)
      asked.end(body)
    })
    return { status: answer.statusCode ?? 0, text: await text(answer) }
  }
}
