// A queue does work that has an effect outside or takes long. Jobs are added in the transaction of what they follow from,
// and each ends with an outcome. The jobs of a key are worked on by one process at a time, under its lease, so that
// concurrency, rate and order are exact for the key. An attempt is recorded before it is made, and its number is the fence:
// an outcome counts only while that attempt is the last one.
import type { Engines, Sql, Tx } from '../engines/engines.ts'
import type { OrgId } from './caller.ts'
import type { EmitTo } from './events.ts'
import type { Emits } from './write.ts'

export type NewJob<P> = {
  key: string
  org: OrgId
  /** Stored as JSON; it must not contain secrets. */
  payload: P
  /** Not before this time; default now. */
  due?: Date
  /** From 0, the default, to one less than the queue has; higher ones go first. */
  priority?: number
  /** How many attempts it has; default as many as the queue has pauses, and one. */
  attemptsMax?: number
  /** Ends with the outcome `expired` if it was not successful before. */
  expires?: Date
  /** A name that the caller chose, a UUID of version 7; default a new one. */
  id?: string
}

export type Job<P = unknown> = { id: string; key: string; org: OrgId; payload: P; attempt: number; attemptsMax: number }

/** What became of one attempt. `isFinal`: no other follows, although it failed. `result` is what `end` needs, if anything. */
export type Attempted<R> = { isOk: boolean; isFinal?: boolean } & (undefined extends R ? { result?: R } : { result: R })

/** Why a job or an attempt ended without a result. `interrupted`: its process died or lost its lease. `late`: it took longer
 *  than the deadline. `failed`: it threw an error. `gone`: nothing is left to do. `backlog`: it was not added. */
export type EndReason = 'interrupted' | 'late' | 'failed' | 'gone' | 'expired' | 'backlog'

/** Jobs of one key, or of one organisation, that may wait. Further ones are refused: `conflict`, or the outcome `backlog`. */
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
  /** The transaction that ends the jobs. */
  db: Tx
  state: State
  emit: EmitTo<E, [project?: string]>
}

/** How many attempts of a key run at once, how many may begin within a time, and how many of its jobs may wait. */
export type KeyLimits = { concurrency: number; rate: { count: number; perMs: number } | null }

export type QueueDeclaration<State, P, L, R, E extends Emits> = {
  /** Stable, because jobs are stored under it: the service and what they are, such as `webhooks.deliveries`. */
  id: string
  /** Of each key, unless `setKey` chose others; default one attempt at a time, at any rate. */
  limits?: (state: State) => KeyLimits
  /** Attempts of all keys at once in a process; default 1,024. An organisation may have half of what is left. */
  atOnce?: number
  backlog?: (state: State) => Backlog
  /** After the first failed attempt, after the second, and so on; the last one is final. */
  pausesMs: readonly number[]
  /** For one attempt. */
  deadlineMs: number
  /** From when it was due; what has not begun then has expired. */
  expiresMs?: (state: State) => number
  /** Default 1: all are equal. */
  priorities?: number
  /** The jobs of a key run one after the other in the order in which they are due, a retried one before those after it. */
  isOrdered?: boolean
  /** Its jobs are worked on by others, with `claim`, `extend` and `end` of `Queues`. */
  isPulled?: boolean
  emits?: E
  /** Reads what several attempts need, once for all of them, by the ids of jobs. A job that is missing is `gone`. */
  load?: (context: QueueContext<State>, jobs: readonly Job<P>[]) => Promise<Map<string, L>>
  /** Makes one attempt, outside of transactions. Undefined: it was not made, through no fault of the job, and does not
   *  count. */
  run?: (
    context: QueueContext<State> & { signal: AbortSignal },
    job: Job<P>,
    loaded: L,
  ) => Promise<Attempted<R> | undefined>
  /** Writes what became of attempts, many at once, in the transaction that ends them. */
  end?: (context: EndContext<State, E>, ended: readonly Ended<P, R>[]) => Promise<void>
}

/** Typed by what its jobs carry; `serviceKit` makes it. */
export type Queue<P = never> = QueueDeclaration<never, P, never, never, Emits> & { kind: 'queue' }

export type Claimed<P> = Job<P> & {
  /** Proves the claim; to be given with `extend` and `end`. */
  lease: string
}

/** What services do with queues. */
export type Queues = {
  /** When the transaction ends, those are refused of which too many wait. */
  add<P>(db: Tx, queue: Queue<P>, jobs: readonly NewJob<P>[]): Promise<void>
  /** Whether this job of a key has not ended. */
  isWaiting<P>(db: Sql, queue: Queue<P>, key: string, id: string): Promise<boolean>
  /** Deletes jobs of a key that is gone, at most so many; returns how many. */
  purge<P>(db: Tx, queue: Queue<P>, key: string, count: number): Promise<number>
  /** Jobs that have not begun end without an outcome, and are returned; one that runs gets no other attempt. */
  cancel<P>(db: Tx, queue: Queue<P>, ids: readonly string[]): Promise<{ id: string; payload: P }[]>
  /** `limits` instead of those of the queue; null for those. A paused key begins no attempt. */
  setKey<P>(
    db: Tx,
    queue: Queue<P>,
    key: { key: string; org: OrgId },
    change: { limits?: KeyLimits | null; isPaused?: boolean },
  ): Promise<void>
  /** The next jobs of these keys, for a worker outside; they are claimed again if it does not end them in time. */
  claim<P>(db: Tx, queue: Queue<P>, keys: readonly string[], max: number, leaseMs: number): Promise<Claimed<P>[]>
  /** Adds a job that its caller works on itself, with one attempt. If it does not end it in time, it was interrupted. */
  begin<P>(db: Tx, queue: Queue<P>, job: NewJob<P>, leaseMs: number): Promise<Claimed<P>>
  /** False if the claim has ended. */
  extend<P>(db: Tx, queue: Queue<P>, claimed: { id: string; lease: string }, leaseMs: number): Promise<boolean>
  end<P, R>(db: Tx, queue: Queue<P>, claimed: Claimed<P>, outcome: Attempted<R>): Promise<boolean>
}
