// A proxy to a database that loses data, as networks do.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import type { DatabaseAt } from './database.ts'

/** A proxy to a database, whose connections can be cut, refused or frozen. */
export async function proxyTo({ at }: { at: DatabaseAt }, t: TestContext) {
  const sockets: Socket[] = []
  const frozen = new Set<() => void>()
  const muted = new Set<Socket>()
  const state = { isFrozen: false, losesListen: false, onSent: (_bytes: Buffer) => {} }
  const pass = (from: Socket, to: Socket, seen: (bytes: Buffer) => void) =>
    from.on('data', bytes => {
      if (muted.has(from)) return
      const send = () => void to.write(bytes)
      if (state.isFrozen) frozen.add(send)
      else send()
      seen(bytes)
    })
  const proxy = createServer(near => {
    const far = connect(`${at.socketDirectory}/.s.PGSQL.5432`)
    for (const socket of [near, far]) sockets.push(socket.on('error', () => {}))
    near.on('data', bytes => {
      if (state.losesListen && bytes.includes('listen "')) for (const socket of [near, far]) muted.add(socket)
    })
    pass(near, far, bytes => state.onSent(bytes))
    pass(far, near, () => {})
    near.on('close', () => far.destroy())
    far.on('close', () => near.destroy())
  })
  const listen = (port: number) => new Promise<void>(resolve => proxy.listen(port, '127.0.0.1', resolve))
  const refuse = () => {
    proxy.close()
    for (const socket of sockets) socket.destroy()
  }
  t.after(refuse)
  await listen(0)
  const { port } = proxy.address() as AddressInfo
  return {
    at: { url: `postgres://${at.user}@127.0.0.1:${port}/${at.database}` },
    sockets,
    refuse,
    accept: () => listen(port),
    /** Called with what clients send. */
    onSent: (seen: (bytes: Buffer) => void) => {
      state.onSent = seen
    },
    /** What is sent on the open connections never arrives, except on those opened first. */
    mute: (except = 0) => {
      for (const socket of sockets.slice(2 * except)) muted.add(socket)
    },
    muteFirst: () => {
      for (const socket of sockets.slice(0, 2)) muted.add(socket)
    },
    /** Whether connections on which LISTEN is sent become silent. */
    loseListen: (does: boolean) => {
      state.losesListen = does
    },
    /** Nothing arrives any more, as if the server had stopped. */
    freeze: () => {
      state.isFrozen = true
    },
    thaw: () => {
      state.isFrozen = false
      for (const send of frozen) send()
      frozen.clear()
    },
  }
}
