// LISTEN on a dedicated connection with a heartbeat. The driver's own LISTEN waits for ever on a connection that the
// network dropped silently, and caches would then miss all further changes. The heartbeat also shows whether the server
// answers at all.
import { setTimeout as wait } from 'node:timers/promises'
import { answers, type Driver, type DriverHandlers } from './driver.ts'

const HEARTBEAT_MS = 1_000
/** For `waitForNotifications`. */
const WAIT_MAX_MS = 1_000
const RECONNECT_MS = 250

type Listener = { channel: string; onNotify: (payload: string) => void; onConnect: () => void }

export type ListenerOptions = {
  open: (handlers: DriverHandlers) => Driver
  everyMs?: number
  answerMs: number
  /** The server does not answer (`isFrozen`) or cannot be connected to. May be called several times. */
  onUnreachable: (isFrozen: boolean) => void
  onReachable: () => void
}

export function openListener(options: ListenerOptions) {
  const { open, onUnreachable, onReachable, everyMs = HEARTBEAT_MS, answerMs } = options
  const listeners: Listener[] = []
  /** The newest connection, open or opening. */
  let latest: Driver | null = null
  /** The connection that listens; null while it is lost. */
  let current: Driver | null = null
  let closed = false
  let queue: Promise<unknown> = Promise.resolve()

  /** Opens a connection and listens on all channels. Calls every `onConnect`: notifications may have been missed. */
  async function start(): Promise<void> {
    const next = open({
      onnotify: (channel, payload) => {
        for (const listener of listeners) if (listener.channel === channel) listener.onNotify(payload)
      },
      onclose: () => replace(next),
    })
    latest = next
    await listenTo(next, new Set(listeners.map(({ channel }) => channel)), 2 * answerMs)
    if (closed) return
    current = next
    onReachable()
    for (const { onConnect } of listeners) onConnect()
    void watch(next)
  }

  /** Returns when the connection has ended or no longer answers. */
  async function watch(driver: Driver): Promise<void> {
    do await wait(everyMs, null, { ref: false })
    while (current === driver && (await answers(driver, answerMs)))
    if (current !== driver) return
    onUnreachable(true)
    replace(driver)
  }

  function replace(lost: Driver): void {
    if (current !== lost) return
    current = null
    void lost.end(0)
    queue = restart()
  }

  async function restart(): Promise<void> {
    while (!closed && current === null) {
      await start().catch(() => {
        onUnreachable(false)
        return wait(RECONNECT_MS)
      })
    }
  }

  async function listen(listener: Listener): Promise<void> {
    listeners.push(listener)
    if (!current) return start()
    await listenTo(current, [listener.channel], answerMs)
    listener.onConnect()
  }

  return {
    /** Calls run one after the other, so that only the first opens the connection. */
    listen: (listener: Listener) => {
      const done = queue.then(() => listen(listener))
      queue = done.catch(() => {})
      return done
    },
    /** While notifications may be missing, the caches are cleared instead. */
    waitForNotifications: async () => {
      if (listeners.length === 0 || (current && (await answers(current, WAIT_MAX_MS)))) return
      for (const { onConnect } of listeners) onConnect()
    },
    /** Asks the server to cancel the statement of a connection. */
    cancel: (pid: number) => void (current && cancelOn(current, pid)),
    close: async () => {
      closed = true
      current = null
      await latest?.end(0)
    },
  }
}

function cancelOn({ sql }: Driver, pid: number): void {
  sql`select pg_cancel_backend(${pid})`.catch(() => {}) // Then the heartbeat notices that the server is gone.
}

async function listenTo(driver: Driver, channels: Iterable<string>, withinMs: number): Promise<void> {
  const { sql } = driver
  const listening = (async () => {
    for (const channel of channels) await sql`listen ${sql(channel)}`
  })()
  const late = wait(withinMs, null, { ref: false }).then(() => {
    throw new Error('the server does not answer')
  })
  try {
    await Promise.race([listening, late])
  } catch (error) {
    await driver.end(0)
    throw error
  }
}
