// The load generator: keep-alive connections with one request in flight on each. It shares the machine with the
// server, so it does as little as possible: it sends prepared requests and checks only the bytes that matter.
import { connect as connectPlain, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

/** The same request every time, head and body, and the body that every answer must have. */
type Fixed = { request: Buffer; answer: Buffer }
/** The traffic of one connection: returns the next request, and whether the received bytes are a complete answer, or the
 *  follow-up request if several count as one. A wrong answer throws. */
export type Script = { request(): Buffer; isComplete(bytes: Buffer): boolean | Buffer }
export type Traffic = Fixed | { script: (connection: number) => Script }
/** Over TLS unless it is `isPlain`. */
export type Target = { port: number; ca: string; isPlain?: boolean; connections?: number } & Traffic
/** `burst` sends that many requests, waits for their answers, and returns how many seconds that took. */
export type Load = { burst(requests: number): Promise<number>; close(): void }

const CONNECTIONS = 16
const ANSWER_BYTES_MAX = 16 * 1024
const HEAD_END = Buffer.from('\r\n\r\n')
const OK = 'HTTP/1.1 200 '
const CHUNKED = /\r\ntransfer-encoding: chunked(\r\n|$)/i
const LAST_CHUNK = Buffer.from('0\r\n\r\n')

export async function openLoad(target: Target): Promise<Load> {
  let unsent = 0
  let unanswered = 0
  let settled: (failure?: Error) => void = () => {}
  let broken: Error | null = null
  const fail = (error: Error) => {
    broken ??= error
    unsent = 0
    settled(broken)
  }
  const sendNext = ({ socket, script }: Connection) => {
    if (unsent === 0) return
    unsent--
    socket.write(script.request())
  }
  const answered = (connection: Connection) => {
    unanswered--
    if (unanswered === 0) settled()
    else sendNext(connection)
  }
  const scriptOf = 'script' in target ? target.script : () => fixedScript(target)
  const connections = await Promise.all(
    Array.from({ length: target.connections ?? CONNECTIONS }, (_, at) =>
      openConnection(target, scriptOf(at), answered, fail),
    ),
  )

  async function burst(requests: number): Promise<number> {
    if (broken) throw broken
    unsent = requests
    unanswered = requests
    const done = new Promise<void>((resolve, reject) => {
      settled = failure => (failure ? reject(failure) : resolve())
    })
    const from = performance.now()
    for (const connection of connections) sendNext(connection)
    await done
    return (performance.now() - from) / 1000
  }
  return {
    burst,
    close: () => {
      for (const { socket } of connections) socket.removeAllListeners('close').destroy()
    },
  }
}

type Connection = { socket: Socket; script: Script }

function openConnection(
  { port, ca, isPlain = false }: Target,
  script: Script,
  answered: (connection: Connection) => void,
  fail: (error: Error) => void,
): Promise<Connection> {
  const buffer = Buffer.allocUnsafeSlow(ANSWER_BYTES_MAX)
  let partial: Buffer | null = null
  // Reading into a fixed buffer avoids the cost of streams. The types declare this option for plain sockets only.
  const onread = {
    buffer,
    callback: (length: number) => {
      try {
        const bytes = buffer.subarray(0, length)
        const all: Buffer = partial ? Buffer.concat([partial, bytes]) : bytes
        const isComplete = script.isComplete(all)
        partial = isComplete === false ? Buffer.from(all) : null
        if (isComplete === true) answered(connection)
        else if (isComplete) socket.write(isComplete)
      } catch (error) {
        fail(error as Error)
      }
      return true
    },
  }
  const options = { port, host: '127.0.0.1', servername: 'localhost', ca, onread }
  const socket = isPlain ? connectPlain(options) : connectTls(options)
  const connection = { socket, script }
  socket.setNoDelay(true)
  return new Promise((resolve, reject) => {
    socket.once(isPlain ? 'connect' : 'secureConnect', () => resolve(connection))
    socket.on('error', error => {
      reject(error)
      fail(error)
    })
    socket.on('close', () => fail(new Error('The server closed a connection that it should have kept open.')))
  })
}

/** Operations end their JSON with it, and controls do not. */
const LINE_END = 10

function fixedScript({ request, answer }: Fixed): Script {
  return {
    request: () => request,
    isComplete: bytes => {
      const body = bodyOf(bytes)
      if (body && !(body.at(-1) === LINE_END ? body.subarray(0, -1) : body).equals(answer)) throw wrong(bytes)
      return body !== null
    },
  }
}

/** The body of a complete answer, or null if bytes are missing. Throws unless it is a 200 with a content length or in
 *  chunks. */
export function bodyOf(bytes: Buffer): Buffer | null {
  const answer = answerOf(bytes)
  if (answer && !answer.head.startsWith(OK)) throw wrong(bytes)
  return answer?.body ?? null
}

/** A complete answer of any status, with a content length or in chunks; null if bytes are missing. */
export function answerOf(bytes: Buffer): { head: string; body: Buffer } | null {
  const headEnd = bytes.indexOf(HEAD_END)
  if (headEnd < 0) return null
  const head = bytes.toString('latin1', 0, headEnd)
  const from = headEnd + HEAD_END.length
  const body = CHUNKED.test(head) ? joinedChunks(bytes, from) : counted(bytes, from, contentLength(head))
  return body && { head, body }
}

function counted(bytes: Buffer, from: number, length: number): Buffer | null {
  if (Number.isNaN(length)) throw wrong(bytes)
  return bytes.length < from + length ? null : bytes.subarray(from, from + length)
}

/** The text of our servers does not contain the end of the last chunk. */
function joinedChunks(bytes: Buffer, from: number): Buffer | null {
  if (!bytes.subarray(Math.max(from, bytes.length - LAST_CHUNK.length)).equals(LAST_CHUNK)) return null
  const chunks: Buffer[] = []
  for (let at = from; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at)
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16)
    if (!(size > 0)) return Buffer.concat(chunks)
    chunks.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size))
    at = lineEnd + 2 + size + 2
  }
}

function contentLength(head: string): number {
  const name = '\r\ncontent-length: '
  const at = head.toLowerCase().indexOf(name)
  return at < 0 ? Number.NaN : Number.parseInt(head.slice(at + name.length, at + name.length + 10), 10)
}

export const wrong = (bytes: Buffer) => new Error(`Unexpected answer from the server:\n${bytes}`)
