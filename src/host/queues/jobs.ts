// The queue operations for services: adding and cancelling jobs, limits of keys, and the claims of external workers.
import type { Clock, Log, Random, Tx } from '../../engines/engines.ts'
import type { OrgId } from '../../kit/caller.ts'
import { emitting } from '../../kit/events.ts'
import { Fault } from '../../kit/fault.ts'
import type {
  Attempted,
  Backlog,
  Claimed,
  Ended,
  Job,
  KeyLimits,
  NewJob,
  Queue,
  QueueDeclaration,
  Queues,
} from '../../kit/queue.ts'
import {
  countsOf,
  finishAdded,
  insertRows,
  type JobRow,
  jobRows,
  NOT_HELD,
  QUEUES_CHANNEL,
} from '../../kit/queues/add.ts'
import * as claims from '../../kit/queues/claims.store.ts'
import * as store from '../../kit/queues/store.ts'
import type { Emits } from '../../kit/write.ts'
import type { Note, Waker } from './waker.ts'

type Erased = QueueDeclaration<unknown, unknown, unknown, unknown, Emits>

/** A queue with the state of its service. */
export type DeclaredQueue = {
  id: string
  declaration: Erased
  state: unknown
  limits: KeyLimits
  /** The highest priority of its jobs. */
  ranks: number
  attemptsMax: number
  isOrdered: boolean
  isPulled: boolean
}

export function declaredQueue(queue: Queue, state: unknown): DeclaredQueue {
  const declaration = queue as unknown as Erased
  const { id, priorities = 1, pausesMs, isOrdered = false, isPulled = false } = declaration
  const limits = declaration.limits?.(state) ?? { concurrency: 1, rate: null }
  return { id, declaration, state, limits, ranks: priorities, attemptsMax: pausesMs.length + 1, isOrdered, isPulled }
}

export type JobsOptions = {
  log: Log
  clock: Clock
  random: Random
  /** The `source` of events. */
  source: string
  queues: ReadonlyMap<string, DeclaredQueue>
  /** The name of this process. */
  me: string
  /** Signals new work. */
  tell: Waker['tell']
}

export function openJobs(by: JobsOptions): Queues {
  const { clock, random, queues, tell } = by
  const declaredOf = ({ id }: { id: string }): DeclaredQueue => {
    const found = queues.get(id)
    if (!found) throw new Error(`no service declares the queue ${id}`)
    return found
  }
  const now = () => clock.now().toISOString()
  return {
    add: async (db, queue, jobs) => {
      if (jobs.length === 0) return
      const declared = declaredOf(queue)
      const rows = jobRows(by, declared.declaration, jobs)
      await insertRows(db, declared.id, rows, all => addToKeys(by, db, declared, all))
    },
    cancel: async (db, queue, ids) => {
      await finishAdded(db)
      const cancelled = await store.cancelJobs(db, queue.id, ids)
      return cancelled.map(({ id, payload }) => ({ id, payload: JSON.parse(payload) }))
    },
    setKey: async (db, queue, { key, org }, { limits, isPaused }) => {
      const { id } = declaredOf(queue)
      if (limits !== undefined) {
        const { concurrency = null, rate = null } = limits ?? {}
        const settings = { concurrency, rateCount: rate?.count ?? null, rateMs: rate?.perMs ?? null }
        await store.upsertKey(db, id, key, org, settings, now())
      }
      if (isPaused !== undefined) await store.pauseKey(db, id, key, org, isPaused, now())
      db.afterCommit(() => tell([], true))
    },
    claim: async <P>(db: Tx, queue: Queue<P>, keys: readonly string[], max: number, leaseMs: number) => {
      const { id, ranks } = declaredOf(queue)
      const lease = random.token(22)
      const rows = await claims.claimJobs(db, id, ranks, keys, { lease, leaseMs, now: now(), max })
      return rows.map(row => ({ ...jobOf(row, row.org), lease }) as Claimed<P>)
    },
    begin: async <P>(db: Tx, queue: Queue<P>, job: NewJob<P>, leaseMs: number) => {
      const declared = declaredOf(queue)
      const row = { ...(jobRows(by, declared.declaration, [job])[0] as JobRow), attemptsMax: 1 }
      const lease = random.token(22)
      await store.addToKeys(db, declared.id, countsOf([row]), NOT_HELD)
      await claims.insertStarted(db, declared.id, row, { lease, leaseMs, now: now() })
      return { ...jobOf({ ...row, queue: declared.id, attempts: 1 }, row.org), lease } as Claimed<P>
    },
    isWaiting: (db, queue, key, id) => store.isWaiting(db, queue.id, key, id),
    purge: async (db, queue, key, count) => {
      await finishAdded(db)
      return store.deleteJobs(db, queue.id, key, count)
    },
    extend: (db, _queue, { id, lease }, leaseMs) => claims.extendLease(db, id, lease, leaseMs),
    end: async (db, queue, { lease, ...job }, outcome) => {
      const declared = declaredOf(queue)
      if (!(await claims.extendLease(db, job.id, lease, 1_000))) return false
      const { end, ended } = outcomeOf(declared, job, now(), { attempted: outcome }, clock.now())
      await store.endAttempts(db, [end])
      await endJobs(by, db, declared, [ended])
      return true
    },
  }
}

