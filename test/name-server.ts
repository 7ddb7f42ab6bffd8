// A name server on loopback. It answers that a name does not exist unless it has records for it.
import { createSocket } from 'node:dgram'
import type { AddressInfo } from 'node:net'
import packet from 'dns-packet'

export type Records = Partial<Record<'A' | 'AAAA', string[]>> & { TXT?: string[][] }

/** `names` may change at any time. */
export async function startNameServer() {
  const names = new Map<string, Records | 'SERVFAIL' | 'silence'>()
  const socket = createSocket('udp4')
  socket.on('message', (bytes, from) => {
    const { id, questions } = packet.decode(bytes)
    const { name = '', type = 'A' } = questions?.[0] ?? {}
    const found = names.get(name)
    if (found === 'silence') return
    const rcode = found === 'SERVFAIL' ? 2 : found ? 0 : 3
    const data = typeof found === 'object' ? (found[type as keyof Records] ?? []) : []
    const answers = data.map(one => ({ type, name, ttl: 300, data: one }) as packet.Answer)
    const flags = packet.RECURSION_DESIRED | packet.RECURSION_AVAILABLE | rcode
    socket.send(packet.encode({ type: 'response', id, flags, questions, answers }), from.port, from.address)
  })
  await new Promise<void>(resolve => socket.bind(0, '127.0.0.1', resolve))
  const { port } = socket.address() as AddressInfo
  return { names, address: `127.0.0.1:${port}`, close: () => socket.close() }
}
