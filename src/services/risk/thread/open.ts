// Runs jobs in a worker thread. The thread is started with the first job and ended after an idle time. It receives one
// job at a time, so that a document which exhausts it fails no other job.
import { Worker } from 'node:worker_threads'
import { OUT_OF_MEMORY } from '../sources/heap.ts'
import type { BuildJob, Built, Parsed, ParseJob, ParseRefusal } from './jobs.ts'
import type { OverridesJob, PackedOverrides } from './overrides.ts'

const IDLE_MS = 10_000
/** Enough for the largest list that is accepted. */
const HEAP_MB = 2_048
/** Many times what the largest list needs. */
const JOB_MS = 120_000

export type Thread = {
  parse(job: Omit<ParseJob, 'kind'>): Promise<Parsed | ParseRefusal>
  build(job: Omit<BuildJob, 'kind'>): Promise<Built>
  packOverrides(job: Omit<OverridesJob, 'kind'>): Promise<PackedOverrides>
  close(): Promise<void>
}

export type Job = ParseJob | BuildJob | OverridesJob
type PendingJob = { job: Job; resolve(result: unknown): void; reject(error: unknown): void }

const TIMED_OUT = 'The document could not be parsed within the time limit'

/** A job exceeded its time or memory. */
class LimitExceeded extends Error {}

export function openThread({ jobMs = JOB_MS, heapMb = HEAP_MB, idleMs = IDLE_MS } = {}): Thread {
  let worker: Worker | null = null
  let running: PendingJob | null = null
  let timer: NodeJS.Timeout | undefined
  const queue: PendingJob[] = []

  /** Settles the running job and starts the next one. Messages of a worker that has been ended are ignored. */
  function settle(from: Worker | null, how: How, outcome: unknown): void {
    if (from !== worker) return
    if (how === 'lost') worker = null
    const job = running
    running = null
    if (how === 'result') job?.resolve(outcome)
    else job?.reject(outcome)
    startNext()
  }

  function startNext(): void {
    if (running) return
    clearTimeout(timer)
    running = queue.shift() ?? null
    timer = setTimeout(running ? onTimeout : () => void end(), running ? jobMs : idleMs).unref()
    if (!running) return
    worker ??= startWorker(heapMb, settle)
    worker.postMessage(running.job)
  }

  function onTimeout(): void {
    void end()
    settle(null, 'lost', new LimitExceeded(TIMED_OUT))
  }

  async function end(): Promise<void> {
    const ended = worker
    worker = null
    await ended?.terminate()
  }

  function enqueue<T>(job: Job): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      queue.push({ job, resolve: result => resolve(result as T), reject })
      startNext()
    })
  }

  return {
    parse: job => enqueue<Parsed | ParseRefusal>({ kind: 'parse', ...job }).catch(refusalFrom),
    build: job => enqueue({ kind: 'build', ...job }),
    packOverrides: job => enqueue({ kind: 'overrides', ...job }),
    close: async () => {
      for (const { reject } of [...(running ? [running] : []), ...queue.splice(0)])
        reject(new Error('the worker thread was closed'))
      running = null
      clearTimeout(timer)
      await end()
    },
  }
}

type How = 'result' | 'failure' | 'lost'

function startWorker(heapMb: number, settle: (from: Worker, how: How, outcome: unknown) => void): Worker {
  const resourceLimits = { maxOldGenerationSizeMb: heapMb }
  const started = new Worker(new URL('thread.ts', import.meta.url), { resourceLimits })
  started.on('message', ({ result, failure }) => settle(started, failure ? 'failure' : 'result', failure ?? result))
  started.on('error', (error: Error & { code?: string }) =>
    settle(started, 'lost', error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? new LimitExceeded(OUT_OF_MEMORY) : error),
  )
  started.on('exit', () => settle(started, 'lost', new Error('the worker thread of the risk reference ended')))
  started.unref() // Last, since adding a listener refs it again.
  return started
}

/** A document that exhausts the thread is rejected; other errors are passed on. */
function refusalFrom(error: unknown): ParseRefusal {
  if (!(error instanceof LimitExceeded)) throw error
  return { refusal: error.message }
}
