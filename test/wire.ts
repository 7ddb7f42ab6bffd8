// Bytes on a socket, for what no HTTP client would send.
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { CA } from './host.ts'

export type Wire = { socket: Socket; write(text: string): void; closed: Promise<string> }

/** Opens a connection; `closed` is everything that was received until the peer ended it. */
export async function wire(port: number, { tls }: { tls: boolean }): Promise<Wire> {
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
  return { socket, write: text => void socket.write(text), closed }
}

/** The status and the parsed body of the one answer in the text. */
export function parsed(text: string): { status: number; head: string; error: { code: string; request_id: string } } {
  const [head = '', body = ''] = text.split('\r\n\r\n')
  return { status: Number(head.split(' ')[1]), head, error: JSON.parse(body).error }
}
