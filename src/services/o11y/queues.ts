// Operations under /v1/o11y/queues: the backlogs of the queues of background work.
import { Type } from 'typebox'
import { integer, string, timestamp } from '../../kit/fields.ts'
import { selectQueues } from '../../kit/queues/store.ts'
import { operation } from './state.ts'

const count = (description: string) => integer(description, 0)

const Queue = Type.Object(
  {
    name: string('Its id', 'webhooks.deliveries'),
    waiting: count('Jobs that have not ended, including running ones'),
    keys: count('Keys, such as webhook endpoints, that have jobs or their own limits'),
    held: count('Keys whose jobs a process runs now'),
    paused: count('Keys that are paused'),
    dueSince: Type.Optional(
      timestamp('When the oldest job that no process has started was due; absent if there is none'),
    ),
  },
  { title: 'Queue', description: 'A queue of background jobs' },
)

export const listQueues = operation({
  route: 'GET /v1/o11y/queues',
  summary: 'Lists the queues of background work and their waiting jobs',
  access: 'superadmin',
  output: Type.Object({ queues: Type.Array(Queue, { description: 'Sorted by name' }) }),
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
