// Background work has three kinds. A schedule runs once per period. A consumer handles log events in the transaction that
// moves its position. A queue (queue.ts) does work that has external effects or takes long.
import type { Engines, Envelope, Sql, Subjects, Tx } from '../engines/engines.ts'
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
  /** `all` (default): one run per period across all processes, under a lease. `process`: each process runs it, because
   *  it concerns that process's memory. */
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

/** What a consumer may use: only the database. External effects go through a queue. */
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
  /** Its former ids, whose position it takes over. */
  formerIds: readonly string[]
  /** Patterns of subjects: `*` matches one token, `>` all remaining ones. Or the events that were sent to ingest. */
  subjects: Subjects
  /** The maximum number of events per call; they are of one organisation and in order. */
  batchMax: number
  emits: Emits
  /** After a failure or timeout, it is called again with some or all of the same events, with backoff; after 20 attempts
   *  an event becomes a dead letter. It may resolve to the number of events handled if that is enough for one
   *  transaction; it is then called again with the rest. */
  run: (context: ConsumerContext<never>, events: readonly Envelope[], ingested: Ingested) => Promise<number | undefined>
}

/** What ingest recorded of each event, as JSON; null for those that were not sent to it. */
export type Ingested = readonly (string | null)[]

export type ConsumerDeclaration<S, E extends Emits> = Pick<Consumer, 'id' | 'subjects' | 'batchMax'> & {
  formerIds?: readonly string[]
  emits?: E
  run: (context: ConsumerContext<S, E>, events: readonly Envelope[], ingested: Ingested) => Promise<number | undefined>
}
