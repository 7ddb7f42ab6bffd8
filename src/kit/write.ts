// Writing: one transaction with what it tells of itself. `record` adds the entry of the audit trail, `emit` an event for the
// bus, both in that transaction. A transaction that lost a race in the database is run again, so its work must not do
// anything outside of it; slow calls to the outside come before or between writes.
import { isDeepStrictEqual } from 'node:util'
import type { Static, TSchema } from 'typebox'
import type { Tx } from '../engines/engines.ts'

/** What changed, by the name of the field. Never a secret. */
export type Changes = Record<string, { from?: unknown; to?: unknown }>

/** Which of these fields differ, or all of them of something new. */
export function changesIn<T extends object>(before: T | null, after: T, names: readonly (keyof T & string)[]): Changes {
  const changed = names.filter(name => !isDeepStrictEqual(before?.[name], after[name]))
  return Object.fromEntries(
    changed.map(name => [name, before ? { from: before[name], to: after[name] } : { to: after[name] }]),
  )
}

/** Names the thing that was changed. A write that does not call it changed nothing, and leaves no entry. */
export type RecordChange = (on: string, changes?: Changes) => void

export type Emits = Record<string, TSchema>
export type Emit<E extends Emits> = <Subject extends keyof E & string>(
  subject: Subject,
  data: Static<E[Subject]>,
) => void

export type WriteOptions = {
  /** Calls of this operation for one organisation run one after the other, where they would only wait for each other in the
   *  database. Those who wait hold no connection. */
  serialize?: boolean
}

/** Runs the work in a transaction. Resolves once this process has been notified of the change, so that nothing cached
 *  here is older than the answer. */
export type Write<Scope> = {
  <T>(work: (scope: Scope) => Promise<T>): Promise<T>
  <T>(options: WriteOptions, work: (scope: Scope) => Promise<T>): Promise<T>
}

/** `record` is there where the declaration names an audit entry, `emit` where it names events. */
export type WriteScope<Audited, E extends Emits> = { db: Tx } & (Audited extends true
  ? { record: RecordChange }
  : unknown) &
  (keyof E extends never ? unknown : { emit: Emit<E> })
