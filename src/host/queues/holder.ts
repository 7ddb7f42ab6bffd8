// This process's lease on queue keys, by the database's clock. A process that does not renew it in time loses all of its
// keys.
import type { Clock, Database } from '../../engines/engines.ts'
import * as store from '../../kit/queues/store.ts'

/** Longer than the deadline of most attempts, and short enough that other processes take over soon. */
const LEASE_MS = 10_000
const RENEW_MS = 2_500
/** Only a process that has kept renewing its own lease for this long may declare other leases expired: after the
 *  database was suspended, all leases have expired, and their holders still have outcomes to write. */
const CALM_MS = 5_000

export type HolderOptions = {
  db: Database
  clock: Clock
  /** The name of this process. */
  me: string
  /** Whether no other process uses this database. */
  isAlone: boolean
  /** Called when other processes have taken over the keys. */
  lost: () => void
}

/** Returns a function that renews the lease when due, frees the keys of dead processes, and resolves to whether there
 *  are keys to claim. `isUnsure`: the held keys are unknown and are given up. Uses real time, as the database does. */
export function openHolder({ db, clock, me, isAlone, lost }: HolderOptions): (isUnsure: boolean) => Promise<boolean> {
  let renewedMs: number | null = null
  let calmSinceMs = 0

  /** This includes keys claimed after other processes freed the rest, which would otherwise be held unnoticed. */
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
