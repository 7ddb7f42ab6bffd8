// Operations under /v1/o11y/consumers: how far the consumers of the bus have read.
import { Type } from 'typebox'
import { timestamp } from '../../kit/fields.ts'
import { operation } from '../../kit/operation.ts'

const Consumer = Type.Object(
  {
    name: Type.String({ description: 'Its name', examples: ['webhooks'] }),
    behindSince: Type.Optional(
      timestamp('When the oldest event was published that it has not reached; absent if it has reached all'),
    ),
    waiting: Type.Integer({
      description: 'Events that wait because an earlier one of their organisation failed and is tried again',
      examples: [0],
    }),
    setAside: Type.Integer({ description: 'Events that failed too often and are set aside', examples: [0] }),
  },
  { title: 'Consumer', description: 'Work that is done for each event of certain subjects' },
)

export const listConsumers = operation({
  route: 'GET /v1/o11y/consumers',
  summary: 'Lists the consumers of the bus and what they have not handled yet',
  access: 'superadmin',
  output: Type.Object({ consumers: Type.Array(Consumer, { description: 'In the order of their names' }) }),
  run: async ({ bus, db }) => {
    const states = await bus.states(db)
    return {
      consumers: states.map(({ oldest, ...one }) => ({ ...one, ...(oldest !== null && { behindSince: oldest }) })),
    }
  },
})
