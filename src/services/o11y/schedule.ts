// Makes room in the log of the bus for the coming days, and deletes what every consumer has read.
import { serviceKit } from '../../kit/service.ts'

export const maintainBus = serviceKit<undefined>().schedule({
  name: 'bus',
  everyMs: 60 * 60_000,
  deadlineMs: 10 * 60_000,
  run: async ({ bus, write }) => {
    await bus.maintain(write)
    return undefined
  },
})
