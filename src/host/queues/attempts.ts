// Runs attempts: each is recorded before it starts, and its outcome afterwards.

import type { Clock, Database, Engines } from '../../engines/engines.ts'
import type { Groups } from '../../kit/groups.ts'
import type { Job } from '../../kit/queue.ts'
import * as store from '../../kit/queues/store.ts'
import type { EndedOrgs } from '../../kit/service.ts'
import { openUnawaited, type Unawaited } from '../../kit/unawaited.ts'
import { type Came, type DeclaredQueue, jobOf, outcomeOf } from './jobs.ts'
import type { Interrupted, Key } from './keys.ts'
import type { Measured } from './measured.ts'
import type { AttemptOutcome } from './outcomes.ts'
import type { Slots, Taken } from './slots.ts'
import type { Waker } from './waker.ts'

/** The delay after which an attempt that was not made is retried. */
const UNMADE_MS = 5_000

export type AttemptsOptions = {
  engines: Engines
  db: Database
  clock: Clock
  /** The name of this process. */
  me: string
  queues: ReadonlyMap<string, DeclaredQueue>
  slotsOf: (queue: DeclaredQueue) => Slots
  outcomes: Groups<AttemptOutcome>
  measured: Measured
  endedOrgs: Pick<EndedOrgs, 'has'>
  /** Signals that there may be work; the argument is the number of running attempts. */
  wake: Waker['wakeSoon']
  warn: (error: unknown) => void
}

type Attempt = { queue: DeclaredQueue; taken: Taken; job: Job; started: string }

export function openJobAttempts(options: AttemptsOptions) {
  const { clock, db, outcomes, measured, me, slotsOf, queues, wake, warn } = options
  /** Jobs whose attempt runs here, or whose outcome is not written yet. */
  const ours = new Set<string>()
  const unawaited = openUnawaited(warn)
  const contextOf = openContexts(options)

  /** Ends an attempt: its slot is freed for the next one, and its outcome will be written. */
  function end({ queue, taken, job, started }: Attempt, came: Came | null, ms: number): void {
    const now = clock.now()
    const { ended, end } = came ? outcomeOf(queue, job, started, came, now) : unmade(queue, job, now)
    const slots = slotsOf(queue)
    slots.end(taken, ended?.status === 'ok', ms)
    measured.add(queue.id, ended?.status ?? 'unmade')
    wake(ours.size)
    const written = outcomes.add({ org: taken.key.org, queue, end, ended }).then(() => {
      ours.delete(job.id)
      if (end.due !== null) noteRetry(taken.key, Date.parse(end.due), end.keepsPlace)
      slots.give(taken)
      wake(ours.size)
    })
    unawaited.start(written)
  }

  async function runAll(queue: DeclaredQueue, attempts: readonly Attempt[]): Promise<void> {
    let loaded: Map<string, unknown> | undefined
    try {
      const jobs = attempts.map(({ job }) => job)
      loaded = await queue.declaration.load?.({ ...options.engines, db, state: queue.state }, jobs)
    } catch (error) {
      for (const one of attempts) end(one, null, 0)
      throw error
    }
    const deadline = openDeadline(queue.declaration.deadlineMs)
    const startMs = performance.now()
    for (const one of attempts) {
      if (options.endedOrgs.has(one.job.org) || (loaded && !loaded.has(one.job.id))) end(one, { reason: 'gone' }, 0)
      else {
        const running = attemptOnce(warn, contextOf(queue), one, loaded?.get(one.job.id), deadline)
        unawaited.start(running.then(came => end(one, came, performance.now() - startMs)))
      }
    }
  }

  return {
    isOurs: (id: string) => ours.has(id),
    count: () => ours.size,
    /** Records attempts and starts them, unless another process holds their keys by now. */
    start: async (taken: readonly Taken[]): Promise<void> => {
      const waiting = new Map(taken.map(one => [one.job.id, one]))
      for (const id of waiting.keys()) ours.add(id)
      try {
        const started = clock.now().toISOString()
        const begun = await store.startAttempts(db.autocommit, me, [...waiting.keys()], started)
        for (const [id, rows] of Map.groupBy(begun, row => row.queue)) {
          const queue = queues.get(id) as DeclaredQueue
          const attempts = rows.map(row => {
            const one = waiting.get(row.id) as Taken
            waiting.delete(row.id)
            return { queue, taken: one, job: jobOf(row, one.key.org), started }
          })
          unawaited.start(runAll(queue, attempts))
        }
      } finally {
        for (const [id, one] of waiting) {
          ours.delete(id)
          giveBack(slotsOf, one)
        }
      }
    },
    /** Ends the attempts of processes that died or lost the key. */
    endAll: async (found: readonly Interrupted[]): Promise<void> => {
      if (found.length > 0) await endInterrupted(options, ours, unawaited, found)
    },
    /** Waits for running attempts. */
    close: unawaited.ended,
  }
}

