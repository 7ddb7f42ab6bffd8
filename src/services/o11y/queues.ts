// Operations under /v1/o11y/queues: what waits in the queues of background work.
import { Type } from 'typebox'
import { integer, string, timestamp } from '../../kit/fields.ts'
import { selectQueues } from '../../kit/queues/store.ts'
import { operation } from './state.ts'

const count = (description: string) => integer(description, 0)

const Queue = Type.Object(
  {
    name: string('Its id', 'webhooks.deliveries'),
    waiting: count('Jobs that have not ended, with those that run'),
    keys: count('Keys that have jobs, such as endpoints of webhooks, or limits of their own'),
    held: count('Those of them that a process works on now'),
    paused: count('Those of them that are paused'),
    dueSince: Type.Optional(
      timestamp('When the first job was due that no process has begun with; absent if there is none'),
    ),
  },
  { title: 'Queue', description: 'Work that is done later, each with an outcome' },
)

export const listQueues = operation({
  route: 'GET /v1/o11y/queues',
  summary: 'Lists the queues of background work and what waits in them',
  access: 'superadmin',
  output: Type.Object({ queues: Type.Array(Queue, { description: 'In the order of their names' }) }),
  run: async ({ clock, db, state }) => {
    const found = new Map((await selectQueues(db)).map(one => [one.queue, one]))
    const now = clock.now().toISOString()
    const names = [...new Set([...state.queues, ...found.keys()])].sort()
    const queues = names.map(name => {
      const { waiting = 0, keys = 0, held = 0, paused = 0, due = null } = found.get(name) ?? {}
      return { name, waiting, keys, held, paused, ...(due !== null && due <= now && { dueSince: due }) }
    })
    return { queues }
  },
})
