// GET /v1/o11y/requests: how many requests an organisation made.
import { Type } from 'typebox'
import { integer, timestamp } from '../../../kit/fields.ts'
import { operation } from '../state.ts'
import { selectHours } from './store.ts'

const HOUR_MS = 3_600_000
const HOURS = { '24h': 24, '7d': 168, '30d': 720 }
type Range = keyof typeof HOURS

const counts = {
  requests: integer('Requests that its credentials were sent with', 1_204),
  refused: integer('Those answered with a status of 400 to 499', 12),
  failed: integer('Those answered with a status of 500 or more', 0),
}

export const getRequests = operation({
  route: 'GET /v1/o11y/requests',
  summary: 'Returns how many requests the organisation made by hour, and how many were refused or failed',
  description:
    'Counts appear within seconds. Requests without a valid credential belong to no organisation and are not counted. Counts are kept for 90 days; those of the last seconds are lost if the process is killed.',
  access: 'bearer',
  input: {
    range: Type.Optional(
      Type.Enum(Object.keys(HOURS) as Range[], {
        description: 'How many hours or days, up to now; default `24h`',
        examples: ['7d'],
      }),
    ),
  },
  output: Type.Object(
    {
      ...counts,
      data: Type.Array(
        Type.Object(
          { at: timestamp('When the hour began'), ...counts },
          { title: 'RequestHour', description: 'The requests of an hour' },
        ),
        { description: 'Every hour, the oldest first; the last one is not over yet' },
      ),
    },
    { title: 'RequestCounts', description: 'The requests of an organisation' },
  ),
  run: async ({ db, caller: { org }, clock }, { range = '24h' }) => {
    const last = Math.floor(clock.now().getTime() / HOUR_MS) * HOUR_MS
    const first = last - (HOURS[range] - 1) * HOUR_MS
    const data = await selectHours(db, org, new Date(first).toISOString(), new Date(last).toISOString())
    const sum = (of: keyof typeof counts) => data.reduce((all, one) => all + one[of], 0)
    return { requests: sum('requests'), refused: sum('refused'), failed: sum('failed'), data }
  },
})
