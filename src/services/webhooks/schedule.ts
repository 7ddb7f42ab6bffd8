// Deletes deliveries that are older than the log keeps them, and those of endpoints and organisations that were deleted.
import type { Tx } from '../../engines/engines.ts'
import { lowestUuid } from './dispatch/uuid.ts'
import * as log from './log/store.ts'
import { schedule } from './state.ts'

const DAY_MS = 86_400_000
/** Rows per transaction. */
const DELETED_MAX = 5_000
const COUNTED_DAYS = 8

export const deleteOldDeliveries = schedule({
  name: 'webhook deliveries',
  everyMs: 60 * 60_000,
  deadlineMs: 10 * 60_000,
  run: async ({ clock, signal, state, write }) => {
    const daysAgo = (days: number) => new Date(clock.now().getTime() - days * DAY_MS)
    const before = lowestUuid(daysAgo(state.keptDays))
    await write(tx => log.deleteDaysBefore(tx, daysAgo(COUNTED_DAYS).toISOString()))
    const steps = [
      (tx: Tx) => log.deleteDeliveriesOfDeleted(tx, DELETED_MAX),
      (tx: Tx) => log.deleteEventsOfDeleted(tx, DELETED_MAX),
      (tx: Tx) => log.deleteAttemptsBefore(tx, before, DELETED_MAX),
      (tx: Tx) => log.deleteEventsBefore(tx, before, DELETED_MAX),
    ]
    for (const step of steps) while (!signal.aborted && (await write(step)) > 0) {}
    return undefined
  },
})
