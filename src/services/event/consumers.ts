// What the warehouse gets from the log, in the transaction in which it is consumed: the events of ingest, and what model calls used.
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

type Settled = { inputTokens: number; outputTokens: number; cost?: number }

export const appendUsage = consumer({
  id: 'event.usage',
  subjects: ['ai.call.settled'],
  batchMax: 500,
  run: async ({ db, state }, events) => {
    const used = events.map(({ time, project = null, data }) => {
      const { inputTokens, outputTokens, cost = 0 } = data as Settled
      return { atMs: Date.parse(time), project, tokens: inputTokens + outputTokens, spend: cost }
    })
    await state.warehouse.appendUsage(db, events[0]?.tenant as string, used)
    return undefined
  },
})
