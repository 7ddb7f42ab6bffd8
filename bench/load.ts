// The load: keep-alive TLS connections with one request under way on each. It shares the machine with the server, so
// it does as little as it can: a request that is ready before it is sent, and a look at the bytes of the answer that
// matter.
import { connect, type TLSSocket } from 'node:tls'

/** The same bytes every time: the whole request, head and body, and the body that every answer must have. */
type Fixed = { request: Buffer; answer: Buffer }
/** What one connection says next, and whether what it heard is a whole answer; a wrong one throws. */
export type Talk = { request(): Buffer; isWhole(bytes: Buffer): boolean }
export type RequestLog = Fixed | { talk: (connection: number) => Talk }
export type Call = { port: number; ca: string } & RequestLog
/** `burst` sends so many requests, waits for their answers, and tells how many seconds that took. */
export type Load = { burst(requests: number): Promise<number>; close(): void }

const CONNECTIONS = 16
const ANSWER_BYTES_MAX = 16 * 1024
const HEAD_END = Buffer.from('\r\n\r\n')
const OK = 'HTTP/1.1 200 '

export async function openLoad(call: Call): Promise<Load> {
  let unsent = 0
  let unanswered = 0
  let settled: (failure?: Error) => void = () => {}
  let broken: Error | null = null
  const fail = (error: Error) => {
    broken ??= error
    unsent = 0
    settled(broken)
  }
  const sendNext = ({ socket, talk }: Connection) => {
    if (unsent === 0) return
    unsent--
    socket.write(talk.request())
  }
  const answered = (connection: Connection) => {
    unanswered--
    if (unanswered === 0) settled()
    else sendNext(connection)
  }
  const talkOf = 'talk' in call ? call.talk : () => fixedTalk(call)
  const connections = await Promise.all(
    Array.from({ length: CONNECTIONS }, (_, at) => openConnection(call, talkOf(at), answered, fail)),
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

type Connection = { socket: TLSSocket; talk: Talk }

function openConnection(
  { port, ca }: Call,
  talk: Talk,
  answered: (connection: Connection) => void,
  fail: (error: Error) => void,
): Promise<Connection> {
  const buffer = Buffer.allocUnsafeSlow(ANSWER_BYTES_MAX)
  let held: Buffer | null = null
  // Reading into one buffer of ours spares the streams machinery. The types know this option for plain sockets only.
  const onread = {
    buffer,
    callback: (length: number) => {
      try {
        const bytes = buffer.subarray(0, length)
        const all: Buffer = held ? Buffer.concat([held, bytes]) : bytes
        held = talk.isWhole(all) ? null : Buffer.from(all)
        if (!held) answered(connection)
      } catch (error) {
        fail(error as Error)
      }
      return true
    },
  }
  const options = { port, host: '127.0.0.1', servername: 'localhost', ca, onread }
  const socket = connect(options)
  const connection = { socket, talk }
  socket.setNoDelay(true)
  return new Promise((resolve, reject) => {
    socket.once('secureConnect', () => resolve(connection))
    socket.on('error', error => {
      reject(error)
      fail(error)
    })
    socket.on('close', () => fail(new Error('The server closed a connection that it should have kept.')))
  })
}

function fixedTalk({ request, answer }: Fixed): Talk {
  return {
    request: () => request,
    isWhole: bytes => {
      const body = bodyOf(bytes)
      if (body && !body.equals(answer)) throw wrong(bytes)
      return body !== null
    },
  }
}

/** The body of an answer that is there to its last byte, or null; an answer that is not a 200 of known length throws. */
export function bodyOf(bytes: Buffer): Buffer | null {
  const headEnd = bytes.indexOf(HEAD_END)
  if (headEnd < 0) return null
  const head = bytes.toString('latin1', 0, headEnd)
  const from = headEnd + HEAD_END.length
  const length = contentLength(head)
  if (!head.startsWith(OK) || Number.isNaN(length)) throw wrong(bytes)
  return bytes.length < from + length ? null : bytes.subarray(from, from + length)
}

function contentLength(head: string): number {
  const name = '\r\ncontent-length: '
  const at = head.toLowerCase().indexOf(name)
  return at < 0 ? Number.NaN : Number.parseInt(head.slice(at + name.length, at + name.length + 10), 10)
}

export const wrong = (bytes: Buffer) => new Error(`The server gave an answer that is not the expected one:\n${bytes}`)
