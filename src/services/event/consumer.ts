// Appends the events of ingest to the warehouse, in the transaction in which they are consumed.
import { INGESTED } from '../../engines/engines.ts'
import { rowOf } from './rows.ts'
import { consumer } from './state.ts'

export const appendRows = consumer({
  // Its position was made by a migration, so that no event is missed.
  id: 'event.warehouse',
  subjects: INGESTED,
  batchMax: 500,
  run: async ({ db, state }, events, ingested) => {
    await state.warehouse.append(
      db,
      events.map((event, at) => rowOf(event, ingested[at] as string)),
    )
    return undefined
  },
})
