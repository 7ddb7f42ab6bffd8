// Runs the schedules and consumers of all services until the host stops. A lease ensures one run per period across all processes.
import { setTimeout as wait } from 'node:timers/promises'
import type { BusConsumer, Engines } from '../engines/engines.ts'
import type { Consumer, Schedule, ScheduleOutcome } from '../kit/background.ts'
import { withLease } from '../kit/lease/lease.ts'
import { selectDue, updateDue } from '../kit/lease/store.ts'
import type { Service } from '../kit/service.ts'
import type { Log } from './log.ts'

/** The backoff after a first failure. It doubles with each further one. */
const RETRY_MS = 5_000
const RETRY_MAX_MS = 10 * 60_000
/** How long to wait before checking again when another process has the lease. */
const LEASED_RETRY_MS = 30_000
/** Keeps processes that started together from checking at the same moments. */
const JITTER = 0.1
/** How long a run may take to end after its signal is aborted at shutdown. */
const END_MS = 10_000
/** The same for what is being sent, such as a delivery to a slow endpoint. */
const WORK_END_MS = 15_000

export type BackgroundOptions = {
  services: readonly Service[]
  engines: Engines
  states: ReadonlyMap<string, unknown>
  /** What each process does until the host stops. */
  works: readonly ((signal: AbortSignal) => Promise<void>)[]
  log: Log
}

/** Returns a function that stops all of it. */
export async function startBackground(options: BackgroundOptions): Promise<() => Promise<void>> {
  const { engines, services, states } = options
  await engines.bus.consume(
    services.flatMap(({ name, consumers }) => consumers.map(one => consumerOf(engines, states.get(name), one))),
  )
  const stopSchedules = startSchedules(options)
  const stopWorks = startWorks(options)
  return async () => void (await Promise.all([stopSchedules(), stopWorks(), engines.bus.close()]))
}

function startWorks({ works, log }: BackgroundOptions): () => Promise<void> {
  const ended = new AbortController()
  const running = works.map(work => work(ended.signal).catch(error => log.events.error({ err: error }, 'work')))
  return async () => {
    ended.abort()
    const isOver = await Promise.race([Promise.all(running).then(() => true), wait(WORK_END_MS, false, { ref: false })])
    if (!isOver) log.events.warn('background work did not end in time and is abandoned')
  }
}

function consumerOf(engines: Engines, state: unknown, { name, subjects, batchMax, run }: Consumer): BusConsumer {
  const handle: BusConsumer['handle'] = (db, events, signal) => run({ ...engines, db, state, signal } as never, events)
  return { name, subjects, batchMax, handle }
}

export function startSchedules(options: Omit<BackgroundOptions, 'works'>): () => Promise<void> {
  const ended = new AbortController()
  const running = options.services.flatMap(({ name, schedules }) =>
    schedules.map(schedule => keepRunning(options, options.states.get(name), schedule, ended.signal)),
  )
  return async () => {
    ended.abort()
    const isOver = await Promise.race([Promise.all(running).then(() => true), wait(END_MS, false, { ref: false })])
    if (!isOver) options.log.events.warn('a schedule did not end in time and is abandoned')
  }
}

async function keepRunning(
  options: Omit<BackgroundOptions, 'works'>,
  state: unknown,
  schedule: Schedule,
  ended: AbortSignal,
): Promise<void> {
  const { engines, log } = options
  let [failures, isStart] = [0, true]
  while (!ended.aborted) {
    let waitMs: number
    try {
      waitMs = await runIfDue(engines, state, schedule, ended, isStart)
      failures = 0
      isStart = false
    } catch (error) {
      if (ended.aborted) return
      log.events.error({ err: error, schedule: schedule.name }, 'schedule')
      waitMs = Math.min(RETRY_MAX_MS, RETRY_MS * 2 ** failures++)
    }
    const share = engines.random.bytes(4).readUInt32LE() / 2 ** 32
    await engines.clock.sleep(waitMs * (1 - JITTER * share), ended)
  }
}

/** Returns after how many milliseconds to check again. At process start a postponed run is not waited for, so that a
 *  restart after a repair retries at once. */
async function runIfDue(
  engines: Engines,
  state: unknown,
  schedule: Schedule,
  ended: AbortSignal,
  isStart: boolean,
): Promise<number> {
  const { db, clock } = engines
  const name = `schedule ${schedule.name}`
  const remainingMs = async (ignoresDue: boolean) => {
    const { done, due } = await selectDue(db, name)
    const regularMs = done === null ? Number.NEGATIVE_INFINITY : Date.parse(done) + schedule.everyMs
    const dueMs = ignoresDue || due === null ? regularMs : Date.parse(due)
    return dueMs - clock.now().getTime()
  }
  const dueInMs = await remainingMs(isStart)
  if (dueInMs > 0) return Math.min(dueInMs, schedule.everyMs)
  const nextAtMs = await withLease(engines, name, ended, async lease => {
    // Another process may have run it before this one acquired the lease.
    const stillMs = await remainingMs(isStart)
    if (stillMs > 0) return clock.now().getTime() + stillMs
    const outcome = await runOnce(engines, state, schedule, lease)
    const now = clock.now()
    const againMs = outcome?.againInMs ?? schedule.everyMs
    const due = new Date(now.getTime() + againMs).toISOString()
    await lease.write(tx => updateDue(tx, name, outcome ? null : now.toISOString(), due))
    return now.getTime() + againMs
  })
  return nextAtMs === null ? LEASED_RETRY_MS : nextAtMs - clock.now().getTime()
}

async function runOnce(
  engines: Engines,
  state: unknown,
  schedule: Schedule,
  { signal, write }: Parameters<Parameters<typeof withLease>[3]>[0],
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
    const outcome = await Promise.race([schedule.run({ ...engines, state, signal: bounded, write } as never), overdue])
    bounded.throwIfAborted()
    return outcome
  } finally {
    done.abort()
  }
}
