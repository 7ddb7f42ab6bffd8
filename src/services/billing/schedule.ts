// Renews the holds of this process, charges those of processes that died, and checks the journal.
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
    const settleSome = () =>
      write(async tx => {
        const left = await store.lockExpiredHolds(tx, now, LEFT_MAX)
        await state.settleLeft(tx, left)
        return left.length
      })
    while (!signal.aborted && (await settleSome()) === LEFT_MAX);
    await state.checkJournal()
    return undefined
  },
})
