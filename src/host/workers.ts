// Runs the workers of all services: each in one process at a time, again and again, until the host ends.
import type { Engines } from '../engines/engines.ts'
import { withLease } from '../kit/lease/lease.ts'
import type { Service } from '../kit/service.ts'
import type { Worker } from '../kit/worker.ts'
import type { Log } from './log.ts'

/** After a failure, or while another process does the work. */
const PAUSE_MS = 30_000
/** So that processes that start together do not look together for ever. */
const JITTER = 0.1

export type WorkersOptions = {
  services: readonly Service[]
  engines: Engines
  states: ReadonlyMap<string, unknown>
  log: Log
}

/** Starts them, and answers what ends them. */
export function startWorkers(options: WorkersOptions): () => Promise<void> {
  const ended = new AbortController()
  const running = options.services.flatMap(({ name, workers }) =>
    workers.map(worker => keepRunning(options, options.states.get(name), worker, ended.signal)),
  )
  return async () => {
    ended.abort()
    await Promise.all(running)
  }
}

async function keepRunning(
  { engines, log }: WorkersOptions,
  state: unknown,
  worker: Worker,
  ended: AbortSignal,
): Promise<void> {
  while (!ended.aborted) {
    const once = () =>
      withLease(engines, `worker ${worker.name}`, ended, signal => worker.run({ ...engines, state, signal }))
    const waitMs = await once().catch(error => {
      if (!ended.aborted) log.events.error({ err: error, worker: worker.name }, 'worker')
      return PAUSE_MS
    })
    const share = engines.random.bytes(4).readUInt32LE() / 2 ** 32
    await engines.clock.sleep((waitMs ?? PAUSE_MS) * (1 - JITTER * share), ended)
  }
}
