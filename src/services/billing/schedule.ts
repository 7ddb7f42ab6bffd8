// Renews the holds of this process, charges those of processes that died, and checks the journal.
import { EngineUnavailable } from '../../engines/engines.ts'
import { schedule } from './state.ts'
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

/** Holds of one transaction. */
const LEFT_MAX = 200

export const tendJournal = schedule({
  name: 'journal',
  everyMs: 60_000,
  deadlineMs: 30_000,
  run: async ({ clock, state, write, signal }) => {
    const now = clock.now().toISOString()
    const failed: string[] = []
    let count = LEFT_MAX
    let failure: unknown = null
    /** Whether there may be more. One that cannot be charged keeps no other from it. */
    const settleSome = async (): Promise<boolean> => {
      let left: store.LeftHold[] = []
      try {
        await write(async tx => {
          left = await store.lockExpiredHolds(tx, now, count, failed)
          await state.settleLeft(tx, left)
        })
      } catch (error) {
        if (error instanceof EngineUnavailable || left.length === 0) throw error
        failure = error
        if (left.length === 1) failed.push((left[0] as store.LeftHold).id)
        count = 1
        return true
      }
      return left.length === count
    }
    while (!signal.aborted && (await settleSome()));
    await state.checkJournal()
    if (failure !== null) throw new Error(`holds could not be charged: ${failed.join(', ')}`, { cause: failure })
    return undefined
  },
})
