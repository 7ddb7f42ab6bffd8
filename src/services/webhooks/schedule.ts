// Deletes the deliveries of endpoints that were deleted.
import { untilFewer } from '../../kit/tables/portions.ts'
import { deliveries } from './dispatch/deliveries.ts'
import * as log from './log.store.ts'
import { schedule } from './state.ts'

/** Rows per transaction. */
const DELETED_MAX = 5_000

export const deleteOfDeleted = schedule({
  name: 'deliveries of deleted webhooks',
  everyMs: 60 * 60_000,
  deadlineMs: 10 * 60_000,
  run: async context => {
    const { db, queues, signal, write } = context
    for (
      let webhook = await log.selectDeletedEndpoint(db);
      webhook !== null;
      webhook = await log.selectDeletedEndpoint(db)
    ) {
      const id = webhook
      await untilFewer(context, DELETED_MAX, tx => queues.purge(tx, deliveries, id, DELETED_MAX))
      await untilFewer(context, DELETED_MAX, tx => log.deleteAttemptsOf(tx, id, DELETED_MAX))
      if (signal.aborted) break
      await write(tx => log.deleteDeleted(tx, id))
    }
    return undefined
  },
})
