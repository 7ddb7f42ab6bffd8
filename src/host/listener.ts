// One port: TLS for everybody; plain HTTP for the proxies we trust, and a 403 for everybody else.
import {
  createServer as createPlainServer,
  type IncomingMessage,
  type Server as PlainServer,
  type RequestListener,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http'
import { createServer as createTlsServer, type Server } from 'node:https'
import { type AddressInfo, type BlockList, isIPv6, Server as NetServer, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { Fault } from '../kit/fault.ts'
import { malformed, methodUnknown, starting } from './faults.ts'

export type ListenerOptions = {
  tls: { key: string; cert: string }
  address: { host: string; port: number }
  /** The proxies that are believed; null when there are none. */
  trusted: BlockList | null
  requestId: () => string
  /** Shortened by tests; a person never waits for these. */
  timeouts?: Partial<typeof TIMEOUTS>
}

/** Called for each answer that was given on a bare socket, where no request came to be. */
type Refused = (requestId: string, status: number, address: string) => void

const TIMEOUTS = {
  /** To the first byte, and for the TLS handshake. */
  handshakeMs: 10_000,
  headersMs: 10_000,
  /** For the whole request, body included. */
  requestMs: 30_000,
  /** Longer than the minute for which proxies commonly keep a connection, so that they close it and not we. */
  idleMs: 65_000,
}
export const HEADER_BYTES_MAX = 16 * 1024
const TLS_HANDSHAKE = 22

export type Listener = {
  port: number
  /** Until this is called, every request is answered 503. */
  serve(handle: RequestListener, refused: Refused): void
  drain(graceMs: number): Promise<void>
}

/** A port that accepts connections at once, so that whoever needs to know its number does, and serves later. */
export async function openListener(options: ListenerOptions): Promise<Listener> {
  const timeouts = { ...TIMEOUTS, ...options.timeouts }
  const serving: Serving = { ...options, handle: answerStarting(options), refused: () => {} }
  const handle: RequestListener = (request, response) => serving.handle(request, response)
  const http = {
    headersTimeout: timeouts.headersMs,
    requestTimeout: timeouts.requestMs,
    keepAliveTimeout: timeouts.idleMs,
    maxHeaderSize: HEADER_BYTES_MAX,
    requireHostHeader: false, // Checked in arrival.ts, and answered in the one fault shape.
    connectionsCheckingInterval: Math.min(1_000, timeouts.headersMs / 2),
  }
  const secure = createTlsServer({ ...http, ...options.tls, handshakeTimeout: timeouts.handshakeMs }, handle)
  const plain = createPlainServer(http, handle)
  plain.emit('listening') // It never listens itself, but this is what arms its header and request timeouts.
  for (const server of [secure, plain]) {
    server.maxHeadersCount = 0 // Node would drop the rest without a word; their size is bounded above.
    server.on('clientError', (error, socket) => refuse(serving, socket as Socket, clientFault(error)))
    server.on('connect', (_request, socket) => refuse(serving, socket as Socket, methodUnknown('CONNECT')))
    server.on('checkExpectation', request => refuse(serving, request.socket, expectationFailed()))
  }
  acceptEither(secure, plain, serving, timeouts.handshakeMs)
  return {
    port: await listen(secure, options.address.host, options.address.port),
    serve: (answering, refused) => Object.assign(serving, { handle: answering, refused }),
    drain: graceMs => drain([secure, plain], graceMs),
  }
}

type Serving = ListenerOptions & { handle: RequestListener; refused: Refused }

/** The first byte of a connection tells which protocol it speaks. */
function acceptEither(secure: Server, plain: PlainServer, serving: Serving, handshakeMs: number): void {
  const [acceptTls] = secure.listeners('connection') as ((socket: Socket) => void)[]
  secure.removeAllListeners('connection')
  secure.on('connection', (socket: Socket) => {
    const timer = setTimeout(() => socket.destroy(), handshakeMs)
    socket.once('close', () => clearTimeout(timer))
    socket.on('error', () => socket.destroy())
    socket.once('readable', () => {
      clearTimeout(timer)
      const first = socket.read(1) as Buffer | null
      if (!first) return socket.destroy()
      socket.unshift(first)
      if (first[0] === TLS_HANDSHAKE) acceptTls?.call(secure, socket)
      else if (isTrusted(serving.trusted, socket.remoteAddress)) plain.emit('connection', socket)
      else refuse(serving, socket, httpsRequired())
    })
  })
}

/** What is answered until everything is open: never a 401 for a credential that is good. */
function answerStarting({ requestId }: ListenerOptions): RequestListener {
  return (_request, response) => {
    const id = requestId()
    const fault = starting()
    const caching = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff', vary: 'Origin' }
    const head = { 'content-type': 'application/json; charset=utf-8', 'x-request-id': id, ...caching, ...fault.headers }
    response.writeHead(fault.status, head).end(JSON.stringify(fault.body(id)))
  }
}

/** Answers the port, once it listens. */
export function listen(server: PlainServer | Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port, backlog: 1024 }, () => resolve((server.address() as AddressInfo).port))
  })
}

