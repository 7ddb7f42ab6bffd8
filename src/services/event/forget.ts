// Deletes the events of organisations that are deleted: noted when the log tells it, and deleted in small steps.
import type { Tx } from '../../engines/engines.ts'
import type { ScheduleContext } from '../../kit/background.ts'
import { consumer } from './state.ts'
import * as store from './store.ts'

export const forgetOrganisations = consumer({
  id: 'event.forget-organisations',
  subjects: ['iam.org.deleted'],
  batchMax: 100,
  run: async ({ db }, events) => {
    await store.insertDeletions(db, [...new Set(events.map(({ tenant }) => tenant))])
    return undefined
  },
})

/** Later than any event. */
const NEVER = 'infinity'

export async function deleteForgotten(
  { db, warehouse, signal, write }: ScheduleContext,
  atOnce: number,
): Promise<void> {
  const untilNone = async (remove: (tx: Tx) => Promise<number>) => {
    while (!signal.aborted && (await write(remove)) === atOnce);
  }
  for (const org of await store.selectDeletions(db)) {
    await untilNone(tx => warehouse.deleteBefore(tx, org, NEVER, atOnce))
    await untilNone(tx => store.deleteIdsOf(tx, org, atOnce))
    if (!signal.aborted) await write(tx => store.deleteDeletion(tx, org))
  }
}