/** The attempt was not started. */
function giveBack(slotsOf: AttemptsOptions['slotsOf'], one: Taken): void {
  one.key.running--
  one.key.dueMs = 0
  slotsOf(one.key.queue).give(one)
}

async function endInterrupted(
  { clock, db, outcomes, wake }: AttemptsOptions,
  ours: Set<string>,
  unawaited: Unawaited,
  found: readonly Interrupted[],
): Promise<void> {
  const keyOf = new Map(found.map(({ key, id }) => [id, key]))
  const endOne = async (key: Key, row: store.DueJob) => {
    const came = { reason: 'interrupted' } as const
    const { end, ended } = outcomeOf(key.queue, jobOf(row, key.org), row.started as string, came, clock.now())
    await outcomes.add({ org: key.org, queue: key.queue, end, ended })
    ours.delete(row.id)
    key.unended--
    key.dueMs = 0
    wake(ours.size)
  }
  for (const row of await store.selectJobs(db, [...keyOf.keys()])) {
    const key = keyOf.get(row.id) as Key
    ours.add(row.id)
    key.unended++
    unawaited.start(endOne(key, row))
  }
}

const unmade = ({ isOrdered }: DeclaredQueue, job: Job, now: Date) => ({
  ended: null,
  end: {
    ...{ id: job.id, attempt: job.attempt, keepsPlace: isOrdered, isMade: false },
    due: new Date(now.getTime() + UNMADE_MS).toISOString(),
  },
})

/** In an ordered queue, no job of the key starts before. */
function noteRetry(key: Key, dueMs: number, keepsPlace: boolean): void {
  key.retriesMs.push(dueMs)
  if (!keepsPlace) return
  key.blockedMs = dueMs
  key.loaded = []
}

/** The context of each attempt: shared by all attempts of a queue, except for the signal. The signal is created on first
 *  use, because few attempts use it. */
function openContexts({ engines, db, queues }: AttemptsOptions): (queue: DeclaredQueue) => Signalled {
  const classes = new Map(
    [...queues.values()].map(queue => {
      class Own extends Signalled {}
      Object.assign(Own.prototype, engines, { db, state: queue.state })
      return [queue, Own]
    }),
  )
  return queue => new (classes.get(queue) as typeof Signalled)()
}

class Signalled {
  #over: AbortController | null = null
  get signal(): AbortSignal {
    this.#over ??= new AbortController()
    return this.#over.signal
  }
  abort(): void {
    this.#over?.abort()
  }
}

type Context = Parameters<NonNullable<DeclaredQueue['declaration']['run']>>[0]

/** One timer for attempts that start together. */
type Deadline = { ms: number; add(late: () => void): void; delete(late: () => void): void }

function openDeadline(ms: number): Deadline {
  const all = new Set<() => void>()
  const timer = setTimeout(() => {
    for (const late of all) late()
  }, ms)
  return {
    ms,
    add: late => void all.add(late),
    delete: late => {
      if (all.delete(late) && all.size === 0) clearTimeout(timer)
    },
  }
}

/** Null if the attempt was not made. It is not aborted when the host stops: running attempts get some seconds to end. */
function attemptOnce(
  warn: (error: unknown) => void,
  context: Signalled,
  { queue, job }: Attempt,
  loaded: unknown,
  deadline: Deadline,
): Promise<Came | null> {
  return new Promise(resolve => {
    const late = () => {
      resolve({ reason: 'late', error: `it took longer than ${deadline.ms / 1_000} s` })
      context.abort()
    }
    const end = (came: Came | null) => {
      deadline.delete(late)
      resolve(came)
    }
    const failed = (error: unknown) => {
      warn(error)
      end({ reason: 'failed', error: error instanceof Error ? error.message : String(error) })
    }
    deadline.add(late)
    begin(context, queue, job, loaded).then(one => end(one === undefined ? null : { attempted: one }), failed)
  })
}

async function begin(context: Signalled, { id, declaration }: DeclaredQueue, job: Job, loaded: unknown) {
  if (!declaration.run) throw new Error(`the queue ${id} has no \`run\``)
  return declaration.run(context as unknown as Context, job, loaded)
}
