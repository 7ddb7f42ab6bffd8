// GET /v1/event: the events that arrived, the newest first.
import { Type } from 'typebox'
import type { ListedEvent } from '../../engines/engines.ts'
import { integer, string, timestamp, withoutNulls } from '../../kit/fields.ts'
import { listing, page, paging, positionFrom, positionKey, shownAs } from '../../kit/page.ts'
import { operation } from './state.ts'

const LIMIT_MAX = 100

const text = (description: string, example: string) => Type.Optional(string(description, example))

const ReceivedEvent = Type.Object(
  {
    id: string('Its id', 'evt_4vJ9mWcX2bQeT7yLrK0sZp1n'),
    received: timestamp('When it arrived'),
    timestamp: timestamp('When it happened, corrected for the clock of the client'),
    event: string('Its name, as it was sent', '$pageview'),
    wire: string('How it was sent: the form of Stoa, or that of an SDK', 'posthog'),
    project: text('The project that it belongs to', 'web-shop'),
    workspace: text('The workspace whose token wrote it', 'wsp_4vJ9mWcX2bQeT7yLrK0sZp1n'),
    distinctId: text('Who did it', 'user-1'),
    anonymousId: text('The id of the visitor before the person was identified', '0192c1f0'),
    sessionId: text('The session of the visitor', '0192c1f1'),
    revenue: Type.Optional(Type.Number({ description: 'The amount that was paid', examples: [12.5] })),
    currency: text('The currency of the revenue', 'EUR'),
    propertiesOmitted: Type.Optional(
      integer('How many bytes of `properties` were left out, because the answer would be too long', 61_440, {
        minimum: 1,
      }),
    ),
    properties: Type.Record(Type.String(), Type.Unknown(), {
      description: 'Everything else about it; empty if `propertiesOmitted` is present',
    }),
  },
  { title: 'ReceivedEvent', description: 'An event that was received' },
)

export const listEvents = operation({
  route: 'GET /v1/event',
  summary: 'Lists the events that arrived, newest first',
  description: `At most ${LIMIT_MAX} on a page. If the properties of all events of a page exceed 512 KiB together, the largest are omitted, with their size in \`propertiesOmitted\`; request fewer events to get them.`,
  access: 'bearer',
  input: paging,
  output: listing(ReceivedEvent),
  faults: ['warehouse_unreachable'],
  run: ({ db, warehouse, caller: { org } }, query) => {
    const select = (last: string, count: number) => {
      const { created: received, id } = positionFrom(last)
      return warehouse.newestEvents(db, org, { received, id }, count)
    }
    return shownAs(page(query, select, keyOf, LIMIT_MAX), shown)
  },
})

const keyOf = ({ received, id }: ListedEvent) => positionKey({ created: received, id })

function shown({ properties, propertiesBytes, ...row }: ListedEvent) {
  return {
    ...withoutNulls(row),
    ...(properties === null && { propertiesOmitted: propertiesBytes }),
    properties: JSON.parse(properties ?? '{}') as Record<string, unknown>,
  }
}
