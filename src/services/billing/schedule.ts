// Releases the holds of processes that died, and checks the journal.
import { schedule } from './state.ts'
import * as store from './store.ts'

export const tendJournal = schedule({
  name: 'journal',
  everyMs: 60_000,
  deadlineMs: 30_000,
  run: async ({ clock, state, write }) => {
    await write(tx => store.deleteExpiredHolds(tx, clock.now().toISOString()))
    await state.checkJournal()
    return undefined
  },
})
