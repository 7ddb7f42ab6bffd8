// Takes out of the database what people were signed in to and is over.
import { deleteExpired } from './oidc/store.ts'
import { schedule } from './state.ts'

/** In one transaction: few enough that nobody waits for them. */
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
