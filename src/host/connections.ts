// Limits open connections, in total and per address, and closes those that no longer read.
import type { BlockList, Socket } from 'node:net'
import { clientNetwork } from '../fair/address.ts'
import type { Refusals } from './refusals.ts'
import { isTrusted } from './trusted.ts'

export type ConnectionLimits = {
  total: number
  perAddress: number
  /** The number of further connections that wait for one to close, so that an SDK that opens a connection for each event
   *  of a burst loses none. */
  waitingPerAddress: number
  waiting: number
  waitMs: number
  /** A connection is closed if the client reads nothing of a waiting answer for this long. */
  stalledMs: number
}

export const CONNECTION_LIMITS: ConnectionLimits = {
  total: 10_000,
  perAddress: 500,
  waitingPerAddress: 1_000,
  waiting: 2_000,
  waitMs: 10_000,
  stalledMs: 30_000,
}

export type Connections = {
  /** Calls `start` now or when there is room; closes the connection if there are too many. Trusted proxies are exempt
   *  from the limit per address. */
  admit(socket: Socket, start: () => void): void
  /** Whether others wait for a connection of this address to close. */
  areOthersWaiting(socket: Socket): boolean
  count(): number
  /** Resets waiting connections and starts no further ones. */
  stopWaiting(): void
  close(): void
}

/** Shared by all ports. */
export function openConnections(limits: ConnectionLimits, trusted: BlockList | null, refusals: Refusals): Connections {
  const open = new Set<Socket>()
  const stalls = new WeakMap<Socket, Stall>()

  const addresses = openAddresses(limits, socket => refuse(socket, 'connections_per_address'))

  function addressOf({ remoteAddress: peer = '' }: Socket): string | null {
    return isTrusted(trusted, peer) ? null : clientNetwork(peer)
  }

  function refuse(socket: Socket, reason: 'connections' | 'connections_per_address'): void {
    refusals.count(reason)
    socket.on('error', ignore) // The error of the reset; nobody waits for it.
    socket.resetAndDestroy()
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
    admit: (socket, start) => {
      if (open.size >= limits.total) return refuse(socket, 'connections')
      open.add(socket)
      socket.once('close', () => open.delete(socket))
      const address = addressOf(socket)
      if (address === null) start()
      else addresses.startInTurn(socket, address, start)
    },
    areOthersWaiting: socket => {
      const address = addressOf(socket)
      return address !== null && addresses.areWaiting(address)
    },
    count: () => open.size,
    stopWaiting: addresses.stopWaiting,
    close: () => clearInterval(timer),
  }
}

/** The connections of each address: up to a limit they are started, further ones wait, and the rest are refused. */
function openAddresses(limits: ConnectionLimits, refuse: (socket: Socket) => void) {
  const byAddress = new Map<string, { started: number; waiting: Set<() => void> }>()
  const waitingSockets = new Set<Socket>()
  let isStopping = false

  /** Counts the connection of an address, and starts it now or later. */
  function startInTurn(socket: Socket, address: string, start: () => void): void {
    const own = byAddress.get(address) ?? { started: 0, waiting: new Set() }
    byAddress.set(address, own)
    const begin = () => {
      own.started++
      socket.once('close', () => {
        own.started--
        const [next] = own.waiting
        if (next) next()
        else if (own.started === 0) byAddress.delete(address)
      })
      start()
    }
    if (own.started < limits.perAddress) begin()
    else if (!isStopping && own.waiting.size < limits.waitingPerAddress && waitingSockets.size < limits.waiting)
      waitFor(socket, own.waiting, begin)
    else refuse(socket)
  }

  /** Nothing is read from a waiting connection. */
  function waitFor(socket: Socket, waiting: Set<() => void>, begin: () => void): void {
    const next = () => {
      leave()
      begin()
    }
    const timer = setTimeout(() => refuse(socket), limits.waitMs)
    const leave = () => {
      clearTimeout(timer)
      waitingSockets.delete(socket)
      waiting.delete(next)
      socket.off('close', leave)
      socket.off('end', end)
      socket.off('error', ignore)
    }
    const end = () => socket.destroy() // The client has left.
    waitingSockets.add(socket)
    waiting.add(next)
    socket.once('close', leave)
    socket.once('end', end)
    socket.on('error', ignore)
  }

  function stopWaiting(): void {
    isStopping = true
    for (const socket of [...waitingSockets]) refuse(socket)
  }

  const areWaiting = (address: string) => (byAddress.get(address)?.waiting.size ?? 0) > 0
  return { startInTurn, areWaiting, stopWaiting }
}

const ignore = () => {}

type Stall = { unsent: number; sinceMs: number }

/** The bytes that the kernel has not accepted yet. Node exposes this only on the handle, where TLS is already encrypted. */
function unsentBytes(socket: Socket): number {
  const { _handle: handle } = socket as Socket & { _handle?: { writeQueueSize?: number } | null }
  return (handle?.writeQueueSize ?? 0) + socket.writableLength
}