/** Stops accepting, lets running requests end, then closes what is idle. A client that was about to use its connection
 *  gets a second in which the answer still comes, and tells it to close. */
async function drain(servers: [Server, PlainServer], graceMs: number): Promise<void> {
  const deadline = performance.now() + graceMs
  let open = true
  // Not https's own close(): that drops idle connections at once, and with them requests already on their way.
  NetServer.prototype.close.call(servers[0], () => {
    open = false
  })
  await wait(Math.min(1_000, graceMs))
  while (open && performance.now() < deadline) {
    for (const server of servers) server.closeIdleConnections()
    await wait(20)
  }
  for (const server of servers) server.closeAllConnections()
  for (const server of servers) server.close() // Clears the timers that watch for slow requests.
}

export const httpsRequired = () =>
  new Fault('https_required', {
    message: 'Use https. If a key was sent with this request, it crossed the network unencrypted: replace it.',
    headers: { connection: 'close' },
  })

export function isTrusted(trusted: BlockList | null, address: string | undefined): boolean {
  return trusted !== null && address !== undefined && trusted.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}

function clientFault(error: NodeJS.ErrnoException): Fault {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return new Fault('headers_too_large', { message: `Headers may take ${HEADER_BYTES_MAX} bytes together.` })
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Fault('request_timeout', { message: 'The request did not arrive whole in time. Send it again.' })
    default:
      return malformed('This is not a valid HTTP request.', error)
  }
}

const expectationFailed = () =>
  new Fault('expectation_failed', { message: 'The only expectation met here is 100-continue.' })

/** Sockets on which the request under way has had its answer, while more of it still arrives: nothing else is answered. */
const answered = new WeakSet<Socket>()

/** How long what still arrives of an answered request is let pass. */
const UNREAD_MS = 5_000

/** Lets the rest of a request that was answered pass. Closing at once would reset the connection and lose the answer for a
 *  client that writes before it reads; a client that never ends is closed. */
export function passUnread(request: IncomingMessage): void {
  const { socket } = request
  if (socket.destroyed) return
  answered.add(socket)
  const timer = setTimeout(() => socket.destroy(), UNREAD_MS).unref()
  socket.once('close', () => clearTimeout(timer))
  request.once('end', () => {
    clearTimeout(timer)
    answered.delete(socket)
  })
  request.resume()
}

/** The answer that is under way on a socket. */
const answerOn = (socket: Socket) => (socket as Socket & { _httpMessage?: ServerResponse | null })._httpMessage

/** Answers on a bare socket, where no request object exists, and closes it without cutting the answer off. */
function refuse({ requestId: newId, refused }: Serving, socket: Socket, fault: Fault): void {
  if (answered.has(socket)) return
  answered.add(socket)
  const underWay = answerOn(socket)
  // To an earlier request: what came behind that is told by closing after it.
  if (underWay?.req.complete) return void underWay.once('close', () => socket.destroy())
  if (underWay?.headersSent) return void socket.destroy()
  if (!socket.writable) return void socket.destroy()
  const requestId = newId()
  refused(requestId, fault.status, socket.remoteAddress ?? '')
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
  // Closing while the peer still sends would reset the connection and lose the answer, so read to its end, briefly.
  socket.resume()
  socket.once('end', () => socket.destroy())
  setTimeout(() => socket.destroy(), 2_000).unref()
}