/** Counts the added jobs, refuses those beyond the limits, and notifies the processes that work on the keys. */
async function addToKeys(by: JobsOptions, db: Tx, declared: DeclaredQueue, rows: readonly JobRow[]): Promise<void> {
  const { me, tell } = by
  const counts = countsOf(rows)
  const bound = declared.declaration.backlog?.(declared.state)
  const orgs = bound && bound.perOrg < Number.POSITIVE_INFINITY ? [...new Set(rows.map(({ org }) => org))] : []
  const [keys, waiting] = await Promise.all([
    store.addToKeys(db, declared.id, counts, {
      ...{ me, waitingMax: bound?.perKey ?? NOT_HELD.waitingMax, isOrdered: declared.isOrdered },
    }),
    orgs.length > 0 ? store.countWaiting(db, declared.id, orgs) : new Map<string, number>(),
  ])
  const refused = bound ? refuse(declared.id, bound, rows, keys, waiting) : new Set<JobRow>()
  if (refused.size > 0) await endRefused(by, db, declared, [...refused])
  if (keys.some(({ holder }) => holder !== null && holder !== me)) await store.notifyWorkers(db, QUEUES_CHANNEL)
  const isElsewhere = keys.some(({ holder }) => holder !== me)
  db.afterCommit(() => tell(notesOf(declared.id, me, keys, counts), isElsewhere))
}

/** The added keys that this process holds; the database does not notify it of these. */
function notesOf(queue: string, me: string, keys: readonly store.AddedTo[], counts: readonly store.KeyCount[]): Note[] {
  const others = new Set(keys.filter(({ holder }) => holder !== me).map(({ key }) => key))
  return counts.flatMap(({ key, due }) => (others.has(key) ? [] : [{ queue, key, dueMs: Date.parse(due) }]))
}

/** The jobs to refuse, the last ones first, if too many are waiting. The others may be added. */
function refuse(
  queue: string,
  { perKey, perOrg, isRecorded }: Backlog,
  rows: readonly JobRow[],
  keys: readonly store.AddedTo[],
  waitingOf: ReadonlyMap<string, number>,
): Set<JobRow> {
  const refused = new Set<JobRow>()
  const refuseLast = (isOne: (row: JobRow) => boolean, count: number) => {
    for (let at = rows.length - 1; at >= 0 && count > 0; at--) {
      const row = rows[at] as JobRow
      if (!isOne(row) || refused.has(row)) continue
      refused.add(row)
      count--
    }
  }
  for (const { key, waiting } of keys) if (waiting > perKey) refuseLast(row => row.key === key, waiting - perKey)
  for (const [org, waiting] of waitingOf) {
    const ofOrg = [...refused].filter(row => row.org === org).length
    refuseLast(row => row.org === org, waiting - ofOrg - perOrg)
  }
  if (refused.size > 0 && !isRecorded) {
    const message = `Your organisation has too many jobs waiting in ${queue}; nothing was added. Wait until some are done.`
    throw new Fault('conflict', { message })
  }
  return refused
}

export const jobOf = (row: store.BegunJob, org: string): Job => ({
  id: row.id,
  key: row.key,
  org: org as OrgId,
  payload: JSON.parse(row.payload),
  attempt: row.attempts,
  attemptsMax: row.attemptsMax,
})

/** Removes jobs added in this transaction. The record of each says that its only attempt failed before it was made. */
async function endRefused(by: JobsOptions, db: Tx, declared: DeclaredQueue, rows: readonly JobRow[]): Promise<void> {
  const jobs = rows.map(row => jobOf({ ...row, queue: declared.id, attempts: 1 }, row.org))
  await store.cancelJobs(
    db,
    declared.id,
    rows.map(({ id }) => id),
  )
  const ending = { started: null, status: 'failed', result: null, reason: 'backlog', error: null } as const
  await endJobs(
    by,
    db,
    declared,
    jobs.map(job => ({ job, ...ending })),
  )
}

/** The outcome of an attempt: its result, or why there is none. */
export type Came = { attempted: Attempted<unknown> } | { reason: NonNullable<Ended['reason']>; error?: string }

/** The job's next state, and how it is written. */
export function outcomeOf(
  { declaration, isOrdered }: DeclaredQueue,
  job: Job,
  started: string,
  came: Came,
  now: Date,
): { ended: Ended; end: store.AttemptEnd } {
  const attempted = 'attempted' in came ? came.attempted : null
  const reason = 'reason' in came ? came.reason : null
  const isOver = attempted?.isOk || attempted?.isFinal || reason === 'gone' || job.attempt >= job.attemptsMax
  const status = attempted?.isOk ? 'ok' : isOver ? 'failed' : 'retrying'
  const pauseMs = reason === 'interrupted' ? 0 : (declaration.pausesMs[job.attempt - 1] ?? 0)
  const due = isOver ? null : new Date(now.getTime() + pauseMs).toISOString()
  const error = 'error' in came ? (came.error ?? null) : null
  return {
    ended: { job, started, status, result: attempted?.result ?? null, reason, error },
    end: { id: job.id, attempt: job.attempt, due, keepsPlace: isOrdered, isMade: true },
  }
}

/** Notifies the service of ended attempts, in the transaction that records them. */
export async function endJobs(
  { log, clock, random, source }: Omit<JobsOptions, 'queues' | 'tell'>,
  db: Tx,
  { declaration: { end, emits = {} }, state }: DeclaredQueue,
  ended: readonly Ended[],
): Promise<void> {
  if (!end || ended.length === 0) return
  await emitting({ log, clock, random, source }, db, emits, emit => end({ db, state, emit, log, clock, random }, ended))
}
