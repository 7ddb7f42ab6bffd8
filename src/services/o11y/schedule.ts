// Makes room in the log for the coming days, and deletes what every consumer has read, and old dead letters.
import { deleteDeadLetters, selectPositions } from '../../kit/host/consumers.store.ts'
import { schedule } from './state.ts'

const DEAD_LETTERS_KEEP_MS = 30 * 24 * 60 * 60_000
/** Rows per transaction, small enough not to delay other writes. */
const BATCH = 1_000

export const trimLog = schedule({
  name: 'bus',
  everyMs: 60 * 60_000,
  deadlineMs: 10 * 60_000,
  run: async ({ clock, db, log, signal, state, write }) => {
    const now = clock.now()
    const positions = await selectPositions(db)
    const declared = positions.filter(({ consumer }) => state.consumers.has(consumer))
    const undeclared = positions.filter(({ consumer }) => !state.consumers.has(consumer))
    await log.trim({ db, write, now, signal, declared, undeclared })
    const before = new Date(now.getTime() - DEAD_LETTERS_KEEP_MS).toISOString()
    while (!signal.aborted && (await write(tx => deleteDeadLetters(tx, before, BATCH))) === BATCH);
    return undefined
  },
})
