// A lease: what only one process may do at a time. It ends by itself when its holder dies, and its number grows with every
// holder: a write of one that was taken over meanwhile finds a higher number, and does not commit.
import type { Clock, Database, Random, Tx } from '../../engines/engines.ts'
import * as store from './store.ts'

const LASTS_MS = 30_000

type Engines = { db: Database; clock: Clock; random: Random }

export type Lease = {
  /** Aborted when the lease is lost, or with the signal that was given. */
  signal: AbortSignal
  /** One transaction that commits only while the lease is held. */
  write<T>(work: (db: Tx) => Promise<T>): Promise<T>
}

export class LeaseLost extends Error {}

/** Does the work while it alone holds the lease, and answers null at once when another does. */
export async function withLease<T>(
  { db, clock, random }: Engines,
  name: string,
  signal: AbortSignal,
  work: (lease: Lease) => Promise<T>,
): Promise<T | null> {
  const holder = random.token(22)
  const fence = await store.acquireLease(db.autocommit, name, holder, LASTS_MS)
  if (fence === null) return null
  const lost = new AbortController()
  const done = new AbortController()
  const keeping = keep()
  async function keep(): Promise<void> {
    for (;;) {
      await clock.sleep(LASTS_MS / 3, done.signal)
      if (done.signal.aborted) return
      const kept = await store.acquireLease(db.autocommit, name, holder, LASTS_MS).catch(() => null)
      if (kept !== fence) return lost.abort(new LeaseLost(`the lease ${name} was lost`))
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
    await keeping
    await store.endLease(db.autocommit, name, holder)
  }
}
