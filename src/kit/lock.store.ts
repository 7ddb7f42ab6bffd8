// A lock by name, for things that no single row represents.
import type { Tx } from '../engines/engines.ts'

/** Locks exclusively until the transaction ends. */
export async function lock(db: Tx, name: string): Promise<void> {
  await db`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`
}
