// The open connections: how many there may be, in total and from one address, and which of them no longer read.
import type { BlockList, Socket } from 'node:net'
import { clientNetwork } from '../fair/address.ts'
import type { Refusals } from './refusals.ts'
import { isTrusted } from './trusted.ts'

export type ConnectionLimits = {
  total: number
  perAddress: number
  /** A connection that takes no byte of a waiting answer for so long is closed. */
  stalledMs: number
}

export const CONNECTION_LIMITS: ConnectionLimits = { total: 10_000, perAddress: 500, stalledMs: 30_000 }

export type Connections = {
  /** Closes the connection and returns false if there are too many. Trusted proxies do not count as one address. */
  admit(socket: Socket): boolean
  count(): number
  close(): void
}

/** Shared by all ports. */
export function openConnections(limits: ConnectionLimits, trusted: BlockList | null, refusals: Refusals): Connections {
  const open = new Set<Socket>()
  const byAddress = new Map<string, number>()
  const stalls = new WeakMap<Socket, Stall>()

  function add(address: string | null, count: 1 | -1): number {
    if (address === null) return 0
    const now = (byAddress.get(address) ?? 0) + count
    if (now === 0) byAddress.delete(address)
    else byAddress.set(address, now)
    return now
  }

  function closeStalled(): void {
    const nowMs = performance.now()
    for (const socket of open) {
      const unsent = unsentBytes(socket)
      const stall = stalls.get(socket)
      if (unsent === 0) stalls.delete(socket)
      else if (stall?.unsent !== unsent) stalls.set(socket, { unsent, sinceMs: nowMs })
      else if (nowMs - stall.sinceMs >= limits.stalledMs) {
        refusals.count('stalled_connection')
        socket.destroy()
      }
    }
  }

  const timer = setInterval(closeStalled, limits.stalledMs / 6).unref()
  return {
    admit: socket => {
      const peer = socket.remoteAddress ?? ''
      const address = isTrusted(trusted, peer) ? null : clientNetwork(peer)
      const isTooMany = open.size >= limits.total
      if (isTooMany || (address !== null && (byAddress.get(address) ?? 0) >= limits.perAddress)) {
        refusals.count(isTooMany ? 'connections' : 'connections_per_address')
        socket.on('error', () => {}) // Of the reset; nobody waits for it.
        socket.resetAndDestroy()
        return false
      }
      open.add(socket)
      add(address, 1)
      socket.once('close', () => {
        open.delete(socket)
        add(address, -1)
      })
      return true
    },
    count: () => open.size,
    close: () => clearInterval(timer),
  }
}

type Stall = { unsent: number; sinceMs: number }

/** What the kernel has not taken yet. Node shows it only on the handle, where TLS is encrypted already. */
function unsentBytes(socket: Socket): number {
  const { _handle: handle } = socket as Socket & { _handle?: { writeQueueSize?: number } | null }
  return (handle?.writeQueueSize ?? 0) + socket.writableLength
}
