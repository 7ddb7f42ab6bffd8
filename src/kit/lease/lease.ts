// A lease: what only one process may do at a time. It ends by itself when its holder dies.
import type { Clock, Database, Random } from '../../engines/engines.ts'
import { dropLease, takeLease } from './store.ts'

const LASTS_MS = 30_000

type Engines = { db: Database; clock: Clock; random: Random }

/** Does the work while it alone holds the lease, and answers null at once when another does. The signal is aborted when
 *  the lease is lost, or with the one that is given. */
export async function withLease<T>(
  { db, clock, random }: Engines,
  name: string,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | null> {
  const holder = random.token(22)
  if (!(await takeLease(db, name, holder, LASTS_MS))) return null
  const lost = new AbortController()
  const done = new AbortController()
  const keeping = keep()
  async function keep(): Promise<void> {
    for (;;) {
      await clock.sleep(LASTS_MS / 3, done.signal)
      if (done.signal.aborted) return
      const kept = await takeLease(db, name, holder, LASTS_MS).catch(() => false)
      if (!kept) return lost.abort(new Error(`the lease ${name} was lost`))
    }
  }
  try {
    return await work(AbortSignal.any([signal, lost.signal]))
  } finally {
    done.abort()
    await keeping
    await dropLease(db, name, holder)
  }
}
