// A queue does work that has external effects or takes long. Jobs are added in the transaction of their cause, and each
// ends with an outcome. One process at a time works on a key's jobs, under its lease, so that concurrency, rate and order
// are exact for the key. An attempt is recorded before it starts, and its number is the fence: an outcome counts only while
// that attempt is the last one.
import type { Engines, Sql, Tx } from '../engines/engines.ts'
import type { OrgId } from './caller.ts'
import type { EmitTo } from './events.ts'
import type { Emits } from './write.ts'

export type NewJob<P> = {
  key: string
  org: OrgId
  /** Stored as JSON; it must not contain secrets. */
  payload: P
  /** The earliest start; defaults to now. */
  due?: Date
  /** From 0, the default, up to the queue's number of priorities less one; higher ones go first. */
  priority?: number
  /** The maximum number of attempts; defaults to the queue's number of pauses plus one. */
  attemptsMax?: number
  /** The job ends with the outcome `expired` if it has not succeeded by this time. */
  expires?: Date
  /** An id chosen by the caller, a UUID of version 7; defaults to a new one. */
  id?: string
}

export type Job<P = unknown> = { id: string; key: string; org: OrgId; payload: P; attempt: number; attemptsMax: number }

/** The outcome of one attempt. `isFinal`: no further attempt follows, although it failed. `result` is passed to `end`. */
export type Attempted<R> = { isOk: boolean; isFinal?: boolean } & (undefined extends R ? { result?: R } : { result: R })

/** Why a job or an attempt ended without a result. `interrupted`: its process died or lost its lease. `late`: it
 *  exceeded the deadline. `failed`: it threw an error. `gone`: nothing is left to do. `backlog`: it was refused because
 *  too many were waiting. */
export type EndReason = 'interrupted' | 'late' | 'failed' | 'gone' | 'expired' | 'backlog'

/** The number of waiting jobs allowed per key and per organisation. Further ones are refused, with `conflict` or the
 *  outcome `backlog`. */
export type Backlog = { perKey: number; perOrg: number; isRecorded: boolean }

export type Ended<P = unknown, R = unknown> = {
  job: Job<P>
  /** When the attempt began; null if none was made. */
  started: string | null
  /** `retrying`: another attempt follows. */
  status: 'ok' | 'retrying' | 'failed'
  /** Null if there is a reason. */
  result: R | null
  reason: EndReason | null
  error: string | null
}

export type QueueContext<State> = Omit<Engines, 'db'> & {
  /** For reads only. */
  db: Sql
  state: State
}

export type EndContext<State, E extends Emits = Emits> = Pick<Engines, 'log' | 'clock' | 'random'> & {
  /** The transaction in which the jobs end. */
  db: Tx
  state: State
  emit: EmitTo<E, [project?: string]>
}

/** Limits on a key's concurrent attempts, on starts within a time, and on its waiting jobs. */
export type KeyLimits = { concurrency: number; rate: { count: number; perMs: number } | null }

export type QueueDeclaration<State, P, L, R, E extends Emits> = {
  /** Stable, because jobs are stored under it: the service and the kind of jobs, such as `webhooks.deliveries`. */
  id: string
  /** The limits of each key, unless `setKey` set others; defaults to one attempt at a time, at any rate. */
  limits?: (state: State) => KeyLimits
  /** Concurrent attempts of all keys in a process; defaults to 1,024. An organisation may use half of what is left. */
  atOnce?: number
  backlog?: (state: State) => Backlog
  /** The pauses after the first failed attempt, the second, and so on. The attempt after the last pause is final. */
  pausesMs: readonly number[]
  /** The time limit of one attempt. */
  deadlineMs: number
  /** How long after its due time a job may still start; then it has expired. */
  expiresMs?: (state: State) => number
  /** Defaults to 1: all jobs are equal. */
  priorities?: number
  /** A key's jobs run one after the other in the order of their due times, a retried one before those after it. */
  isOrdered?: boolean
  /** External workers run its jobs, with `claim`, `extend` and `end` of `Queues`. */
  isPulled?: boolean
  emits?: E
  /** Reads the data for several attempts in one go, by job id. A job without data is `gone`. */
  load?: (context: QueueContext<State>, jobs: readonly Job<P>[]) => Promise<Map<string, L>>
  /** Makes one attempt, outside of transactions. Undefined: it was not made, for a reason unrelated to the job, and does
   *  not count. */
  run?: (
    context: QueueContext<State> & { signal: AbortSignal },
    job: Job<P>,
    loaded: L,
  ) => Promise<Attempted<R> | undefined>
  /** Writes the outcomes of many attempts, in the transaction that ends them. */
  end?: (context: EndContext<State, E>, ended: readonly Ended<P, R>[]) => Promise<void>
}

/** Typed by the payload of its jobs; `serviceKit` creates it. */
export type Queue<P = never> = QueueDeclaration<never, P, never, never, Emits> & { kind: 'queue' }

export type Claimed<P> = Job<P> & {
  /** Proves the claim; passed to `extend` and `end`. */
  lease: string
}

/** The queue operations for services. */
export type Queues = {
  /** Jobs beyond the limits on waiting ones are refused when the transaction ends. */
  add<P>(db: Tx, queue: Queue<P>, jobs: readonly NewJob<P>[]): Promise<void>
  /** Whether this job of a key has not ended. */
  isWaiting<P>(db: Sql, queue: Queue<P>, key: string, id: string): Promise<boolean>
  /** Deletes up to `count` jobs of a deleted key; returns how many. */
  purge<P>(db: Tx, queue: Queue<P>, key: string, count: number): Promise<number>
  /** Ends and returns jobs that have not started, without an outcome; a running job gets no further attempt. */
  cancel<P>(db: Tx, queue: Queue<P>, ids: readonly string[]): Promise<{ id: string; payload: P }[]>
  /** Sets `limits` for a key; null restores those of the queue. A paused key starts no attempts. */
  setKey<P>(
    db: Tx,
    queue: Queue<P>,
    key: { key: string; org: OrgId },
    change: { limits?: KeyLimits | null; isPaused?: boolean },
  ): Promise<void>
  /** The next jobs of these keys, for an external worker. A job that it does not end in time can be claimed again. */
  claim<P>(db: Tx, queue: Queue<P>, keys: readonly string[], max: number, leaseMs: number): Promise<Claimed<P>[]>
  /** Adds a job that the caller runs itself, with one attempt. If it does not end in time, it counts as interrupted. */
  begin<P>(db: Tx, queue: Queue<P>, job: NewJob<P>, leaseMs: number): Promise<Claimed<P>>
  /** False if the claim has ended. */
  extend<P>(db: Tx, queue: Queue<P>, claimed: { id: string; lease: string }, leaseMs: number): Promise<boolean>
  end<P, R>(db: Tx, queue: Queue<P>, claimed: Claimed<P>, outcome: Attempted<R>): Promise<boolean>
}
