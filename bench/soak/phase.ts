// One phase of the hostile load: its connections, from several addresses, and its timers. All of them end with it.
import { connect as connectPlain, type Socket } from 'node:net'
import { connect as connectTls, createSecureContext } from 'node:tls'
import type { Target } from './hosts.ts'

/** Other addresses than the ordinary tenant's, because limits count per address. */
const ADDRESSES = Array.from({ length: 8 }, (_, at) => `127.0.0.${at + 2}`)
/** A handshake costs about a millisecond of CPU on each side; all parts together open no more than this. */
const HANDSHAKES_PER_S = 120
const TICK_MS = 25

export type Origin = 'api' | 'identity'

export type Phase = {
  target: Target
  /** Opens a TLS connection, before those that are held, and calls back when it can be written to. */
  open(origin: Origin, ready: (socket: Socket) => void): void
  /** Opens a connection that sends nothing, not even the start of a handshake. */
  openSilent(): Socket
  /** Holds so many connections open: those that close are opened again. */
  hold(count: number, origin: Origin, ready: (socket: Socket) => void): void
  every(ms: number, work: () => void): void
}

export function beginPhase(target: Target, count: (what: string) => void): Phase & { end(): void } {
  const sockets = new Set<Socket>()
  const timers: NodeJS.Timeout[] = []
  const waiting: { origin: Origin; ready: (socket: Socket) => void; closed?: () => void }[] = []
  const secureContext = createSecureContext({ ca: target.ca })
  let turn = 0
  let isEnded = false

  const every = (ms: number, work: () => void) => void timers.push(setInterval(work, ms))
  const at = (origin: Origin) => ({
    host: '127.0.0.1',
    port: Number(new URL(origin === 'api' ? target.baseUrl : target.iamUrl).port),
    localAddress: ADDRESSES[turn++ % ADDRESSES.length] as string,
  })
  function track(socket: Socket, closed?: () => void): Socket {
    sockets.add(socket)
    socket.on('error', () => count('connection errors'))
    socket.once('close', () => {
      sockets.delete(socket)
      if (!isEnded) closed?.()
    })
    return socket
  }
  function openNext(): void {
    const next = waiting.shift()
    if (!next) return
    count('handshakes')
    const socket = connectTls({ ...at(next.origin), secureContext, servername: 'localhost' })
    socket.once('secureConnect', () => next.ready(socket))
    track(socket, next.closed)
  }

  every(TICK_MS, () => {
    for (let due = (HANDSHAKES_PER_S * TICK_MS) / 1000; due > 0; due--) openNext()
  })
  return {
    target,
    every,
    open: (origin, ready) => void waiting.unshift({ origin, ready }),
    openSilent: () => track(connectPlain(at('api'))),
    hold: (held, origin, ready) => {
      const one = () => void waiting.push({ origin, ready, closed: one })
      for (let left = held; left > 0; left--) one()
    },
    end: () => {
      isEnded = true
      for (const timer of timers) clearInterval(timer)
      for (const socket of sockets) socket.destroy()
    },
  }
}
