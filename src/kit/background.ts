// Background work is of two kinds. A schedule runs once per period across all processes. A consumer handles events from
// the bus.
import type { BusConsumer, Engines, Envelope, Sql, Tx } from '../engines/engines.ts'
import type { Lease } from './lease/lease.ts'

type OtherEngines = Omit<Engines, 'db'>

export type ScheduleContext<State = unknown> = OtherEngines & {
  /** For reads only. */
  db: Sql
  state: State
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
  everyMs: number
  /** A run that takes longer is aborted and retried. */
  deadlineMs: number
  run: (context: ScheduleContext<never>) => Promise<ScheduleOutcome>
}

export type ScheduleDeclaration<S> = Omit<Schedule, 'kind' | 'run'> & {
  run: (context: ScheduleContext<S>) => Promise<ScheduleOutcome>
}

export type ConsumerContext<State = unknown> = OtherEngines & {
  /** The transaction in which the events are consumed: its writes commit together with the consumer's position. */
  db: Tx
  state: State
  signal: AbortSignal
}

/** Its position on the bus is stored under its name. */
export type Consumer = Pick<BusConsumer, 'name' | 'subjects' | 'batchMax'> & {
  kind: 'consumer'
  /** After a failure it is called again with the same events, with backoff; after 20 tries an event is set aside. It may
   *  resolve to a number of events that are enough for one transaction; it is then called again with the others. */
  run: (context: ConsumerContext<never>, events: readonly Envelope[]) => Promise<number | undefined>
}

export type ConsumerDeclaration<S> = Omit<Consumer, 'kind' | 'run'> & {
  run: (context: ConsumerContext<S>, events: readonly Envelope[]) => Promise<number | undefined>
}
