// Runs the schedules, consumers and queues of all services until the host stops. A lease ensures one run of a schedule per
// period across all processes.
import { setTimeout as wait } from 'node:timers/promises'
import type { Database, Engines } from '../engines/engines.ts'
import type { Consumer, Schedule, ScheduleOutcome } from '../kit/background.ts'
import { emitting } from '../kit/events.ts'
import { selectLastRun, updateDue } from '../kit/lease.store.ts'
import { type Lease, withLease } from '../kit/lease.ts'
import type { Queues } from '../kit/queue.ts'
import type { EndedOrgs, Service } from '../kit/service.ts'
import { startConsumers } from './consumers/consumers.ts'
import type { Handler } from './consumers/lane.ts'
import type { Log } from './log.ts'
import { type QueuesOptions, workOnQueues } from './queues/queues.ts'

/** The backoff after a first failure. It doubles with each further one. */
const RETRY_MS = 5_000
const RETRY_MAX_MS = 10 * 60_000
/** How long to wait before checking again when another process has the lease. */
const LEASED_RETRY_MS = 30_000
/** Keeps processes that started together from checking at the same moments. */
const JITTER = 0.1
/** How long a run may take to end after its signal is aborted at shutdown. */
const END_MS = 10_000
/** The same for work that sends something, such as a delivery to a slow endpoint. */
const JOBS_END_MS = 15_000

export type BackgroundOptions = {
  services: readonly Service[]
  engines: Engines
  states: ReadonlyMap<string, unknown>
  /** The log for services and background work. */
  jobs: Queues
  queues: Omit<QueuesOptions, 'warn' | 'db' | 'endedOrgs'>
  /** The `source` of events. */
  source: string
  endedOrgs: EndedOrgs
  log: Log
}

/** Starts all background work; returns a function that stops it. */
export async function startBackground(options: BackgroundOptions): Promise<() => Promise<void>> {
  const { engines, services, states, log } = options
  const db = engines.db.background
  const warn = (error: unknown, what: string, fields: Record<string, unknown> = {}) =>
    log.events.warn({ err: error, ...fields }, what)
  const handlers = services.flatMap(({ name, consumers }) =>
    consumers.map(one => handlerOf(options, states.get(name), one)),
  )
  requireDistinct(handlers.map(({ id }) => id))
  const stopConsumers = await startConsumers({ ...engines, db, warn }, handlers)
  const stopSchedules = startSchedules(options, 'all')
  const stopQueues = startQueues(options, db, error => warn(error, 'queues'))
  return async () => void (await Promise.all([stopSchedules(), stopQueues(), stopConsumers()]))
}

function requireDistinct(ids: readonly string[]): void {
  const twice = ids.find((id, at) => ids.indexOf(id) !== at)
  if (twice) throw new Error(`two consumers are named ${twice}`)
}

function startQueues(options: BackgroundOptions, db: Database, warn: (error: unknown) => void): () => Promise<void> {
  const ended = new AbortController()
  const { endedOrgs } = options
  const running = workOnQueues({ ...options.queues, endedOrgs, db, warn }, ended.signal).catch(warn)
  return async () => {
    ended.abort()
    const isOver = await Promise.race([running.then(() => true), wait(JOBS_END_MS, false, { ref: false })])
    if (!isOver) options.log.events.warn('jobs of queues did not end in time and are abandoned')
  }
}

function handlerOf(
  { endedOrgs, engines, jobs, source }: BackgroundOptions,
  state: unknown,
  consumer: Consumer,
): Handler {
  const { emits, run } = consumer
  const { log, clock, random } = engines
  const handle: Handler['handle'] = async (db, events, ingested, signal) => {
    if (endedOrgs.has(events[0]?.tenant ?? '')) return undefined
    return emitting({ log, clock, random, source }, db, emits, emit =>
      run({ db, clock, random, state, queues: jobs, emit, signal } as never, events, ingested),
    )
  }
  return { ...consumer, handle }
}

type ScheduleOptions = Pick<BackgroundOptions, 'services' | 'engines' | 'states' | 'jobs' | 'log'>

