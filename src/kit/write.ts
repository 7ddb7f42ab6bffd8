// Writes. `record` adds an entry to the audit trail and `emit` an event, both in the write's transaction. After a conflict
// in the database the transaction is retried, so its work must have no other side effects; slow external calls belong
// before or between writes.
import { isDeepStrictEqual } from 'node:util'
import type { Static, TSchema } from 'typebox'
import type { Tx } from '../engines/engines.ts'
import type { OrgId } from './caller.ts'

/** The changes by field name. Must not contain secrets. */
export type Changes = Record<string, { from?: unknown; to?: unknown }>

/** The named fields that differ; all of them when `before` is null. */
export function changesIn<T extends object>(before: T | null, after: T, names: readonly (keyof T & string)[]): Changes {
  const changed = names.filter(name => !isDeepStrictEqual(before?.[name], after[name]))
  return Object.fromEntries(
    changed.map(name => [name, before ? { from: before[name], to: after[name] } : { to: after[name] }]),
  )
}

/** Names the changed resource. A write that changed nothing does not call it and leaves no entry. `trail` is the
 *  organisation whose trail gets the entry, if it is not the caller's. */
export type RecordChange = (on: string, changes?: Changes, trail?: OrgId) => void

export type Emits = Record<string, TSchema>
/** `tenant` is the organisation that gets the event, if it is not the caller's. */
export type Emit<E extends Emits> = <Subject extends keyof E & string>(
  subject: Subject,
  data: Static<E[Subject]>,
  tenant?: OrgId,
) => void

export type WriteOptions = {
  /** Runs calls of this operation for one organisation one after the other: they would block each other in the database
   *  anyway, and here they wait without a connection. */
  serialize?: boolean
}

/** Runs the work in a transaction. Resolves after this process has handled its notifications, so that no cache here is
 *  older than the answer. */
export type Write<Scope> = {
  <T>(work: (scope: Scope) => Promise<T>): Promise<T>
  <T>(options: WriteOptions, work: (scope: Scope) => Promise<T>): Promise<T>
}

/** Has `record` if the operation declares an audit entry, and `emit` if it declares events. */
export type WriteScope<Audited, E extends Emits> = { db: Tx } & (Audited extends true
  ? { record: RecordChange }
  : unknown) &
  (keyof E extends never ? unknown : { emit: Emit<E> })
