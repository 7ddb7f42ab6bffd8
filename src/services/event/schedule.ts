// Makes room for the coming months, and watches the size of the log.
import { schedule } from './state.ts'

export const makePartitions = schedule({
  name: 'partitions of the warehouse',
  everyMs: 60 * 60_000,
  deadlineMs: 10 * 60_000,
  run: async ({ db, warehouse, clock, write }) => {
    await warehouse.maintain(db, write, clock.now())
    return undefined
  },
})

/** What a consumer has not read is never deleted, so that the log may grow until the disk is full. */
export const checkLogSize = schedule({
  name: 'size of the log',
  per: 'process',
  everyMs: 10_000,
  deadlineMs: 30_000,
  run: async ({ db, log, state }) => {
    state.isLogFull = (await log.bytes(db)) > state.logBytesMax
    return undefined
  },
})
