// The load: keep-alive TLS connections with one request under way on each. It shares the machine with the server, so
// it does as little as it can: one prebuilt request, and a look at the few bytes of the answer that matter.
import { connect, type TLSSocket } from 'node:tls'

export type Call = {
  port: number
  ca: string
  /** The whole request, head and body. */
  request: Buffer
  /** The body that every answer must have, byte for byte. */
  answer: Buffer
}
export type Burst = { requests: number; seconds: number }
export type Load = { burst(ms: number): Promise<Burst>; close(): void }

const CONNECTIONS = 16
const ANSWER_BYTES_MAX = 16 * 1024
const HEAD_END = Buffer.from('\r\n\r\n')
const OK = 'HTTP/1.1 200 '

export async function openLoad(call: Call): Promise<Load> {
  let running = false
  let flying = 0
  let requests = 0
  let settled: (failure?: Error) => void = () => {}
  let broken: Error | null = null
  const fail = (error: Error) => {
    broken ??= error
    running = false
    settled(broken)
  }
  const answered = (socket: TLSSocket) => {
    requests++
    if (running) return void socket.write(call.request)
    flying--
    if (flying === 0) settled()
  }
  const sockets = await Promise.all(Array.from({ length: CONNECTIONS }, () => openConnection(call, answered, fail)))

  async function burst(ms: number): Promise<Burst> {
    if (broken) throw broken
    requests = 0
    flying = sockets.length
    running = true
    const done = new Promise<void>((resolve, reject) => {
      settled = failure => (failure ? reject(failure) : resolve())
    })
    const from = performance.now()
    setTimeout(() => {
      running = false
    }, ms)
    for (const socket of sockets) socket.write(call.request)
    await done
    return { requests, seconds: (performance.now() - from) / 1000 }
  }
  return {
    burst,
    close: () => {
      for (const socket of sockets) socket.removeAllListeners('close').destroy()
    },
  }
}

function openConnection(
  { port, ca, answer }: Call,
  answered: (socket: TLSSocket) => void,
  fail: (error: Error) => void,
): Promise<TLSSocket> {
  const buffer = Buffer.allocUnsafeSlow(ANSWER_BYTES_MAX)
  let held: Buffer | null = null
  // Reading into one buffer of ours spares the streams machinery. The types know this option for plain sockets only.
  const onread = {
    buffer,
    callback: (length: number) => {
      try {
        const bytes = buffer.subarray(0, length)
        const all: Buffer = held ? Buffer.concat([held, bytes]) : bytes
        held = isWhole(all, answer) ? null : Buffer.from(all)
        if (!held) answered(socket)
      } catch (error) {
        fail(error as Error)
      }
      return true
    },
  }
  const options = { port, host: '127.0.0.1', servername: 'localhost', ca, onread }
  const socket = connect(options)
  socket.setNoDelay(true)
  return new Promise((resolve, reject) => {
    socket.once('secureConnect', () => resolve(socket))
    socket.on('error', error => {
      reject(error)
      fail(error)
    })
    socket.on('close', () => fail(new Error('The server closed a connection that it should have kept.')))
  })
}

/** Whether an answer is there to its last byte; one that is not exactly the expected answer is an error. */
function isWhole(bytes: Buffer, expected: Buffer): boolean {
  const headEnd = bytes.indexOf(HEAD_END)
  if (headEnd < 0) return false
  const head = bytes.toString('latin1', 0, headEnd)
  const from = headEnd + HEAD_END.length
  if (!head.startsWith(OK) || contentLength(head) !== expected.length) throw wrong(bytes)
  if (bytes.length < from + expected.length) return false
  if (bytes.compare(expected, 0, expected.length, from) !== 0) throw wrong(bytes)
  return true
}

function contentLength(head: string): number {
  const name = '\r\ncontent-length: '
  const at = head.indexOf(name)
  return at < 0 ? Number.NaN : Number.parseInt(head.slice(at + name.length, at + name.length + 10), 10)
}

const wrong = (bytes: Buffer) => new Error(`The server gave an answer that is not the expected one:\n${bytes}`)
