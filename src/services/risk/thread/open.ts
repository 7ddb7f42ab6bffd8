// The thread as its caller sees it: started with the first job, ended when there is nothing more to do for a while.
import { Worker } from 'node:worker_threads'
import type { BuildJob, Built, Parsed, ParseJob, Unread } from './jobs.ts'

const IDLE_MS = 10_000

export type Thread = {
  parse(job: Omit<ParseJob, 'kind'>): Promise<Parsed | Unread>
  build(job: Omit<BuildJob, 'kind'>): Promise<Built>
  close(): Promise<void>
}

type Waiting = { resolve(result: unknown): void; reject(error: unknown): void }

export function openThread(): Thread {
  let worker: Worker | null = null
  let idle: NodeJS.Timeout | null = null
  let count = 0
  const waiting = new Map<number, Waiting>()

  function start(): Worker {
    const started = new Worker(new URL('thread.ts', import.meta.url))
    started.unref()
    started.on('message', ({ id, result, failure }) => {
      const { resolve, reject } = waiting.get(id) as Waiting
      waiting.delete(id)
      if (failure) reject(failure)
      else resolve(result)
      if (waiting.size === 0) idle = setTimeout(() => void end(), IDLE_MS).unref()
    })
    started.on('error', fail)
    started.on('exit', () => worker === started && fail(new Error('the thread of the risk reference ended')))
    return started
  }

  /** Whoever waits is told; the next job starts another. */
  function fail(error: unknown): void {
    worker = null
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
  }

  async function end(): Promise<void> {
    const ended = worker
    worker = null
    await ended?.terminate()
  }

  function ask<T>(job: ParseJob | BuildJob): Promise<T> {
    if (idle) clearTimeout(idle)
    worker ??= start()
    const id = count++
    return new Promise<T>((resolve, reject) => {
      waiting.set(id, { resolve: result => resolve(result as T), reject })
      worker?.postMessage({ id, job })
    })
  }

  return {
    parse: job => ask({ kind: 'parse', ...job }),
    build: job => ask({ kind: 'build', ...job }),
    close: async () => {
      if (idle) clearTimeout(idle)
      await end()
      fail(new Error('the host is ending'))
    },
  }
}
