// Deletes deliveries that are older than the log keeps them, and those of endpoints and organisations that were deleted.
import type { Tx } from '../../engines/engines.ts'
import type { ScheduleContext } from '../../kit/background.ts'
import { lowestUuid } from '../../kit/uuid.ts'
import { deliveries } from './dispatch/deliveries.ts'
import * as log from './log.store.ts'
import { schedule, type Webhooks } from './state.ts'

const DAY_MS = 86_400_000
/** Rows per transaction. */
const DELETED_MAX = 5_000
const COUNTED_DAYS = 8

export const deleteOldDeliveries = schedule({
  name: 'webhook deliveries',
  everyMs: 60 * 60_000,
  deadlineMs: 10 * 60_000,
  run: async context => {
    const { clock, signal, state, write } = context
    const daysAgo = (days: number) => new Date(clock.now().getTime() - days * DAY_MS)
    const before = lowestUuid(daysAgo(state.keptDays))
    // What is sent again then has failed before.
    const ended = lowestUuid(daysAgo(state.keptDays + state.backlogDays + 1))
    await write(tx => log.deleteDaysBefore(tx, daysAgo(COUNTED_DAYS).toISOString()))
    await deleteOfDeleted(context)
    const steps = [
      (tx: Tx) => log.deleteEventsOfDeleted(tx, DELETED_MAX),
      (tx: Tx) => log.deleteAttemptsBefore(tx, before, DELETED_MAX),
      (tx: Tx) => log.deleteEventsBefore(tx, before, ended, DELETED_MAX),
    ]
    for (const step of steps) while (!signal.aborted && (await write(step)) > 0) {}
    return undefined
  },
})

async function deleteOfDeleted({ db, queues, signal, write }: ScheduleContext<Webhooks>): Promise<void> {
  const untilNone = async (step: (tx: Tx) => Promise<number>) => {
    while (!signal.aborted && (await write(step)) === DELETED_MAX) {}
  }
  for (let webhook = await log.selectDeleted(db); webhook !== null; webhook = await log.selectDeleted(db)) {
    const id = webhook
    await untilNone(tx => queues.purge(tx, deliveries, id, DELETED_MAX))
    await untilNone(tx => log.deleteAttemptsOf(tx, id, DELETED_MAX))
    if (signal.aborted) return
    await write(tx => log.deleteDeleted(tx, id))
  }
}
