// Deletes expired sign-ins from the database.
import { deleteExpired } from './oidc/store.ts'
import { schedule } from './state.ts'

/** Rows per transaction, small enough not to delay other writes. */
const BATCH = 1_000

export const sweepSignIns = schedule({
  name: 'expired sign-ins',
  everyMs: 10 * 60_000,
  deadlineMs: 5 * 60_000,
  run: async ({ clock, signal, write }) => {
    const at = clock.now().toISOString()
    while (!signal.aborted && (await write(tx => deleteExpired(tx, at, BATCH))) === BATCH);
    return undefined
  },
})
