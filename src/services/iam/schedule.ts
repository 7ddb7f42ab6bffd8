// Deletes expired sign-ins and links, and ended counts of wrong passwords, from the database.

import { deleteOld as deleteAddressChanges } from './people/address-changes.store.ts'
import { deleteEnded as deleteGuesses } from './people/guesses.store.ts'
import { deleteOld as deleteResets } from './people/resets.store.ts'
import { deleteExpired } from './sessions/oidc.store.ts'
import { schedule } from './state.ts'

/** Rows per transaction, small enough not to delay other writes. */
const BATCH = 1_000

export const sweepSignIns = schedule({
  name: 'expired sign-ins',
  everyMs: 10 * 60_000,
  deadlineMs: 5 * 60_000,
  run: async ({ clock, signal, write }) => {
    const at = clock.now().toISOString()
    for (const sweep of [deleteExpired, deleteResets, deleteAddressChanges, deleteGuesses]) {
      while (!signal.aborted && (await write(tx => sweep(tx, at, BATCH))) === BATCH);
    }
    return undefined
  },
})
