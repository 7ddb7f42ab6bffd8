// Sends deliveries. An endpoint belongs to one process at a time, which keeps it while something is due there, so that a
// slow one has its own queue and takes few of the connections.
import type { Database, Http } from '../../../engines/engines.ts'
import type { Publishing } from '../../../kit/events.ts'
import { openUnawaited } from '../../../kit/unawaited.ts'
import { openEndings } from './endings.ts'
import type { KeysOf } from './keys.ts'
import type { Measured } from './measured.ts'
import { openPlaces, START_MAX, type Taken } from './places.ts'
import { openQueues } from './queues.ts'
import { sendStarted } from './send.ts'
import { type Started, startAttempts } from './start.ts'
import { openWaker } from './waker.ts'

/** How long a process waits at most before it looks whether others left something to send. */
const POLL_MS = 1_000
/** What is due may be locked for a moment by whoever adds to it. */
const PAUSE_MS = 5
const TROUBLE_MS = 1_000

export type DispatcherOptions = Publishing & {
  db: Database
  http: Http
  keysOf: KeysOf
  /** Attempts at once for each endpoint. */
  concurrency: number
  measured: Measured
  warn: (error: unknown) => void
}

export type Dispatcher = {
  /** There is something new to send. */
  wake(): void
  /** Sends until the signal is aborted, and then waits for what is being sent. */
  run(signal: AbortSignal): Promise<void>
}

export function openDispatcher(options: DispatcherOptions): Dispatcher {
  const waker = openWaker(options.clock)
  return {
    wake: waker.wake,
    run: async signal => {
      signal.addEventListener('abort', waker.wake, { once: true })
      const turns = openTurns(options, waker.wake)
      while (!signal.aborted) {
        const waitMs = await turns.next().catch(error => {
          options.warn(error)
          return TROUBLE_MS
        })
        await waker.wait(waitMs)
      }
      await turns.close()
    },
  }
}

function openTurns(options: DispatcherOptions, wake: () => void) {
  const { clock, warn, measured, concurrency } = options
  const db = options.db.for('webhooks')
  const me = options.random.token(16)
  const queues = openQueues(db, clock, me)
  const places = openPlaces(concurrency)
  const unawaited = openUnawaited(warn)
  const endings = openEndings({ ...options, db })
  const nowMs = () => clock.now().getTime()

  async function start(taken: readonly Taken[]): Promise<void> {
    const waiting = new Map(taken.map(one => [one.due.id, one]))
    try {
      const due = taken.map(one => one.due)
      for (const started of await startAttempts(db, me, due, clock.now())) {
        unawaited.start(send(started, waiting.get(started.delivery) as Taken))
        waiting.delete(started.delivery)
      }
    } finally {
      for (const one of waiting.values()) {
        one.queue.running--
        places.give(one)
      }
    }
  }

  async function send(started: Started, taken: Taken): Promise<void> {
    const { queue } = taken
    try {
      const ended = await sendStarted(options, started).catch(error => {
        places.end(taken, true, 0)
        throw error
      })
      const isOk = ended.status === 'ok'
      places.end(taken, isOk, ended.durationMs)
      measured.add(queue.org, queue.webhook, isOk, ended.durationMs)
      wake()
      await endings.add({ ...ended, org: queue.org })
      if (ended.due !== null) queue.dueMs = Math.min(queue.dueMs, Date.parse(ended.due))
    } finally {
      places.give(taken)
      wake()
    }
  }

  return {
    /** Returns after how many milliseconds there may be something to do. */
    next: async (): Promise<number> => {
      await queues.fill()
      const taken = places.take(queues.all())
      if (taken.length > 0) await start(taken)
      await queues.release()
      if (taken.length === START_MAX) return 0
      return Math.min(POLL_MS, Math.max((await queues.nextDueMs()) - nowMs(), PAUSE_MS))
    },
    close: async () => {
      await unawaited.ended()
      await endings.close()
      await queues.close().catch(warn)
    },
  }
}
