// A lock by name, for what no single row stands for.
import type { Tx } from '../../engines/engines.ts'

/** Until the transaction ends, nobody else has the lock of that name. */
export async function lock(db: Tx, name: string): Promise<void> {
  await db`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`
}