/** Schedules that every process runs concern its memory, so they run even if it does no other background work. */
export function startSchedules(options: ScheduleOptions, per: Schedule['per']): () => Promise<void> {
  const ended = new AbortController()
  const running = options.services.flatMap(({ name, schedules }) =>
    schedules
      .filter(one => one.per === per)
      .map(schedule => keepRunning(options, options.states.get(name), schedule, ended.signal)),
  )
  return async () => {
    ended.abort()
    const isOver = await Promise.race([Promise.all(running).then(() => true), wait(END_MS, false, { ref: false })])
    if (!isOver) options.log.events.warn('a schedule did not end in time and is abandoned')
  }
}

async function keepRunning(
  options: ScheduleOptions,
  state: unknown,
  schedule: Schedule,
  ended: AbortSignal,
): Promise<void> {
  const { engines, log } = options
  const runs = schedule.per === 'process' ? runHere : runIfDue
  let [failures, isStart] = [0, true]
  while (!ended.aborted) {
    let waitMs: number
    try {
      waitMs = await runs(options, state, schedule, ended, isStart)
      failures = 0
      isStart = false
    } catch (error) {
      if (ended.aborted) return
      log.events.error({ err: error, schedule: schedule.name }, 'schedule')
      waitMs = Math.min(RETRY_MAX_MS, RETRY_MS * 2 ** failures++, Math.max(schedule.everyMs, RETRY_MS))
    }
    const share = engines.random.bytes(4).readUInt32LE() / 2 ** 32
    await engines.clock.sleep(waitMs * (1 - JITTER * share), ended)
  }
}

/** Runs in this process, whatever other processes do. */
async function runHere(
  options: ScheduleOptions,
  state: unknown,
  schedule: Schedule,
  ended: AbortSignal,
): Promise<number> {
  const db = options.engines.db.background
  const outcome = await runOnce(options, state, schedule, { signal: ended, write: work => db.transaction(work) })
  return outcome?.againInMs ?? schedule.everyMs
}

/** Returns the milliseconds until the next check. At process start, a postponed run is due immediately, so that a
 *  restart after a repair retries at once. */
async function runIfDue(
  options: ScheduleOptions,
  state: unknown,
  schedule: Schedule,
  ended: AbortSignal,
  isStart: boolean,
): Promise<number> {
  const { clock, random } = options.engines
  const db = options.engines.db.background
  const name = `schedule ${schedule.name}`
  const remainingMs = async (ignoresDue: boolean) => {
    const { done, due } = await selectLastRun(db, name)
    const regularMs = done === null ? Number.NEGATIVE_INFINITY : Date.parse(done) + schedule.everyMs
    const dueMs = ignoresDue || due === null ? regularMs : Date.parse(due)
    return dueMs - clock.now().getTime()
  }
  const dueInMs = await remainingMs(isStart)
  if (dueInMs > 0) return Math.min(dueInMs, schedule.everyMs)
  const nextAtMs = await withLease({ db, clock, random }, name, ended, async lease => {
    // Another process may have run it before this one acquired the lease.
    const stillMs = await remainingMs(isStart)
    if (stillMs > 0) return clock.now().getTime() + stillMs
    const outcome = await runOnce(options, state, schedule, lease)
    const now = clock.now()
    const againMs = outcome?.againInMs ?? schedule.everyMs
    const due = new Date(now.getTime() + againMs).toISOString()
    await lease.write(tx => updateDue(tx, name, outcome ? null : now.toISOString(), due))
    return now.getTime() + againMs
  })
  return nextAtMs === null ? LEASED_RETRY_MS : nextAtMs - clock.now().getTime()
}

async function runOnce(
  { engines, jobs: queues }: ScheduleOptions,
  state: unknown,
  schedule: Schedule,
  { signal, write }: Lease,
): Promise<ScheduleOutcome> {
  const late = new AbortController()
  const done = new AbortController()
  void engines.clock.sleep(schedule.deadlineMs, done.signal).then(() => {
    if (!done.signal.aborted) late.abort(new Error(`the schedule ${schedule.name} exceeded its deadline`))
  })
  const bounded = AbortSignal.any([signal, late.signal])
  try {
    // A run that ignores its signal is abandoned. Without the lease it cannot write any more.
    const overdue = new Promise<never>((_, reject) => {
      late.signal.addEventListener('abort', () => reject(late.signal.reason), { once: true })
    })
    const context = { ...engines, db: engines.db.background, state, queues, signal: bounded, write }
    const outcome = await Promise.race([schedule.run(context as never), overdue])
    bounded.throwIfAborted()
    return outcome
  } finally {
    done.abort()
  }
}
