// Runs the jobs of queues. A key belongs to one process at a time, which keeps it while jobs are due soon. So a slow key
// has its own queue and takes few of the slots.

import { type Database, type Engines, EngineUnavailable, type Tx } from '../../engines/engines.ts'
import { QUEUES_CHANNEL } from '../../kit/queues/add.ts'
import * as store from '../../kit/queues/store.ts'
import type { EndedOrgs } from '../../kit/service.ts'
import { openUnawaited } from '../../kit/unawaited.ts'
import { openJobAttempts } from './attempts.ts'
import { type DeclaredQueue, endJobs, type JobsOptions, jobOf } from './jobs.ts'
import { openQueueKeys } from './keys.ts'
import type { Measured } from './measured.ts'
import { openOutcomes } from './outcomes.ts'
import { openPace } from './pace.ts'
import { openSlots, type Slots, START_MAX } from './slots.ts'
import type { Waker } from './waker.ts'

/** The longest wait before a process checks whether others left work. */
const POLL_MS = 1_000
/** Due jobs may be locked for a moment by transactions that add to the key. */
const PAUSE_MS = 5
const TROUBLE_MS = 1_000
const EXPIRE_EVERY_MS = 30_000
const EXPIRED_MAX = 1_000

export type QueuesOptions = Omit<JobsOptions, 'tell'> & {
  engines: Engines
  db: Database
  waker: Waker
  /** Whether no other process uses this database. */
  isAlone: boolean
  measured: Measured
  endedOrgs: Pick<EndedOrgs, 'has'>
  warn: (error: unknown) => void
}

/** Runs until the signal is aborted, and then waits for running attempts. */
export async function workOnQueues(options: QueuesOptions, signal: AbortSignal): Promise<void> {
  const { waker, warn } = options
  signal.addEventListener('abort', waker.wake, { once: true })
  const tell = () => waker.tell([], true)
  await options.db.listen(QUEUES_CHANNEL, tell, tell)
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
  const { clock, queues, me, warn } = options
  const db = options.db.for('queues')
  const slots = new Map([...queues.values()].map(one => [one, openSlots(one.declaration.atOnce)]))
  const slotsOf = (queue: DeclaredQueue) => slots.get(queue) as Slots
  const outcomes = openOutcomes({ ...options, db: options.db.for('outcomes of jobs') })
  const attempts = openJobAttempts({ ...options, db, me, slotsOf, outcomes, wake: options.waker.wakeSoon })
  const keys = openQueueKeys({ ...options, db, me, isOurs: attempts.isOurs, takeNotes: options.waker.takeNotes })
  const pace = openPace()
  const expire = openExpiry({ ...options, db })

  return {
    /** Returns the milliseconds until there may be work. */
    next: async (): Promise<number> => {
      expire.start()
      await attempts.endAll(await keys.fill())
      const nowMs = clock.now().getTime()
      const byQueue = Map.groupBy(keys.all(), ({ queue }) => queue)
      const taken = [...byQueue].flatMap(([queue, own]) => slotsOf(queue).take(own, nowMs, START_MAX, pace.mayHaveMore))
      for (const { key } of taken) {
        keys.moveToEnd(key)
        pace.begun(key.org)
      }
      if (taken.length > 0) await attempts.start(taken)
      await keys.releaseIdle()
      if (taken.length >= START_MAX) return 0
      if (pace.wasShort()) options.waker.wakeSoon(attempts.count())
      const atMs = clock.now().getTime()
      return Math.min(POLL_MS, Math.max(keys.nextMs(atMs) - atMs, PAUSE_MS))
    },
    close: async () => {
      await expire.ended()
      await attempts.close()
      await outcomes.close()
      await keys.close().catch(warn)
    },
  }
}

/** Ends jobs that are over without another attempt. Runs now and then, independently of the main loop: nothing waits for
 *  it. */
function openExpiry(options: QueuesOptions) {
  const { clock, db, queues, waker, warn } = options
  const unawaited = openUnawaited(warn)
  let nextMs = Number.NEGATIVE_INFINITY
  let isRunning = false

  type Taking = (tx: Tx) => ReturnType<typeof store.takeExpired>
  /** Without `tells` the services are not notified. */
  async function endAll(take: Taking, tells = true): Promise<string[]> {
    let ids: string[] = []
    const ending = db.transaction(async tx => {
      const rows = await take(tx)
      ids = rows.map(({ id }) => id)
      for (const [id, own] of Map.groupBy(tells ? rows : [], ({ queue }) => queue)) {
        const queue = queues.get(id)
        if (queue) await endJobs(options, tx, queue, own.map(expired))
      }
    })
    await ending.catch(async error => {
      if (error instanceof EngineUnavailable || ids.length === 0 || !tells) throw error
      // The service cannot end one of them: each is ended separately, and that one without its outcome.
      warn(error)
      if (ids.length === 1) await endAll(tx => store.takeOver(tx, ids), false)
      else for (const id of ids) await endAll(tx => store.takeOver(tx, [id]))
    })
    return ids
  }

  async function run(): Promise<void> {
    const now = clock.now()
    const counts = [(await endAll(tx => store.takeExpired(tx, now.toISOString(), EXPIRED_MAX))).length]
    for (const { id, ranks, declaration, state } of queues.values()) {
      const lastsMs = declaration.expiresMs?.(state)
      if (lastsMs === undefined) continue
      const before = new Date(Math.max(0, now.getTime() - lastsMs)).toISOString()
      counts.push((await endAll(tx => store.takeOld(tx, id, ranks, before, EXPIRED_MAX))).length)
    }
    if (Math.max(...counts) >= EXPIRED_MAX) nextMs = Number.NEGATIVE_INFINITY
  }

  return {
    start: () => {
      if (isRunning || clock.elapsedMs() < nextMs) return
      isRunning = true
      nextMs = clock.elapsedMs() + EXPIRE_EVERY_MS
      const running = run().finally(() => {
        isRunning = false
        // There may be more, or the next check is already due.
        waker.wake()
      })
      unawaited.start(running)
    },
    ended: unawaited.ended,
  }
}

/** An external worker did not end its last attempt; other queues have no such attempt, and the next one counts as
 *  failed. */
const expired = (row: store.DueJob & { org: string }) => {
  const ending = { status: 'failed' as const, result: null, error: null }
  return row.attempts >= row.attemptsMax
    ? { job: jobOf(row, row.org), started: row.started, ...ending, reason: 'interrupted' as const }
    : {
        job: jobOf({ ...row, attempts: row.attempts + 1 }, row.org),
        started: null,
        ...ending,
        reason: 'expired' as const,
      }
}
