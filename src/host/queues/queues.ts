// Works on the jobs of queues. A key belongs to one process at a time, which keeps it while something is due there, so that
// a slow one has its own queue and takes few of the places.
import type { Database, Engines } from '../../engines/engines.ts'
import type { Job } from '../../kit/queue.ts'
import { QUEUES_CHANNEL } from '../../kit/queues/add.ts'
import * as store from '../../kit/queues/store.ts'
import type { Gauge } from '../../kit/service.ts'
import { openUnawaited } from '../../kit/unawaited.ts'
import { openEndings } from './endings.ts'
import { type Came, type DeclaredQueue, endJobs, type JobsOptions, jobOf, outcomeOf } from './jobs.ts'
import { type Interrupted, type Key, openKeys } from './keys.ts'
import { openPlaces, type Places, START_MAX, type Taken } from './places.ts'
import type { Waker } from './waker.ts'

/** How long a process waits at most before it looks whether others left something to do. */
const POLL_MS = 1_000
/** What is due may be locked for a moment by whoever adds to it. */
const PAUSE_MS = 5
const TROUBLE_MS = 1_000
/** An attempt that was not made is made again then. */
const UNMADE_MS = 5_000
const EXPIRE_EVERY_MS = 10_000
const EXPIRED_MAX = 1_000

export type QueuesOptions = Omit<JobsOptions, 'wake'> & {
  engines: Engines
  db: Database
  waker: Waker
  /** Whether no other process uses this database. */
  isAlone: boolean
  measured: Measured
  warn: (error: unknown) => void
}

/** Works until the signal is aborted, and then waits for what runs. */
export async function workOnQueues(options: QueuesOptions, signal: AbortSignal): Promise<void> {
  const { waker, warn } = options
  signal.addEventListener('abort', waker.wake, { once: true })
  await options.db.listen(QUEUES_CHANNEL, waker.wake, waker.wake)
  const turns = openTurns(options)
  while (!signal.aborted) {
    const waitMs = await turns.next().catch(error => {
      if (!signal.aborted) warn(error)
      return TROUBLE_MS
    })
    if (!signal.aborted) await waker.wait(waitMs)
  }
  await turns.close()
}

