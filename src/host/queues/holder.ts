// The lease of this process on the keys of queues, by the clock of the database. A process that does not renew it in time
// loses all of them.
import type { Clock, Database } from '../../engines/engines.ts'
import * as store from '../../kit/queues/store.ts'

/** Longer than the deadline of most attempts, and short enough that others go on soon. */
const LEASE_MS = 10_000
const RENEW_MS = 2_500
/** The leases of others are judged only by who could renew its own for so long: after the database stood still, all of them
 *  are over, and their holders have outcomes to write. */
const CALM_MS = 5_000

export type HolderOptions = {
  db: Database
  clock: Clock
  /** The name of this process. */
  me: string
  /** Whether no other process uses this database. */
  isAlone: boolean
  /** Others have taken the keys over. */
  lost: () => void
}

/** Returns a function that renews the lease if it is time to, and frees the keys of processes that are dead; it resolves to
 *  whether there are keys to claim. `isUnsure`: what it holds is not known, and is given up. It goes by real time, as the database
 *  does. */
export function openHolder({ db, clock, me, isAlone, lost }: HolderOptions): (isUnsure: boolean) => Promise<boolean> {
  let renewedMs: number | null = null
  let calmSinceMs = 0

  /** Also what was claimed since others freed the rest, which nobody would know of. */
  async function giveUp(): Promise<void> {
    await db.transaction(tx => store.releaseAllOf(tx, [me], clock.now().toISOString()))
    lost()
  }

  return async isUnsure => {
    if (isUnsure) await giveUp()
    const atMs = performance.now()
    if (renewedMs !== null && atMs - renewedMs < RENEW_MS) return isUnsure
    const hadNone = await store.renewHolder(db.autocommit, me, LEASE_MS)
    const nowMs = performance.now()
    const isLate = renewedMs === null || atMs - renewedMs > LEASE_MS / 2 || nowMs - atMs > RENEW_MS
    if (isLate) calmSinceMs = nowMs
    if (hadNone && renewedMs !== null) await giveUp()
    renewedMs = nowMs
    if (nowMs - calmSinceMs < CALM_MS && !isAlone) return isUnsure
    const dead = await store.selectDead(db, me, isAlone)
    if (dead.length > 0) await db.transaction(tx => store.freeKeys(tx, dead, isAlone, clock.now().toISOString()))
    return isUnsure || dead.length > 0
  }
}
