// LISTEN on a dedicated connection with a heartbeat. The driver's own LISTEN waits forever on a connection that the network
// silently dropped, and caches would then miss all further changes. A silent connection is replaced. If the new one does
// not answer either, the server is down; otherwise only notifications were lost.
import { setTimeout as wait } from 'node:timers/promises'
import { answers, ConnectFailed, type Driver, type DriverHandlers, endsWithin } from './driver.ts'

/** The time limit of `waitForNotifications`. */
const WAIT_MAX_MS = 1_000
const RECONNECT_MS = 250
/** How much longer than an answer a new connection may take, because the server starts a process for it. */
const CONNECTING = 2.5

type Listener = { channel: string; onNotify: (payload: string) => void; onConnect: () => void }

export type ListenerOptions = {
  open: (handlers: DriverHandlers) => Driver
  everyMs: number
  answerMs: number
  /** The server does not answer (`isFrozen`) or cannot be connected to. May be called several times. */
  onUnreachable: (isFrozen: boolean) => void
  onReachable: () => void
}

export function openNotifications({ open, onUnreachable, onReachable, everyMs, answerMs }: ListenerOptions) {
  const listeners: Listener[] = []
  /** The newest connection, open or opening. */
  let latest: Driver | null = null
  /** The connection that listens; null while it is lost. */
  let current: Driver | null = null
  let closed = false
  let queue: Promise<unknown> = Promise.resolve()

  /** Opens a connection and listens on all channels. Calls every `onConnect`: notifications may have been missed. */
  async function start(server = { hasAnswered: false }): Promise<void> {
    const next = open({
      onnotify: (channel, payload) => notify(listeners, channel, payload),
      onclose: () => replace(next),
    })
    latest = next
    await inTime(next, next.sql`select 1`, CONNECTING * answerMs)
    onReachable()
    server.hasAnswered = true
    await inTime(next, listenTo(next, new Set(listeners.map(({ channel }) => channel))), CONNECTING * answerMs)
    if (closed) return
    current = next
    for (const { onConnect } of listeners) onConnect()
    void watch(next)
  }

  /** Returns when the connection has ended or no longer answers. */
  async function watch(driver: Driver): Promise<void> {
    do await wait(everyMs, null, { ref: false })
    while (current === driver && (await answers(driver, answerMs)))
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
      const server = { hasAnswered: false }
      await start(server).catch(error => {
        if (!server.hasAnswered) onUnreachable(error.code === 'CONNECT_TIMEOUT')
        return wait(RECONNECT_MS)
      })
    }
  }

  async function listen(listener: Listener): Promise<void> {
    listeners.push(listener)
    if (!current) return start()
    await inTime(current, listenTo(current, [listener.channel]), answerMs)
    listener.onConnect()
  }

  return {
    /** Calls run one after the other, so only the first one opens the connection. */
    listen: (listener: Listener) => {
      const done = queue.then(() => listen(listener))
      queue = done.catch(() => {})
      return done
    },
    isListening: () => current !== null,
    /** Waits once for a silent connection: while listening is lost, nothing is answered from caches. */
    waitForNotifications: async () => {
      const driver = current
      if (driver && !(await answers(driver, WAIT_MAX_MS))) replace(driver)
    },
    cancel: (pid: number) => void (current && cancelOn(current, pid)),
    close: async () => {
      closed = true
      current = null
      await latest?.end(0)
    },
  }
}

function notify(listeners: readonly Listener[], channel: string, payload: string): void {
  for (const listener of listeners) if (listener.channel === channel) listener.onNotify(payload)
}

/** Asks the server to cancel the statement of a connection. */
function cancelOn({ sql }: Driver, pid: number): void {
  sql`select pg_cancel_backend(${pid})`.catch(() => {}) // The heartbeat will notice that the server is gone.
}

async function listenTo({ sql }: Driver, channels: Iterable<string>): Promise<void> {
  for (const channel of channels) await sql`listen ${sql(channel)}`
}

/** Ends the connection if the work fails or takes longer. */
async function inTime(driver: Driver, work: PromiseLike<unknown>, withinMs: number): Promise<void> {
  try {
    if (!(await endsWithin(work, withinMs))) throw new ConnectFailed({ message: 'the server does not answer' })
    await work
  } catch (error) {
    await driver.end(0)
    throw error
  }
}
