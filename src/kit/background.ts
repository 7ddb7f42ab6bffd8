// Background work is of three kinds. A schedule runs once per period. A consumer handles events of the log, in the
// transaction that moves its position. A queue (queue.ts) does work that has an effect outside or takes long.
import type { Engines, Envelope, Sql, Tx } from '../engines/engines.ts'
import type { EmitTo } from './events.ts'
import type { Lease } from './lease.ts'
import type { Queues } from './queue.ts'
import type { Emits } from './write.ts'

export type ScheduleContext<State = unknown> = Omit<Engines, 'db'> & {
  /** For reads only. */
  db: Sql
  state: State
  queues: Queues
  /** Aborted when the host drains, at the deadline, or when the lease is lost. */
  signal: AbortSignal
  /** Runs one transaction that commits only while this process still holds the lease. */
  write: Lease['write']
}

/** Undefined when the run is complete for this period; otherwise the delay before the next run. */
export type ScheduleOutcome = undefined | { againInMs: number }

export type Schedule = {
  kind: 'schedule'
  /** Unique across all services, such as `risk reference`. */
  name: string
  /** `all` (default): one run per period across all processes, under a lease. `process`: each process runs it, because it
   *  is about what that process has in memory. */
  per: 'all' | 'process'
  everyMs: number
  /** A run that takes longer is aborted and retried. */
  deadlineMs: number
  run: (context: ScheduleContext<never>) => Promise<ScheduleOutcome>
}

export type ScheduleDeclaration<S> = Omit<Schedule, 'kind' | 'per' | 'run'> & {
  per?: Schedule['per']
  run: (context: ScheduleContext<S>) => Promise<ScheduleOutcome>
}

/** What a consumer may use: the database only. Effects outside go through a queue. */
export type ConsumerContext<State = unknown, E extends Emits = Emits> = Pick<Engines, 'clock' | 'random'> & {
  /** The transaction in which the events are consumed: its writes commit together with the consumer's position. */
  db: Tx
  state: State
  queues: Queues
  emit: EmitTo<E, [project?: string]>
  signal: AbortSignal
}

export type Consumer = {
  kind: 'consumer'
  /** Stable, because its position is stored under it: the service and what it does, such as `webhooks.fan-out`. */
  id: string
  /** Ids that it had before, whose position it takes over. */
  formerIds: readonly string[]
  /** Patterns: `*` matches one token, `>` all remaining ones. */
  subjects: readonly string[]
  /** The most events per call; they are of one organisation and in order. */
  batchMax: number
  emits: Emits
  /** After a failure, which includes taking too long, it is called again with the same events or some of them, with backoff;
   *  after 20 tries an event is a dead letter. It may resolve to a number of events that are enough for one transaction; it
   *  is then called again with the others. */
  run: (context: ConsumerContext<never>, events: readonly Envelope[]) => Promise<number | undefined>
}

export type ConsumerDeclaration<S, E extends Emits> = Pick<Consumer, 'id' | 'subjects' | 'batchMax'> & {
  formerIds?: readonly string[]
  emits?: E
  run: (context: ConsumerContext<S, E>, events: readonly Envelope[]) => Promise<number | undefined>
}
