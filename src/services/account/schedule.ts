// Writes when keys were last used. Deletes the counted requests of keys that are no longer used, and answers that need not
// be kept any longer.

import { deleteAnswers } from './kept-answers.store.ts'
import { keptSince } from './kept-answers.ts'
import { deleteEnded } from './rates.store.ts'
import { schedule } from './state.ts'

/** Rows per transaction, small enough not to delay other writes. */
const BATCH = 1_000

export const writeLastUses = schedule({
  name: 'last uses of keys',
  per: 'process',
  everyMs: 1_000,
  deadlineMs: 30_000,
  run: async ({ state }) => {
    await state.keyring.flush()
    return undefined
  },
})

export const sweepRates = schedule({
  name: 'ended rates',
  everyMs: 10 * 60_000,
  deadlineMs: 5 * 60_000,
  run: async ({ clock, signal, write }) => {
    const at = clock.now().toISOString()
    while (!signal.aborted && (await write(tx => deleteEnded(tx, at, BATCH))) === BATCH);
    return undefined
  },
})

export const sweepAnswers = schedule({
  name: 'kept answers',
  everyMs: 10 * 60_000,
  deadlineMs: 5 * 60_000,
  run: async ({ clock, signal, write }) => {
    const since = keptSince(clock.now().toISOString())
    while (!signal.aborted && (await write(tx => deleteAnswers(tx, since, BATCH))) === BATCH);
    return undefined
  },
})
