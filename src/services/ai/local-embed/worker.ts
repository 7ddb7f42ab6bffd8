// Runs the jobs of the model in a worker thread. The thread is started with the first job, ended after an idle time, and
// started again after it was lost. It gets one job at a time; the caller sees to that.
import { Worker } from 'node:worker_threads'
import type { Answer, EmbedJob, Job, TokenizeJob, Tokens, Vectors } from './jobs.ts'

export type ModelWorker = {
  tokenize(texts: string[]): Promise<Tokens>
  embed(tokens: Tokens): Promise<Vectors>
  isStarted(): boolean
  close(): Promise<void>
}

/** The thread took too long, or ended. */
export class WorkerLost extends Error {}

export type WorkerOptions = { idleMs: number; jobMs: number; file?: URL }

type Pending = { resolve(result: Tokens | Vectors): void; reject(error: unknown): void }

const CLOSED = 'the embedding model was closed'
const THREAD = new URL('thread.ts', import.meta.url)

export function openModelWorker({ idleMs, jobMs, file = THREAD }: WorkerOptions): ModelWorker {
  let worker: Worker | null = null
  let running: Pending | null = null
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  /** Messages of a worker that has been ended are ignored. */
  function settle(from: Worker, answer: Answer): void {
    if (from !== worker) return
    const job = running
    running = null
    clearTimeout(timer)
    timer = setTimeout(() => void end(), idleMs).unref()
    if ('result' in answer) job?.resolve(answer.result)
    else job?.reject(answer.failure)
  }

  function lose(from: Worker | null, error: Error): void {
    if (from !== worker) return
    void end()
    const job = running
    running = null
    job?.reject(error)
  }

  async function end(): Promise<void> {
    clearTimeout(timer)
    const ended = worker
    worker = null
    await ended?.terminate()
  }

  function start(): Worker {
    const started = new Worker(file)
    started.on('message', (answer: Answer) => settle(started, answer))
    started.on('error', cause => lose(started, new WorkerLost('the thread of the embedding model failed', { cause })))
    started.on('exit', () => lose(started, new WorkerLost('the thread of the embedding model ended')))
    started.unref() // Last, since adding a listener refs it again.
    return started
  }

  function run<T extends Tokens | Vectors>(job: Job, buffers: ArrayBuffer[]): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (isClosed) throw new WorkerLost(CLOSED)
      running = { resolve: result => resolve(result as T), reject }
      clearTimeout(timer)
      const current = worker ?? start()
      worker = current
      const late = () => lose(current, new WorkerLost('the thread of the embedding model took too long'))
      timer = setTimeout(late, jobMs).unref()
      current.postMessage(job, buffers)
    })
  }

  return {
    tokenize: texts => run({ kind: 'tokenize', texts } satisfies TokenizeJob, []),
    embed: ({ ids, lengths }) => run({ kind: 'embed', ids, lengths } satisfies EmbedJob, [ids.buffer, lengths.buffer]),
    isStarted: () => worker !== null,
    close: async () => {
      isClosed = true
      running?.reject(new WorkerLost(CLOSED))
      running = null
      await end()
    },
  }
}
