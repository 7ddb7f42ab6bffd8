// Operations under /v1/o11y/consumers: how far the consumers of the event log have read.
import { Type } from 'typebox'
import { integer, string, timestamp } from '../../kit/fields.ts'
import { selectBacklogs, selectPositions } from '../../kit/host/consumers.store.ts'
import { operation } from './state.ts'

const Consumer = Type.Object(
  {
    name: string('Its id', 'webhooks.fan-out'),
    behindSince: Type.Optional(
      timestamp('When the oldest event that it has not read was published; absent if it has read all'),
    ),
    waiting: integer(
      'Events that wait because an earlier one of the same organisation failed, or because too many arrived at the same time',
      0,
    ),
    deadLetters: integer('Events that failed too often', 0),
    isUndeclared: Type.Optional(
      Type.Literal(true, {
        description:
          'True if this version has no consumer with this id: nothing reads its events, which are kept for a week',
      }),
    ),
  },
  { title: 'Consumer', description: 'A handler for events with certain subjects' },
)

export const listConsumers = operation({
  route: 'GET /v1/o11y/consumers',
  summary: 'Lists the consumers of the event log and their backlogs',
  access: 'superadmin',
  output: Type.Object({ consumers: Type.Array(Consumer, { description: 'Sorted by name' }) }),
  run: async ({ db, log, state }) => {
    const positions = await selectPositions(db)
    const unread = await log.unread(db, positions)
    const oldest = new Map<string, string>()
    for (const [at, { consumer }] of positions.entries()) {
      const since = unread[at]
      if (since && since < (oldest.get(consumer) ?? '~')) oldest.set(consumer, since)
    }
    const consumers = (await selectBacklogs(db)).map(({ consumer: name, waiting, deadLetters }) => {
      const behindSince = oldest.get(name)
      const isDeclared = state.consumers.has(name)
      return {
        name,
        ...(behindSince && { behindSince }),
        waiting,
        deadLetters,
        ...(!isDeclared && { isUndeclared: true as const }),
      }
    })
    return { consumers }
  },
})
