// Deletes expired sign-ins and links from the database.
import { deleteExpired } from './oidc/store.ts'
import { deleteEnded } from './resets/store.ts'
import { schedule } from './state.ts'

/** Rows per transaction, small enough not to delay other writes. */
const BATCH = 1_000

export const sweepSignIns = schedule({
  name: 'expired sign-ins',
  everyMs: 10 * 60_000,
  deadlineMs: 5 * 60_000,
  run: async ({ clock, signal, write }) => {
    const at = clock.now().toISOString()
    for (const sweep of [deleteExpired, deleteEnded]) {
      while (!signal.aborted && (await write(tx => sweep(tx, at, BATCH))) === BATCH);
    }
    return undefined
  },
})
