// A worker thread for work that would block the event loop. It gets one call at a time, so that a call which exhausts its
// memory fails no other; the others wait in a fair queue.
import { inTurn, openFairQueue, QueueFull } from '../../fair/queue.ts'
import { Fault } from '../fault.ts'
import type { Gauge } from '../service.ts'
import type { Call, Input, Result, ThreadFunctions } from './functions.ts'
import { openWorker, ThreadLost, type WorkerOptions } from './worker.ts'

export type ThreadOptions = WorkerOptions & {
  /** How many calls may wait, and for how long; `busy` is the message for the others. */
  waitingMax: number
  waitMs: number
  busy: string
}

export type CallOptions = {
  /** The caller: users are served in turn. */
  user: string
  /** Ends the wait for its turn. A running call is not aborted. */
  signal?: AbortSignal | undefined
  /** Buffers of the input that are moved instead of copied. */
  move?: ArrayBuffer[]
}

export type Thread<F extends ThreadFunctions> = {
  /** Raises what the function throws; `ThreadLost` if the thread ended; `overloaded` if too many calls wait. */
  call<N extends keyof F & string>(name: N, input: Input<F[N]>, options: CallOptions): Promise<Result<F[N]>>
  isStarted(): boolean
  gauges(): Gauge[]
  /** Ends the thread and all calls. */
  close(): Promise<void>
}

/** Clients of a queue that is full try again after this time. */
const RETRY_AFTER_S = 2

export function openThread<F extends ThreadFunctions>(options: ThreadOptions): Thread<F> {
  const { name, waitingMax, waitMs, busy } = options
  const worker = openWorker(options)
  const queue = openFairQueue({ width: 1, waitingMax, waitMs })
  const outcomes = { answered: 0, failed: 0, lost: 0, refused: 0 }

  async function run(call: Call, buffers: ArrayBuffer[]): Promise<unknown> {
    try {
      const result = await worker.run(call, buffers)
      outcomes.answered++
      return result
    } catch (error) {
      outcomes[error instanceof ThreadLost ? 'lost' : 'failed']++
      throw error
    }
  }

  function refuse(error: unknown): never {
    if (!(error instanceof QueueFull)) throw error
    outcomes.refused++
    throw new Fault('overloaded', { message: busy, retryAfterS: RETRY_AFTER_S, cause: error })
  }

  return {
    call: async (what, input, { user, signal, move = [] }) => {
      const work = () => run({ name: what, input }, move)
      return (await inTurn(queue, user, work, signal).catch(refuse)) as never
    },
    isStarted: worker.isStarted,
    gauges: () => gaugesOf(name, queue.load().waiting, outcomes, worker.restarts()),
    close: async () => {
      queue.rejectWaiting(new ThreadLost(name, 'closed'))
      await worker.close()
    },
  }
}

function gaugesOf(thread: string, waiting: number, outcomes: Record<string, number>, restarts: number): Gauge[] {
  const calls = Object.entries(outcomes).map(([outcome, value]) => ({ labels: { thread, outcome }, value }))
  const one = (value: number) => [{ labels: { thread }, value }]
  const restarted = 'Starts of worker threads that were lost before'
  return [
    { name: 'stoa_thread_waiting', help: 'Calls that wait for a worker thread', samples: one(waiting) },
    { name: 'stoa_thread_calls_total', help: 'Calls of worker threads', type: 'counter', samples: calls },
    { name: 'stoa_thread_restarts_total', help: restarted, type: 'counter', samples: one(restarts) },
  ]
}