function openTurns(options: QueuesOptions) {
  const { clock, db, engines, measured, queues, warn, waker } = options
  const me = options.random.token(16)
  /** Jobs whose attempt runs here, or whose outcome is not written yet. */
  const ours = new Set<string>()
  const keys = openKeys({ ...options, me, isOurs: id => ours.has(id) })
  const placesOf = new Map<DeclaredQueue, Places>(
    [...queues.values()].map(queue => [queue, openPlaces(queue.declaration.atOnce)]),
  )
  const unawaited = openUnawaited(warn)
  const endings = openEndings(options)
  let expireMs = Number.NEGATIVE_INFINITY

  const placesFor = ({ key }: Taken) => placesOf.get(key.queue) as Places

  async function start(taken: readonly Taken[]): Promise<void> {
    const waiting = new Map(taken.map(one => [one.job.id, one]))
    for (const id of waiting.keys()) ours.add(id)
    try {
      const begun = await store.startAttempts(db.autocommit, me, [...waiting.keys()], clock.now().toISOString())
      for (const [queue, rows] of Map.groupBy(begun, row => queues.get(row.queue) as DeclaredQueue)) {
        const attempts = rows.map(row => {
          const one = waiting.get(row.id) as Taken
          waiting.delete(row.id)
          return { taken: one, job: jobOf(row, one.key.org), started: row.started as string }
        })
        unawaited.start(runAll(queue, attempts))
      }
    } finally {
      for (const [id, one] of waiting) {
        ours.delete(id)
        one.key.running--
        one.key.dueMs = 0
        placesFor(one).give(one)
      }
    }
  }

  type Attempt = { taken: Taken; job: Job; started: string }

  async function runAll(queue: DeclaredQueue, attempts: readonly Attempt[]): Promise<void> {
    const { load } = queue.declaration
    const context = { ...engines, db, state: queue.state }
    let loaded: Map<string, unknown> | null = null
    try {
      loaded = load
        ? await load(
            context,
            attempts.map(({ job }) => job),
          )
        : null
    } catch (error) {
      warn(error)
      await Promise.all(attempts.map(one => end(queue, one, null, 0)))
      return
    }
    await Promise.all(
      attempts.map(one => {
        const isGone = loaded !== null && !loaded.has(one.job.id)
        return isGone ? end(queue, one, { reason: 'gone' }, 0) : runOne(queue, one, loaded?.get(one.job.id))
      }),
    )
  }

  async function runOne(queue: DeclaredQueue, attempt: Attempt, loaded: unknown): Promise<void> {
    const startMs = performance.now()
    const came = await attemptOnce(queue, attempt.job, loaded)
    await end(queue, attempt, came, performance.now() - startMs)
  }

  /** Null if the attempt was not made. */
  async function attemptOnce({ declaration, state }: DeclaredQueue, job: Job, loaded: unknown): Promise<Came | null> {
    const { run, deadlineMs } = declaration
    // Not aborted when the host stops: what has begun may end, for some seconds.
    const over = new AbortController()
    const { promise: late, resolve } = Promise.withResolvers<Came>()
    const timer = setTimeout(() => {
      resolve({ reason: 'late', error: `it took longer than ${deadlineMs / 1_000} s` })
      over.abort()
    }, deadlineMs)
    try {
      if (!run) throw new Error('the queue has no `run`')
      const running = run({ ...engines, db, state, signal: over.signal }, job, loaded)
      return await Promise.race([running.then(one => (one === undefined ? null : { attempted: one })), late])
    } catch (error) {
      warn(error)
      return { reason: 'failed', error: error instanceof Error ? error.message : String(error) }
    } finally {
      clearTimeout(timer)
    }
  }

  async function end(
    queue: DeclaredQueue,
    { taken, job, started }: Attempt,
    came: Came | null,
    ms: number,
  ): Promise<void> {
    const { key } = taken
    const now = clock.now()
    const { ended, end } = came
      ? outcomeOf(queue, job, started, came, now)
      : {
          ended: null,
          end: {
            ...{ id: job.id, attempt: job.attempt, keepsPlace: false, isMade: false },
            due: later(now, UNMADE_MS),
          },
        }
    placesFor(taken).end(taken, ended?.status === 'ok', ms)
    measured.add(queue.id, ended?.status ?? 'unmade')
    waker.wake()
    await endings.add({ org: key.org, queue, end, ended })
    ours.delete(job.id)
    if (end.due !== null) noteRetry(taken, end)
    placesFor(taken).give(taken)
    waker.wake()
  }

  function noteRetry({ key }: Taken, { due, keepsPlace }: store.AttemptEnd): void {
    const dueMs = Date.parse(due as string)
    key.retriesMs.push(dueMs)
    if (!keepsPlace) return
    key.blockedMs = dueMs
    key.loaded = []
  }

  /** Attempts of processes that died, or that lost the key. */
  async function endInterrupted(found: readonly Interrupted[]): Promise<void> {
    if (found.length === 0) return
    const rows = await store.selectJobs(
      db,
      found.map(({ job }) => job.id),
    )
    const keyOf = new Map(found.map(({ key, job }) => [job.id, key]))
    for (const row of rows) unawaited.start(endOne(keyOf.get(row.id) as Key, row))
  }

  async function endOne(key: Key, row: store.DueJob): Promise<void> {
    ours.add(row.id)
    key.unended++
    const came = { reason: 'interrupted' } as const
    const { end, ended } = outcomeOf(key.queue, jobOf(row, key.org), row.started as string, came, clock.now())
    await endings.add({ org: key.org, queue: key.queue, end, ended })
    ours.delete(row.id)
    key.unended--
    key.dueMs = 0
    waker.wake()
  }

  async function expire(): Promise<void> {
    if (clock.elapsedMs() < expireMs) return
    const count = await db.transaction(async tx => {
      const rows = await store.takeExpired(tx, clock.now().toISOString(), EXPIRED_MAX)
      for (const [id, own] of Map.groupBy(rows, ({ queue }) => queue)) {
        const queue = queues.get(id)
        if (queue) await endJobs(options, tx, queue, own.map(expired))
      }
      return rows.length
    })
    expireMs = count === EXPIRED_MAX ? expireMs : clock.elapsedMs() + EXPIRE_EVERY_MS
  }

  return {
    /** Returns after how many milliseconds there may be something to do. */
    next: async (): Promise<number> => {
      await expire()
      await endInterrupted(await keys.fill())
      const nowMs = clock.now().getTime()
      const taken: Taken[] = []
      for (const [queue, places] of placesOf) {
        const own = [...keys.all()].filter(key => key.queue === queue)
        taken.push(...places.take(own, nowMs, START_MAX - taken.length))
      }
      for (const { key } of taken) keys.moveToEnd(key)
      if (taken.length > 0) await start(taken)
      await keys.releaseIdle()
      if (taken.length === START_MAX) return 0
      const atMs = clock.now().getTime()
      return Math.min(POLL_MS, Math.max(keys.nextMs(atMs) - atMs, PAUSE_MS))
    },
    close: async () => {
      await unawaited.ended()
      await endings.close()
      await keys.close().catch(warn)
    },
  }
}

const later = (at: Date, ms: number) => new Date(at.getTime() + ms).toISOString()

/** It has no attempt of its own: as attempt counts the one after the last. */
const expired = (row: store.DueJob & { org: string }) => ({
  job: jobOf({ ...row, attempts: Math.min(row.attempts + 1, row.attemptsMax) }, row.org),
  ...{ started: null, status: 'failed' as const, result: null, error: null },
  reason: row.attempts >= row.attemptsMax ? ('interrupted' as const) : ('expired' as const),
})

export type Measured = { add(queue: string, outcome: string): void; gauges(): Gauge[] }

/** How many attempts of each queue ended, by outcome, for the metrics. */
export function openMeasured(): Measured {
  const counts = new Map<string, number>()
  return {
    add: (queue, outcome) => void counts.set(`${queue} ${outcome}`, (counts.get(`${queue} ${outcome}`) ?? 0) + 1),
    gauges: () => [
      {
        name: 'stoa_queue_attempts_total',
        help: 'Attempts of the jobs of a queue that ended in this process',
        type: 'counter',
        samples: [...counts].map(([name, value]) => {
          const [queue, outcome] = name.split(' ') as [string, string]
          return { labels: { queue, outcome }, value }
        }),
      },
    ],
  }
}
