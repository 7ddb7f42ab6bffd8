// A lease: only one process at a time does the work. It expires if its holder dies. Its fencing number grows with every new
// holder, so writes of a process that lost the lease are rejected.
import type { Clock, Database, Random, Tx } from '../engines/engines.ts'
import * as store from './lease.store.ts'

const DURATION_MS = 30_000

type Engines = { db: Database; clock: Clock; random: Random }

export type Lease = {
  /** Aborted when the lease is lost, or by the caller's signal. */
  signal: AbortSignal
  /** Runs one transaction that commits only while the lease is held. */
  write<T>(work: (db: Tx) => Promise<T>): Promise<T>
}

export class LeaseLost extends Error {}

/** Does the work while holding the lease; returns null immediately if another process holds it. */
export async function withLease<T>(
  { db, clock, random }: Engines,
  name: string,
  signal: AbortSignal,
  work: (lease: Lease) => Promise<T>,
): Promise<T | null> {
  const holder = random.token(22)
  const fence = await store.acquireLease(db.autocommit, name, holder, DURATION_MS)
  if (fence === null) return null
  const lost = new AbortController()
  const done = new AbortController()
  const renewal = renewUntilDone()
  async function renewUntilDone(): Promise<void> {
    for (;;) {
      await clock.sleep(DURATION_MS / 3, done.signal)
      if (done.signal.aborted) return
      const renewed = await store.acquireLease(db.autocommit, name, holder, DURATION_MS).catch(() => null)
      if (renewed !== fence) return lost.abort(new LeaseLost(`the lease ${name} was lost`))
    }
  }
  const write: Lease['write'] = inside =>
    db.transaction(async tx => {
      if (!(await store.holdsLease(tx, name, holder, fence))) throw new LeaseLost(`the lease ${name} was lost`)
      return inside(tx)
    })
  try {
    return await work({ signal: AbortSignal.any([signal, lost.signal]), write })
  } finally {
    done.abort()
    await renewal
    await store.endLease(db.autocommit, name, holder)
  }
}
