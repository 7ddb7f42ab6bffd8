// The lifecycle of a worker thread: started by a call, ended after an idle time, restarted after it was lost. It gets one
// call at a time, which its caller ensures.
import { setTimeout as wait } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { Answer, Call } from './functions.ts'

export type WorkerOptions = {
  /** Its name in metrics and errors, such as `risk`. */
  name: string
  file: URL
  /** The limit of its heap. Buffers are not included. */
  heapMb: number
  /** A call that takes longer ends the thread. */
  callMs: number
  idleMs: number
}

/** The thread ended during a call. */
export class ThreadLost extends Error {
  readonly reason: 'time' | 'memory' | 'crash' | 'closed'
  constructor(name: string, reason: ThreadLost['reason'], cause?: unknown) {
    super(`the thread ${name} ${HOW[reason]}`, { cause })
    this.reason = reason
  }
}

const HOW = { time: 'took too long', memory: 'ran out of memory', crash: 'crashed', closed: 'was closed' }

/** The first restart is immediate. If the thread is lost again before it has answered, each further restart waits twice
 *  as long. */
const RESTART_MS = 500
const RESTART_MAX_MS = 30_000

type Running = { resolve(result: unknown): void; reject(error: unknown): void }

export function openWorker({ name, file, heapMb, callMs, idleMs }: WorkerOptions) {
  const closing = new AbortController()
  let worker: Worker | null = null
  let running: Running | null = null
  let idle: NodeJS.Timeout | undefined
  let restarts = 0
  /** Since its last answer. */
  let losses = 0

  function lose(from: Worker, reason: ThreadLost['reason'], cause?: unknown): void {
    if (from !== worker) return
    worker = null
    losses++
    void from.terminate()
    running?.reject(new ThreadLost(name, reason, cause))
  }

  /** Messages of a thread that was ended are ignored. */
  function settle(from: Worker, answer: Answer): void {
    if (from !== worker) return
    losses = 0
    if ('result' in answer) running?.resolve(answer.result)
    else running?.reject(answer.failure)
  }

  async function start(): Promise<Worker> {
    if (losses > 1) {
      const pauseMs = Math.min(RESTART_MAX_MS, RESTART_MS * 2 ** (losses - 2))
      await wait(pauseMs, undefined, { signal: closing.signal }).catch(() => {})
    }
    if (closing.signal.aborted) throw new ThreadLost(name, 'closed')
    if (losses > 0) restarts++
    const started = new Worker(file, { resourceLimits: { maxOldGenerationSizeMb: heapMb } })
    started.on('message', (answer: Answer) => settle(started, answer))
    started.on('messageerror', cause => lose(started, 'crash', cause))
    started.on('error', (cause: Error & { code?: string }) =>
      lose(started, cause.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : 'crash', cause),
    )
    started.on('exit', () => lose(started, 'crash'))
    started.unref() // Last, since adding a listener refs it again.
    worker = started
    return started
  }

  async function end(): Promise<void> {
    clearTimeout(idle)
    const ended = worker
    worker = null
    await ended?.terminate()
  }

  return {
    run: async (call: Call, buffers: ArrayBuffer[]): Promise<unknown> => {
      clearTimeout(idle)
      const current = worker ?? (await start())
      if (current !== worker) throw new ThreadLost(name, 'closed')
      const late = setTimeout(() => lose(current, 'time'), callMs)
      try {
        return await new Promise((resolve, reject) => {
          running = { resolve, reject }
          current.postMessage(call, buffers)
        })
      } finally {
        running = null
        clearTimeout(late)
        idle = setTimeout(() => void end(), idleMs).unref()
      }
    },
    isStarted: () => worker !== null,
    restarts: () => restarts,
    close: async () => {
      closing.abort()
      running?.reject(new ThreadLost(name, 'closed'))
      await end()
    },
  }
}
