// LISTEN on a dedicated connection with a heartbeat. The driver's own LISTEN waits for ever on a connection that the
// network dropped silently, and caches would then miss all further changes.
import { setTimeout as wait } from 'node:timers/promises'
import type postgres from 'postgres'

/** How often the connection is checked. */
const HEARTBEAT_MS = 10_000
/** For `waitForNotifications`. It need not outwait a lost connection: `onConnect` clears the caches afterwards. */
const WAIT_MAX_MS = 1_000
const RECONNECT_MS = 250

export type NotifyHandlers = {
  /** Not in the driver's types, but used by its own LISTEN. */
  onnotify: (channel: string, payload: string) => void
  onclose: () => void
}
type Listener = { channel: string; onNotify: (payload: string) => void; onConnect: () => void }

export function openListener(connect: (handlers: NotifyHandlers) => postgres.Sql, heartbeatMs = HEARTBEAT_MS) {
  const listeners: Listener[] = []
  /** The newest connection, open or opening. */
  let latest: postgres.Sql | null = null
  /** The connection that listens; null while it is lost. */
  let current: postgres.Sql | null = null
  let closed = false
  let queue: Promise<unknown> = Promise.resolve()

  /** Opens a connection and listens on all channels. Calls every `onConnect`: notifications may have been missed. */
  async function start(): Promise<void> {
    const next = connect({
      onnotify: (channel, payload) => {
        for (const listener of listeners) if (listener.channel === channel) listener.onNotify(payload)
      },
      onclose: () => replace(next),
    })
    latest = next
    await listenTo(next, new Set(listeners.map(({ channel }) => channel)))
    if (closed) return
    current = next
    for (const { onConnect } of listeners) onConnect()
    void connectionLost(next, heartbeatMs).then(() => replace(next))
  }

  function replace(lost: postgres.Sql): void {
    if (current !== lost) return
    current = null
    void lost.end({ timeout: 0 })
    queue = restart()
  }

  async function restart(): Promise<void> {
    while (!closed && current === null) await start().catch(() => wait(RECONNECT_MS))
  }

  async function listen(listener: Listener): Promise<void> {
    listeners.push(listener)
    if (!current) return start()
    await current`listen ${current(listener.channel)}`
    listener.onConnect()
  }

  return {
    /** Calls run one after the other, so that only the first opens the connection. */
    listen: (listener: Listener) => {
      const done = queue.then(() => listen(listener))
      queue = done.catch(() => {})
      return done
    },
    waitForNotifications: async () => (current ? responds(current, WAIT_MAX_MS).then(() => {}) : undefined),
    close: async () => {
      closed = true
      current = null
      await latest?.end({ timeout: 0 })
    },
  }
}

async function listenTo(connection: postgres.Sql, channels: Iterable<string>): Promise<void> {
  try {
    for (const channel of channels) await connection`listen ${connection(channel)}`
  } catch (error) {
    await connection.end({ timeout: 0 })
    throw error
  }
}

/** Resolves when the connection has ended or no longer responds. */
async function connectionLost(connection: postgres.Sql, heartbeatMs: number): Promise<void> {
  do await wait(heartbeatMs, null, { ref: false })
  while (await responds(connection, heartbeatMs))
}

/** PostgreSQL delivers earlier notifications before it completes a later statement. */
function responds(connection: postgres.Sql, withinMs: number): Promise<boolean> {
  const response = connection`select 1`.then(
    () => true,
    () => false,
  )
  return Promise.race([response, wait(withinMs, false, { ref: false })])
}
