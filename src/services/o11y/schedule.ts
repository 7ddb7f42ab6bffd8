// Makes room in the log for the coming days, deletes what every consumer has read, and writes how many requests were made.
import { selectPositions } from '../../kit/host/consumers.store.ts'
import { schedule } from './state.ts'

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
    return undefined
  },
})

export const writeRequestCounts = schedule({
  name: 'request counts',
  per: 'process',
  everyMs: 5_000,
  deadlineMs: 30_000,
  run: async ({ state }) => {
    await state.counts.flush()
    return undefined
  },
})
