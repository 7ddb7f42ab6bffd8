// What people change about themselves, by an operation under /v1/iam/me or on the account page of the identity origin.
import type { Tx } from '../../../engines/engines.ts'
import type { EmitTo } from '../../../kit/events.ts'
import type { Emits, RecordChange } from '../../../kit/write.ts'

/** The transaction of such a change. */
export type OwnWrite = { db: Tx; record: RecordChange }
/** One that emits events. */
export type OwnEmitting<E extends Emits> = OwnWrite & { emit: EmitTo<E> }

/** The person as they were when the change was requested. */
export type Person = { user: string; email: string }
