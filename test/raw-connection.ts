// A raw socket, for requests that no HTTP client would send.
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { CA } from './host.ts'

export type RawConnection = {
  socket: Socket
  write(text: string): void
  /** Everything received so far. */
  received(): string
  closed: Promise<string>
}

/** Opens a connection; `closed` resolves to everything received until the peer closed it. */
export async function rawConnection(port: number, { tls }: { tls: boolean }): Promise<RawConnection> {
  const socket = tls
    ? connectTls({ port, host: '127.0.0.1', servername: 'localhost', ca: CA() })
    : connect(port, '127.0.0.1')
  let received = ''
  socket.on('data', chunk => {
    received += chunk
  })
  const closed = new Promise<string>(resolve => {
    socket.on('error', () => {})
    socket.on('close', () => resolve(received))
  })
  await new Promise(resolve => socket.once(tls ? 'secureConnect' : 'connect', resolve))
  return { socket, write: text => void socket.write(text), received: () => received, closed }
}

/** Parses the single response in the text. */
export function parseResponse(text: string): {
  status: number
  head: string
  error: { code: string; message: string; request_id: string }
} {
  const [head = '', body = ''] = text.split('\r\n\r\n')
  return { status: Number(head.split(' ')[1]), head, error: JSON.parse(body).error }
}
