// Some servers and proxies send `100 Continue` to requests that did not ask for it. Every client must read over it, but
// undici closes the connection, so it is taken out of what arrives.
import type { Socket } from 'node:net'
import type { buildConnector } from 'undici'

const CONTINUE = Buffer.from('HTTP/1.1 100')
const END_OF_HEAD = Buffer.from('\r\n\r\n')

export const skippingContinue =
  (connect: buildConnector.connector): buildConnector.connector =>
  (options, callback) =>
    connect(options, (...result) => {
      const [error, socket] = result
      if (error === null && (socket as { alpnProtocol?: unknown }).alpnProtocol !== 'h2') skipIn(socket)
      callback(...result)
    })

function skipIn(socket: Socket): void {
  const [read, write] = [socket.read.bind(socket), socket.write.bind(socket) as (...given: unknown[]) => boolean]
  /** Whether a request was sent and its answer has not begun: inside of an answer, the same bytes are its own. */
  let awaitsAnswer = true
  /** The beginning of what may be taken out. */
  let begun: Buffer = Buffer.alloc(0)
  socket.write = (...given: unknown[]) => {
    awaitsAnswer = true
    return write(...given)
  }
  socket.read = (size?: number) => {
    for (;;) {
      const chunk = read(size) as Buffer | null
      if (chunk === null || !awaitsAnswer) return chunk
      begun = withoutContinue(begun.length === 0 ? chunk : Buffer.concat([begun, chunk]))
      if (mayContinue(begun)) continue
      const answer = begun
      begun = Buffer.alloc(0)
      awaitsAnswer = false
      return answer
    }
  }
}

function withoutContinue(bytes: Buffer): Buffer {
  let rest = bytes
  while (rest.subarray(0, CONTINUE.length).equals(CONTINUE)) {
    const end = rest.indexOf(END_OF_HEAD)
    if (end === -1) break
    rest = rest.subarray(end + END_OF_HEAD.length)
  }
  return rest
}

/** A head that never ends is left to the parser, which has a bound for it. */
const HEAD_BYTES_MAX = 1024

/** Whether more has to arrive before it is known. */
const mayContinue = (bytes: Buffer): boolean =>
  bytes.length < HEAD_BYTES_MAX && bytes.subarray(0, CONTINUE.length).equals(CONTINUE.subarray(0, bytes.length))
