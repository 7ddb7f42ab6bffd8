// Runs the schedules of all services: each once per period over all processes, under a lease, until the host ends.
import { setTimeout as wait } from 'node:timers/promises'
import type { Engines } from '../engines/engines.ts'
import type { Schedule, ScheduleOutcome } from '../kit/background.ts'
import { withLease } from '../kit/lease/lease.ts'
import { selectDue, updateDue } from '../kit/lease/store.ts'
import type { Service } from '../kit/service.ts'
import type { Log } from './log.ts'

/** After a first failure; twice as long after each further one, up to a bound. */
const RETRY_MS = 5_000
const RETRY_MAX_MS = 10 * 60_000
/** How often it is looked whether another process, which had the lease, is through. */
const HELD_MS = 30_000
/** So that processes that start together do not look together for ever. */
const JITTER = 0.1
/** How long a run may take to obey its signal when the host ends. */
const END_MS = 10_000

export type BackgroundOptions = {
  services: readonly Service[]
  engines: Engines
  states: ReadonlyMap<string, unknown>
  log: Log
}

/** Starts them, and answers what ends them. */
export function startSchedules(options: BackgroundOptions): () => Promise<void> {
  const ended = new AbortController()
  const running = options.services.flatMap(({ name, schedules }) =>
    schedules.map(schedule => keepRunning(options, options.states.get(name), schedule, ended.signal)),
  )
  return async () => {
    ended.abort()
    const isOver = await Promise.race([Promise.all(running).then(() => true), wait(END_MS, false, { ref: false })])
    if (!isOver) options.log.events.warn('a schedule did not end in time, and is left behind')
  }
}

async function keepRunning(
  options: BackgroundOptions,
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

/** Answers after how many milliseconds to look again. A process that starts does not wait for what was put off: whoever
 *  restarts Stoa to mend something wants to see it mended. */
async function runIfDue(
  engines: Engines,
  state: unknown,
  schedule: Schedule,
  ended: AbortSignal,
  isStart: boolean,
): Promise<number> {
  const { db, clock } = engines
  const name = `schedule ${schedule.name}`
  const leftMs = async (ignoresDue: boolean) => {
    const { done, due } = await selectDue(db, name)
    const nextMs = done === null ? Number.NEGATIVE_INFINITY : Date.parse(done) + schedule.everyMs
    const dueMs = ignoresDue || due === null ? nextMs : Date.parse(due)
    return dueMs - clock.now().getTime()
  }
  const early = await leftMs(isStart)
  if (early > 0) return Math.min(early, schedule.everyMs)
  const after = await withLease(engines, name, ended, async lease => {
    // Another process may have run it between the look and the lease.
    const left = await leftMs(isStart)
    if (left > 0) return left
    const outcome = await runOnce(engines, state, schedule, lease)
    const now = clock.now()
    const againMs = outcome?.againInMs ?? schedule.everyMs
    const due = new Date(now.getTime() + againMs).toISOString()
    await lease.write(tx => updateDue(tx, name, outcome ? null : now.toISOString(), due))
    return againMs
  })
  return after ?? HELD_MS
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
    if (!done.signal.aborted) late.abort(new Error(`the schedule ${schedule.name} took longer than it may`))
  })
  const bounded = AbortSignal.any([signal, late.signal])
  try {
    // One that does not obey its deadline is left behind: without the lease it writes nothing any more.
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
