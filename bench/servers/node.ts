// The baseline: node:https alone, with everything written by hand for this one route.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { COLOURS, COUNT_MAX, contentHeaders, ECHO_PATH, NAME_LENGTH_MAX, type Order, receiptFor } from './echo.ts'
import { serve } from './serve.ts'

/** The same as the host's, so that the load's connections stay open between rounds. */
const KEEP_ALIVE_MS = 65_000

serve(async pem => {
  const server = createServer({ key: pem, cert: pem, keepAliveTimeout: KEEP_ALIVE_MS }, answer)
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => void server.close(),
  }
})

function answer(request: IncomingMessage, response: ServerResponse): void {
  if (request.method !== 'POST' || request.url !== ECHO_PATH) return void response.writeHead(404).end()
  const chunks: Buffer[] = []
  request.on('data', chunk => chunks.push(chunk))
  request.on('end', () => {
    const order = orderIn(chunks.length === 1 ? String(chunks[0]) : Buffer.concat(chunks).toString())
    if (!order) return void response.writeHead(400).end()
    const text = JSON.stringify(receiptFor(order))
    response.writeHead(200, contentHeaders(text)).end(text)
  })
}

function orderIn(text: string): Order | null {
  try {
    const body = JSON.parse(text) as unknown
    return isOrder(body) ? body : null
  } catch {
    return null
  }
}

function isOrder(body: unknown): body is Order {
  if (typeof body !== 'object' || body === null || Object.keys(body).length !== 5) return false
  const { name, count, price, express, colour } = body as Record<string, unknown>
  return (
    typeof name === 'string' &&
    name.length <= NAME_LENGTH_MAX &&
    Number.isInteger(count) &&
    (count as number) >= 1 &&
    (count as number) <= COUNT_MAX &&
    typeof price === 'number' &&
    price >= 0 &&
    typeof express === 'boolean' &&
    COLOURS.includes(colour as Order['colour'])
  )
}
