// Handles the requests of each connection one after the other, so that a client that sends many and reads nothing occupies
// memory for only one answer. Requests that arrive meanwhile are held; after a few, the connection is paused.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Refusals } from './refusals.ts'

/** Held requests of one connection before it is paused. A chunk that was already read may contain a few more. */
const HELD_MAX = 15
/** Held requests of all connections; the connection that exceeds it is closed. */
const HELD_IN_TOTAL_MAX = 5_000

export type Pipeline = {
  handle: RequestListener
  /** Runs `answer` after all earlier requests of the connection are answered. `answer` responds to input that is not a
   *  request and closes the connection. */
  last(socket: Socket, answer: () => void): void
}

type Held = { request: IncomingMessage; response: ServerResponse }
/** `isActive`: `next` runs when the current response is closed. */
type Line = { isActive: boolean; isPaused: boolean; held: Held[]; last: (() => void) | null }
/** Internals of Node: `_httpMessage` is the response being written; `_paused` and `parser` are needed to pause the
 *  connection, which the server would otherwise resume by itself. */
type PipelinedSocket = Socket & {
  [LINE]?: Line
  _httpMessage?: ServerResponse | null
  _paused?: boolean
  parser?: { resume(): void } | null
}
const LINE = Symbol('line')

/** The response that is being written to a socket; null between requests. */
export const responseOn = (socket: Socket): ServerResponse | null => (socket as PipelinedSocket)._httpMessage ?? null

export function openPipeline(handle: RequestListener, refusals: Refusals): Pipeline {
  let heldInTotal = 0

  /** Only for connections with pipelined requests. */
  function lineOf(socket: PipelinedSocket, current: ServerResponse): Line {
    const line = socket[LINE] ?? newLine(socket)
    if (!line.isActive) current.once('close', () => next(socket, line))
    line.isActive = true
    return line
  }

  function newLine(socket: PipelinedSocket): Line {
    const line: Line = { isActive: false, isPaused: false, held: [], last: null }
    socket[LINE] = line
    socket.once('close', () => drop(line))
    return line
  }

  function drop(line: Line): void {
    heldInTotal -= line.held.length
    line.held = []
  }

  function next(socket: PipelinedSocket, line: Line): void {
    // After an answer with `Connection: close` nothing more may be carried out: the client would not learn of it.
    if (socket.destroyed || socket.writableEnded) {
      drop(line)
      return
    }
    const held = line.held.shift()
    if (held) heldInTotal--
    if (line.isPaused && line.held.length === 0) resume(socket, line)
    // What follows an incomplete request is not HTTP.
    if (line.last && !held?.request.complete) {
      drop(line)
      line.last()
    } else if (held) {
      held.response.once('close', () => next(socket, line))
      handle(held.request, held.response)
    } else line.isActive = false
  }

  function hold(socket: PipelinedSocket, line: Line, held: Held): void {
    line.held.push(held)
    heldInTotal++
    if (heldInTotal > HELD_IN_TOTAL_MAX) {
      refusals.count('pipelined_requests')
      socket.destroy()
    } else if (line.held.length >= HELD_MAX) pause(socket, line)
  }

  return {
    handle: (request, response) => {
      // Data after an upgrade request in the same read is lost in Node's parser, so that request is the last one.
      if (request.headers.upgrade !== undefined) response.shouldKeepAlive = false
      // Node gives the socket to a response when all earlier ones are written.
      if (response.socket !== null) return handle(request, response)
      const socket: PipelinedSocket = request.socket
      const current = responseOn(socket)
      if (current && !socket.destroyed) hold(socket, lineOf(socket, current), { request, response })
    },
    last: (socket, answer) => {
      const current = responseOn(socket)
      if (current) lineOf(socket, current).last = answer
      else answer()
    },
  }
}

/** `_paused` is set later: while it is set, Node pauses the parser after a chunk, which then fails on the next record of
 *  the same TLS read. */
function pause(socket: PipelinedSocket, line: Line): void {
  if (line.isPaused) return
  line.isPaused = true
  socket.pause()
  setImmediate(() => {
    if (!line.isPaused) return
    socket._paused = true
    socket.pause()
  })
}

function resume(socket: PipelinedSocket, line: Line): void {
  line.isPaused = false
  socket._paused = false
  socket.parser?.resume()
  socket.resume()
}
