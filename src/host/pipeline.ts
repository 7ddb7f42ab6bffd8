// Handles the requests of each connection one after the other, so that a client that sends many and reads nothing
// occupies memory for one answer only. Requests that arrive meanwhile are held; after a few, the connection is not read
// any further.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Refusals } from './refusals.ts'

/** Held requests of one connection before it is paused. A chunk that has been read may contain some more. */
const HELD_MAX = 15
/** Held requests of all connections; the connection that exceeds it is closed. */
const HELD_IN_TOTAL_MAX = 5_000

export type Pipeline = {
  handle: RequestListener
  /** Runs `answer` once all earlier requests of the connection are answered; it answers something that is not a request
   *  and closes the connection. */
  last(socket: Socket, answer: () => void): void
}

type Held = { request: IncomingMessage; response: ServerResponse }
type Line = { isBusy: boolean; isPaused: boolean; held: Held[]; last: (() => void) | null }
/** `_paused` and `parser` are Node's own: without them the server would resume the connection by itself. */
type PipelinedSocket = Socket & { [LINE]?: Line; _paused?: boolean; parser?: { resume(): void } | null }
const LINE = Symbol('line')

export function openPipeline(handle: RequestListener, refusals: Refusals): Pipeline {
  let heldInTotal = 0

  function lineOf(socket: PipelinedSocket): Line {
    const known = socket[LINE]
    if (known) return known
    const line: Line = { isBusy: false, isPaused: false, held: [], last: null }
    socket[LINE] = line
    socket.once('close', () => drop(line))
    return line
  }

  function drop(line: Line): void {
    heldInTotal -= line.held.length
    line.held = []
  }

  function begin(socket: PipelinedSocket, line: Line, { request, response }: Held): void {
    line.isBusy = true
    response.on('close', () => {
      line.isBusy = false
      next(socket, line)
    })
    handle(request, response)
  }

  function next(socket: PipelinedSocket, line: Line): void {
    const held = line.held[0]
    // What follows an incomplete request is not HTTP.
    if (line.last && !held?.request.complete) {
      drop(line)
      line.last()
      return
    }
    if (!held) return
    line.held.shift()
    heldInTotal--
    if (line.isPaused && line.held.length === 0) resume(socket, line)
    begin(socket, line, held)
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
      const socket: PipelinedSocket = request.socket
      const line = lineOf(socket)
      if (socket.destroyed) return
      if (line.isBusy) hold(socket, line, { request, response })
      else begin(socket, line, { request, response })
    },
    last: (socket: PipelinedSocket, answer) => {
      const line = lineOf(socket)
      if (line.isBusy) line.last = answer
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
