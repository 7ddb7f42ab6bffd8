// Work beside requests, of two kinds. A schedule runs once per period over all processes. A consumer handles events of the
// bus. Nothing else runs in the background.
import type { Engines, Sql, Tx } from '../engines/engines.ts'
import type { Envelope } from './event.ts'
import type { Lease } from './lease/lease.ts'

type Outside = Omit<Engines, 'db'>

export type ScheduleContext<State = unknown> = Outside & {
  /** For reads. */
  db: Sql
  state: State
  /** Aborted when the host drains, the deadline has passed or the lease was lost. */
  signal: AbortSignal
  /** One transaction, which commits only while this process still holds the lease. */
  write: Lease['write']
}

/** Nothing when it is done for this period; or it is not, and wants to run again that soon. */
export type ScheduleOutcome = undefined | { againInMs: number }

export type Schedule = {
  kind: 'schedule'
  /** Unique over all services: `risk reference`. */
  name: string
  everyMs: number
  /** A run that takes longer is aborted, and tried again. */
  deadlineMs: number
  run: (context: ScheduleContext<never>) => Promise<ScheduleOutcome>
}

export type ScheduleDeclaration<S> = Omit<Schedule, 'kind' | 'run'> & {
  run: (context: ScheduleContext<S>) => Promise<ScheduleOutcome>
}

export type ConsumerContext<State = unknown> = Outside & {
  /** The transaction in which the events are consumed. What is written in it is there exactly when they are. */
  db: Tx
  state: State
  signal: AbortSignal
}

export type Consumer = {
  kind: 'consumer'
  /** Its place on the bus is kept under this name. */
  name: string
  /** Patterns: `*` is one token, `>` the rest. */
  subjects: readonly string[]
  /** How many events it takes at once, of one organisation and in order. */
  batchMax: number
  /** Called again with the same events when it fails, with growing pauses; after 20 times an event is set aside. */
  run: (context: ConsumerContext<never>, events: readonly Envelope[]) => Promise<void>
}

export type ConsumerDeclaration<S> = Omit<Consumer, 'kind' | 'run'> & {
  run: (context: ConsumerContext<S>, events: readonly Envelope[]) => Promise<void>
}
