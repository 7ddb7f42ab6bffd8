// One port: TLS for every client, plain HTTP for trusted proxies; plain HTTP from any other address is answered 403.
import {
  createServer as createPlainServer,
  type IncomingMessage,
  type Server as PlainServer,
  type RequestListener,
  STATUS_CODES,
} from 'node:http'
import { createServer as createTlsServer, type Server } from 'node:https'
import { type AddressInfo, type BlockList, Server as NetServer, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { clientNetwork } from '../fair/address.ts'
import { openTurns } from '../fair/turns.ts'
import { Fault } from '../kit/fault.ts'
import type { Connections } from './connections.ts'
import { malformed, methodUnknown, starting } from './faults.ts'
import { openPipeline, responseOn } from './pipeline.ts'
import type { Refusals } from './refusals.ts'
import { isTrusted } from './trusted.ts'

export type ListenerOptions = {
  tls: { key: string; cert: string }
  address: { host: string; port: number }
  /** Addresses of trusted proxies; null when there are none. */
  trusted: BlockList | null
  requestId: () => string
  /** Shared by all ports. */
  connections: Connections
  refusals: Refusals
  /** Overridden by tests only. */
  timeouts?: Partial<typeof TIMEOUTS>
}

/** Called for each fault that was written to the raw socket because Node made no request object. */
type Refused = (requestId: string, fault: Fault, address: string) => void

const TIMEOUTS = {
  /** The time limit for the first byte and for the TLS handshake. */
  handshakeMs: 10_000,
  headersMs: 10_000,
  /** The time limit for the whole request, body included. */
  requestMs: 30_000,
  /** Proxies commonly keep idle connections for a minute. Ours stay open longer, so that the proxy closes first. */
  idleMs: 65_000,
  /** The time limit for the whole answer if the client has ended its side of the connection. A client that left and one
   *  that only stopped sending cannot be told apart until something is written. */
  endedMs: 1_000,
}
export const HEADER_BYTES_MAX = 16 * 1024
const TLS_HANDSHAKE = 22
/** How many TLS handshakes start in one turn of the event loop: each takes up to a millisecond. */
const HANDSHAKES_PER_TURN = 2

export type Listener = {
  port: number
  /** Until this is called, every request is answered 503. */
  serve(handle: RequestListener, refused: Refused): void
  drain(graceMs: number): Promise<void>
}

/** Listens immediately, so that the port number is known. Requests are handled after `serve`. */
export async function openListener(options: ListenerOptions): Promise<Listener> {
  const timeouts = { ...TIMEOUTS, ...options.timeouts }
  const serving: Serving = { ...options, handle: answerStarting(options), refused: () => {} }
  const pipeline = openPipeline((request, response) => {
    if (options.connections.areOthersWaiting(request.socket)) response.shouldKeepAlive = false
    serving.handle(request, response)
  }, options.refusals)
  const { handle } = pipeline
  const refuseLast = (socket: Socket, fault: Fault) => {
    const current = responseOn(socket)
    // The fault is in the current request's body, and nothing else will answer that request.
    if (current && !current.req.complete) refuse(serving, socket, fault)
    else pipeline.last(socket, () => refuse(serving, socket, fault))
  }
  const http = {
    headersTimeout: timeouts.headersMs,
    requestTimeout: timeouts.requestMs,
    keepAliveTimeout: timeouts.idleMs,
    maxHeaderSize: HEADER_BYTES_MAX,
    requireHostHeader: false, // arrival.ts checks it and answers with a regular fault body.
    connectionsCheckingInterval: Math.min(1_000, timeouts.headersMs / 2),
  }
  const tls = { ...options.tls, handshakeTimeout: timeouts.handshakeMs, allowHalfOpen: true }
  const secure = createTlsServer({ ...http, ...tls }, handle)
  const plain = createPlainServer(http, handle)
  plain.emit('listening') // It never listens itself; the event starts its header and request timeouts.
  for (const server of [secure, plain]) {
    server.maxHeadersCount = 0 // Node silently drops headers above a count; maxHeaderSize bounds them instead.
    Object.assign(server, { httpAllowHalfOpen: true }) // Otherwise the answer to a client that sends no more is lost.
    server.on(server === secure ? 'secureConnection' : 'connection', socket => closeEnded(socket, timeouts.endedMs))
    server.on('clientError', (error, socket) => refuseLast(socket as Socket, clientFault(error)))
    server.on('connect', (_request, socket) => refuseLast(socket as Socket, methodUnknown('CONNECT')))
    server.on('checkExpectation', handle) // arrival.ts refuses it.
  }
  acceptTlsOrPlain(secure, plain, serving, timeouts.handshakeMs)
  return {
    port: await listen(secure, options.address.host, options.address.port),
    serve: (listener, refused) => Object.assign(serving, { handle: listener, refused }),
    drain: graceMs => {
      options.connections.stopWaiting()
      return drain([secure, plain], graceMs)
    },
  }
}

type Serving = ListenerOptions & { handle: RequestListener; refused: Refused }

/** Distinguishes TLS from plain HTTP by the first byte of the connection. */
function acceptTlsOrPlain(secure: Server, plain: PlainServer, serving: Serving, handshakeMs: number): void {
  const [acceptTls] = secure.listeners('connection') as ((socket: Socket) => void)[]
  secure.removeAllListeners('connection')
  const handshakes = openTurns(HANDSHAKES_PER_TURN)
  const begin = (socket: Socket) => {
    const timer = setTimeout(() => socket.destroy(), handshakeMs)
    socket.once('close', () => clearTimeout(timer))
    socket.on('error', () => socket.destroy())
    socket.once('readable', () => {
      clearTimeout(timer)
      const head = socket.read() as Buffer | null
      if (!head) return socket.destroy()
      socket.unshift(head)
      if (head[0] === TLS_HANDSHAKE)
        handshakes(clientNetwork(socket.remoteAddress ?? ''), () => socket.destroyed || acceptTls?.call(secure, socket))
      else if (isTrusted(serving.trusted, socket.remoteAddress)) plain.emit('connection', socket)
      else refuse(serving, socket, isForwarded(head) ? untrustedProxy() : httpsRequired())
    })
  }
  secure.on('connection', (socket: Socket) => serving.connections.admit(socket, () => begin(socket)))
}

/** Closes the connection of a client that has probably left, so that no more work is done for it. */
function closeEnded(socket: Socket, endedMs: number): void {
  socket.once('end', () => {
    const timer = setTimeout(() => responseOn(socket)?.writableEnded || socket.destroy(), endedMs)
    socket.once('close', () => clearTimeout(timer))
  })
}

/** Answers 503 during startup, before credentials can be checked. */
function answerStarting({ requestId }: ListenerOptions): RequestListener {
  return (_request, response) => {
    const id = requestId()
    const fault = starting()
    const caching = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff', vary: 'Origin' }
    const head = { 'content-type': 'application/json; charset=utf-8', 'x-request-id': id, ...caching, ...fault.headers }
    response.writeHead(fault.status, head).end(JSON.stringify(fault.body(id)))
  }
}

/** Resolves to the port once the server listens. */
export function listen(server: PlainServer | Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port, backlog: 1024 }, () => resolve((server.address() as AddressInfo).port))
  })
}

