// LISTEN on a connection of its own, which is looked after: the driver's way waits for ever on a connection that a network
// has cut without a word, and what is remembered here would never hear again that it has changed.
import { setTimeout as wait } from 'node:timers/promises'
import type postgres from 'postgres'

/** How often the connection is asked whether it still is one: a network that was cut says nothing. */
const BEAT_MS = 10_000
/** How long a change waits to be heard of. A connection that is silent or lost is not waited for: whoever listens is told
 *  when it is back. */
const PATIENCE_MS = 1_000
/** Between tries to get it back. */
const PAUSE_MS = 250

export type NotifyHandlers = {
  /** Not in the driver's types, but what its own listening stands on. */
  onnotify: (channel: string, payload: string) => void
  onclose: () => void
}
type Listener = { channel: string; onNotify: (payload: string) => void; onConnect: () => void }

export function openListening(connect: (handlers: NotifyHandlers) => postgres.Sql, beatMs = BEAT_MS) {
  const listeners: Listener[] = []
  /** The connection that is being opened, or is open. */
  let latest: postgres.Sql | null = null
  /** The one that listens. */
  let line: postgres.Sql | null = null
  let closed = false
  let queue: Promise<unknown> = Promise.resolve()

  /** A new connection with every channel there is, and word to every listener that it may have missed something. */
  async function begin(): Promise<void> {
    const next = connect({
      onnotify: (channel, payload) => {
        for (const one of listeners) if (one.channel === channel) one.onNotify(payload)
      },
      onclose: () => lose(next),
    })
    latest = next
    await listenTo(next, new Set(listeners.map(one => one.channel)))
    if (closed) return
    line = next
    for (const { onConnect } of listeners) onConnect()
    void connectionLost(next, beatMs).then(() => lose(next))
  }

  function lose(mine: postgres.Sql): void {
    if (line !== mine) return
    line = null
    void mine.end({ timeout: 0 })
    queue = restart()
  }

  async function restart(): Promise<void> {
    while (!closed && line === null) await begin().catch(() => wait(PAUSE_MS))
  }

  async function listen(listener: Listener): Promise<void> {
    listeners.push(listener)
    if (!line) return begin()
    await line`listen ${line(listener.channel)}`
    listener.onConnect()
  }

  return {
    /** One after the other, so that each either opens the connection or finds it. */
    listen: (listener: Listener) => {
      const mine = queue.then(() => listen(listener))
      queue = mine.catch(() => {})
      return mine
    },
    waitForNotifications: async () => (line ? answers(line, PATIENCE_MS).then(() => {}) : undefined),
    close: async () => {
      closed = true
      line = null
      await latest?.end({ timeout: 0 })
    },
  }
}

async function listenTo(line: postgres.Sql, channels: Iterable<string>): Promise<void> {
  try {
    for (const channel of channels) await line`listen ${line(channel)}`
  } catch (error) {
    await line.end({ timeout: 0 })
    throw error
  }
}

/** Comes when the connection has ended, or does not answer any more. */
async function connectionLost(line: postgres.Sql, beatMs: number): Promise<void> {
  for (let isThere = true; isThere; ) {
    await wait(beatMs, null, { ref: false })
    isThere = await answers(line, beatMs)
  }
}

/** PostgreSQL hands out what was sent before it says that a later statement is through. */
function answers(line: postgres.Sql, withinMs: number): Promise<boolean> {
  const answer = line`select 1`.then(
    () => true,
    () => false,
  )
  return Promise.race([answer, wait(withinMs, false, { ref: false })])
}
