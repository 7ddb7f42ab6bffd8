// Renews the holds of this process, releases those of processes that died, and checks the journal.
import { schedule } from './state.ts'
import * as store from './store.ts'

export const renewHolds = schedule({
  name: 'holds',
  per: 'process',
  everyMs: 30_000,
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
  run: async ({ clock, state, write }) => {
    await write(tx => store.deleteExpiredHolds(tx, clock.now().toISOString()))
    await state.checkJournal()
    return undefined
  },
})
