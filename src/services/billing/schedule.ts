// Renews the holds of this process, charges those of processes that died, and checks the journal.

import { EngineUnavailable, type Tx } from '../../engines/engines.ts'
import type { OrgId } from '../../kit/caller.ts'
import { type Billing, schedule } from './state.ts'
import * as store from './store.ts'

export const renewHolds = schedule({
  name: 'holds',
  per: 'process',
  everyMs: 5_000,
  deadlineMs: 30_000,
  run: async ({ state }) => {
    await state.renewHolds()
    return undefined
  },
})

export const tendJournal = schedule({
  name: 'journal',
  everyMs: 60_000,
  deadlineMs: 30_000,
  run: async ({ db, clock, state, write, signal }) => {
    const now = clock.now().toISOString()
    const settling: Settling = { now, write, settleLeft: state.settleLeft, failed: [], failure: null }
    let orgs = await store.selectLeftOrgs(db, now, '')
    while (orgs.length > 0) {
      for (const org of orgs) if (!signal.aborted) await settleOrg(settling, org, signal)
      orgs = signal.aborted ? [] : await store.selectLeftOrgs(db, now, orgs.at(-1) as string)
    }
    await state.checkJournal()
    const { failed, failure } = settling
    if (failure !== null) throw new Error(`holds could not be charged: ${failed.join(', ')}`, { cause: failure })
    return undefined
  },
})

/** Holds of one transaction. */
const LEFT_MAX = 200

type Settling = Pick<Billing, 'settleLeft'> & {
  now: string
  write: (work: (tx: Tx) => Promise<void>) => Promise<unknown>
  /** The holds or organisations that could not be charged, and the error of the last one. */
  failed: string[]
  failure: unknown
}

/** Charges the holds that dead processes left behind of one organisation. Neither a hold that cannot be charged nor locked
 *  rows hold up the others. */
async function settleOrg(settling: Settling, org: OrgId, signal: AbortSignal): Promise<void> {
  const { now, write, settleLeft, failed } = settling
  let count = LEFT_MAX
  let isMore = true
  while (isMore && !signal.aborted) {
    let left: store.LeftHold[] = []
    try {
      await write(async tx => {
        left = await store.lockExpiredHolds(tx, org, now, count, failed)
        await settleLeft(tx, left)
      })
      isMore = left.length === count
    } catch (error) {
      if (error instanceof EngineUnavailable && error.state === 'down') throw error
      settling.failure = error
      isMore = !(error instanceof EngineUnavailable) && left.length > 0
      if (!isMore) failed.push(org)
      else if (left.length === 1) failed.push((left[0] as store.LeftHold).id)
      count = 1
    }
  }
}
