// The thread as its caller sees it: started with the first job, ended when there is nothing more to do for a while. It is
// handed one job at a time, so that a document which is too much for it takes no other job along.
import { Worker } from 'node:worker_threads'
import { OUT_OF_MEMORY } from '../sources/heap.ts'
import type { BuildJob, Built, Parsed, ParseJob, Unread } from './jobs.ts'
import type { OverridesJob, PackedOverrides } from './overrides.ts'

const IDLE_MS = 10_000
/** Enough for the largest list that may land, and not all that a machine has. */
const HEAP_MB = 2_048
/** Many times what the largest list takes. */
const JOB_MS = 120_000

export type Thread = {
  parse(job: Omit<ParseJob, 'kind'>): Promise<Parsed | Unread>
  build(job: Omit<BuildJob, 'kind'>): Promise<Built>
  packOverrides(job: Omit<OverridesJob, 'kind'>): Promise<PackedOverrides>
  close(): Promise<void>
}

export type Job = ParseJob | BuildJob | OverridesJob
type Asked = { job: Job; resolve(result: unknown): void; reject(error: unknown): void }

const NO_TIME = 'The document cannot be read within the time there is for it'

/** A job took more than there is of something. */
class Overrun extends Error {}

export function openThread({ jobMs = JOB_MS, heapMb = HEAP_MB, idleMs = IDLE_MS } = {}): Thread {
  let worker: Worker | null = null
  let running: Asked | null = null
  let timer: NodeJS.Timeout | undefined
  const waiting: Asked[] = []

  /** Tells whoever asked for the running job, and begins the next one. What a worker says that has been ended is no answer
   *  to what another was asked. */
  function settle(from: Worker | null, how: How, outcome: unknown): void {
    if (from !== worker) return
    if (how === 'lost') worker = null
    const asked = running
    running = null
    if (how === 'result') asked?.resolve(outcome)
    else asked?.reject(outcome)
    begin()
  }

  function begin(): void {
    if (running) return
    clearTimeout(timer)
    running = waiting.shift() ?? null
    timer = setTimeout(running ? giveUp : () => void end(), running ? jobMs : idleMs).unref()
    if (!running) return
    worker ??= startWorker(heapMb, settle)
    worker.postMessage(running.job)
  }

  function giveUp(): void {
    void end()
    settle(null, 'lost', new Overrun(NO_TIME))
  }

  async function end(): Promise<void> {
    const ended = worker
    worker = null
    await ended?.terminate()
  }

  function ask<T>(job: Job): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      waiting.push({ job, resolve: result => resolve(result as T), reject })
      begin()
    })
  }

  return {
    parse: job => ask<Parsed | Unread>({ kind: 'parse', ...job }).catch(refusalFrom),
    build: job => ask({ kind: 'build', ...job }),
    packOverrides: job => ask({ kind: 'overrides', ...job }),
    close: async () => {
      for (const { reject } of [...(running ? [running] : []), ...waiting.splice(0)])
        reject(new Error('the host is ending'))
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
    settle(started, 'lost', error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? new Overrun(OUT_OF_MEMORY) : error),
  )
  started.on('exit', () => settle(started, 'lost', new Error('the thread of the risk reference ended')))
  started.unref() // Last, since whoever listens holds it again.
  return started
}

/** What one document did to the thread is said of that document. */
function refusalFrom(error: unknown): Unread {
  if (!(error instanceof Overrun)) throw error
  return { refusal: error.message }
}
