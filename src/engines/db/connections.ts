// The connections of the pool: opened when they are needed, and dropped when they are lost or old.
import type { Driver } from './driver.ts'

export type Connection = { driver: Driver; isLost: boolean; openedMs: number }

/** The server's memory for a connection grows over time. */
const LIFETIME_MS = 30 * 60_000

export function openConnections(openDriver: (onclose: () => void) => Driver) {
  const all = new Set<Connection>()
  const free: Connection[] = []

  function open(): Connection {
    const connection = { driver: openDriver(() => lose(connection)), isLost: false, openedMs: performance.now() }
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

  function drop(connection: Connection, waitS = 0): Promise<void> {
    all.delete(connection)
    return connection.driver.end(waitS)
  }

  return {
    /** The one that was used last, which has prepared most of the statements. */
    take: (): Connection => free.pop() ?? open(),
    give: (connection: Connection): void => {
      if (!all.has(connection)) return
      const isOld = performance.now() - connection.openedMs > LIFETIME_MS
      if (connection.isLost || isOld) void drop(connection)
      else free.push(connection)
    },
    /** Ends all, after at most so long; those in use need not be given back. */
    dropAll: async (waitS: number): Promise<void> => {
      free.length = 0
      await Promise.all([...all].map(connection => drop(connection, waitS)))
    },
  }
}
