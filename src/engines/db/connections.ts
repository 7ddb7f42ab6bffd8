// The pool's connections: opened when needed, and dropped when lost or old.
import { answers, type Driver } from './driver.ts'

export type Connection = { driver: Driver; isLost: boolean; isNew: boolean; openedMs: number; usedMs: number }

const IDLE_MS = 5_000
const ANSWER_MS = 2_000
/** The server's memory for a connection grows over time. */
const LIFETIME_MS = 30 * 60_000

export type ConnectionsOptions = {
  openDriver: (onclose: () => void) => Driver
  /** After this time without use, a connection must answer before it is used. For that it has this time, at most half of
   *  what is left for the call: the rest is for another connection. */
  idleMs?: number | undefined
  answerMs?: number | undefined
}

export function openDatabaseConnections({ openDriver, idleMs = IDLE_MS, answerMs = ANSWER_MS }: ConnectionsOptions) {
  const all = new Set<Connection>()
  const free: Connection[] = []

  function open(): Connection {
    const nowMs = performance.now()
    const driver = openDriver(() => lose(connection))
    const connection = { driver, isLost: false, isNew: true, openedMs: nowMs, usedMs: nowMs }
    all.add(connection)
    return connection
  }

  function lose(connection: Connection): void {
    connection.isLost = true
    const at = free.indexOf(connection)
    if (at >= 0) {
      free.splice(at, 1)
      drop(connection)
    }
  }

  /** Ends a connection within this time. It need not be given back. */
  function drop(connection: Connection, waitS = 0): Promise<void> {
    all.delete(connection)
    return connection.driver.end(waitS)
  }

  /** The connection if it answers, otherwise a new one. The other free connections were idle for even longer. */
  async function answering(connection: Connection, withinMs: number): Promise<Connection> {
    if ((await answers(connection.driver, withinMs)) && all.has(connection)) return connection
    void drop(connection)
    dropFree()
    return open()
  }

  function dropFree(): void {
    for (const connection of free.splice(0)) void drop(connection)
  }

  return {
    /** The most recently used one, which has prepared most of the statements. A connection that was idle for a while
     *  must answer first: firewalls silently drop idle connections. */
    take: (withinMs: number): Connection | Promise<Connection> => {
      const connection = free.pop()
      if (!connection) return open()
      if (performance.now() - connection.usedMs < idleMs) return connection
      return answering(connection, Math.min(answerMs, withinMs / 2))
    },
    drop,
    give: (connection: Connection): void => {
      if (!all.has(connection)) return
      connection.usedMs = performance.now()
      connection.isNew = false
      const isOld = connection.usedMs - connection.openedMs > LIFETIME_MS
      if (connection.isLost || isOld) void drop(connection)
      else free.push(connection)
    },
    /** Ends connections that are not in use. */
    dropFree,
    /** Ends all connections within this time. */
    dropAll: async (waitS: number): Promise<void> => {
      free.length = 0
      await Promise.all([...all].map(connection => drop(connection, waitS)))
    },
  }
}