/** Stops accepting connections, lets running requests end and closes idle connections. Those stay open for one more
 *  second: a request that is already in transit is answered, with `Connection: close`. */
async function drain(servers: [Server, PlainServer], graceMs: number): Promise<void> {
  const deadline = performance.now() + graceMs
  let open = true
  // The close() of node:https would close idle connections immediately and lose requests in transit.
  NetServer.prototype.close.call(servers[0], () => {
    open = false
  })
  await wait(Math.min(1_000, graceMs))
  while (open && performance.now() < deadline) {
    for (const server of servers) server.closeIdleConnections()
    await wait(20)
  }
  for (const server of servers) server.closeAllConnections()
  for (const server of servers) server.close() // Clears the header and request timeout timers.
}

export const httpsRequired = () =>
  plainHttp('Use https. If a key was sent with this request, it crossed the network unencrypted: replace it.')
export const forwardedProtoRequired = () =>
  plainHttp('The proxy must send `X-Forwarded-Proto: https` with every request that it received over TLS.')
/** The log names the address, which the client must not learn. */
const untrustedProxy = () =>
  plainHttp(
    'A proxy sent this request over plain HTTP, but STOA_TRUST_PROXY does not contain its address. Add it there.',
  )

const plainHttp = (message: string) => new Fault('https_required', { message, headers: { connection: 'close' } })

/** Whether the first bytes of a plain connection look like a request that a proxy received over TLS. */
function isForwarded(head: Buffer): boolean {
  const lines = head.toString('latin1', 0, HEADER_BYTES_MAX).toLowerCase().split('\r\n')
  return lines.some(line => line.startsWith('x-forwarded-proto:') && line.includes('https'))
}

function clientFault(error: NodeJS.ErrnoException): Fault {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return new Fault('headers_too_large', { message: `The headers exceed ${HEADER_BYTES_MAX} bytes.` })
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Fault('request_timeout', { message: 'The request did not arrive in time. Send it again.' })
    default:
      return malformed('This is not a valid HTTP request.', error)
  }
}

/** Sockets whose current request is answered while its body still arrives; nothing more is written to them. */
const answered = new WeakSet<Socket>()

/** How long the rest of an answered request is read and discarded. */
const UNREAD_MS = 5_000

/** Reads and discards the rest of an answered request. Closing immediately would reset the connection, and a client that
 *  writes its whole body before it reads would lose the answer. The socket is closed after a timeout. */
export function discardUnread(request: IncomingMessage): void {
  const { socket } = request
  if (socket.destroyed) return
  answered.add(socket)
  const timer = setTimeout(() => socket.destroy(), UNREAD_MS).unref()
  const stop = () => clearTimeout(timer)
  socket.once('close', stop)
  request.once('end', () => {
    stop()
    socket.off('close', stop) // The connection may have many more requests.
    answered.delete(socket)
  })
  request.resume()
}

/** Writes a fault to the raw socket, where no request object exists, and closes it without cutting the answer off. */
function refuse({ requestId: newId, refused }: Serving, socket: Socket, fault: Fault): void {
  if (answered.has(socket)) return
  answered.add(socket)
  if (responseOn(socket)?.headersSent || !socket.writable) return void socket.destroy()
  const requestId = newId()
  refused(requestId, fault, socket.remoteAddress ?? '')
  const body = JSON.stringify(fault.body(requestId))
  const head = [
    `HTTP/1.1 ${fault.status} ${STATUS_CODES[fault.status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'Cache-Control: no-store',
    'X-Content-Type-Options: nosniff',
    'Vary: Origin',
    'Connection: close',
    ...Object.entries(fault.headers).flatMap(([name, value]) => (name === 'connection' ? [] : [`${name}: ${value}`])),
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
  // Closing while the peer still sends would reset the connection and lose the answer, so read on for up to 2 s.
  socket.resume()
  socket.once('end', () => socket.destroy())
  setTimeout(() => socket.destroy(), 2_000).unref()
}
