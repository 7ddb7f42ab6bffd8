// Reads posted forms and sends HTML pages.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { contentPolicy } from './pages.ts'

const BODY_BYTES_MAX = 8 * 1024

/** Null if the body is not a form or too long. The rest of a body that is too long is not read: the connection is
 *  closed  after the response. */
export async function readForm(request: IncomingMessage, response: ServerResponse): Promise<URLSearchParams | null> {
  if (!request.headers['content-type']?.startsWith('application/x-www-form-urlencoded')) return null
  const parts: Buffer[] = []
  let size = 0
  for await (const part of request) {
    size += (part as Buffer).length
    if (size > BODY_BYTES_MAX) {
      response.setHeader('connection', 'close')
      return null
    }
    parts.push(part as Buffer)
  }
  return new URLSearchParams(Buffer.concat(parts).toString('utf8'))
}

export function show(
  response: ServerResponse,
  status: number,
  page: string,
  formTarget?: string,
  styleHash: string | null = null,
): void {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': contentPolicy(formTarget, styleHash),
    'content-length': Buffer.byteLength(page),
  })
  response.end(page)
}
