// GET /v1/event/insights/events: the names of events, and how often and by how many people each was sent.
import { Type } from 'typebox'
import { integer, string, timestamp } from '../../../kit/fields.ts'
import { numberFrom, page, paging } from '../../../kit/page.ts'
import { operation } from '../state.ts'
import { asked, DistinctRead, lensInput, methodOf, RangeRead, shownRange } from './asked.ts'

const NamedEvent = Type.Object(
  {
    event: string('The name', 'Order paid'),
    count: integer('How many of them', 44),
    people: integer('How many distinct visitors', 31),
    firstSeen: timestamp('When the first of them happened in this time'),
    lastSeen: timestamp('When the last of them happened in this time'),
  },
  { title: 'NamedEvent', description: 'The events with a name' },
)

export const listEventNames = operation({
  route: 'GET /v1/event/insights/events',
  summary: 'Lists the names of events with their number and people, the most frequent first',
  access: 'reader',
  project: 'chosen',
  input: { ...lensInput, ...paging },
  output: Type.Object(
    {
      range: RangeRead,
      data: Type.Array(NamedEvent, { description: 'The names of this page' }),
      next: string('Send it as `after` to get the next page; empty on the last page', ''),
      distinct: DistinctRead,
    },
    { title: 'NamedEvents', description: 'The names of events' },
  ),
  faults: ['warehouse_unreachable'],
  run: async (context, { limit, after, ...input }) => {
    const { db, range, chosen } = await asked(context, input)
    const select = async (last: string, count: number) => {
      const offset = last === '' ? 0 : numberFrom(last)
      const found = await context.warehouse.lenses.events(db, chosen, { offset, limit: count })
      return found.map((one, at) => ({ ...one, key: String(offset + at + 1) }))
    }
    const paged = { ...(limit !== undefined && { limit }), ...(after !== undefined && { after }) }
    const { data, next } = await page(paged, select, 'key')
    return {
      range: shownRange(range),
      data: data.map(({ value, events, visitors, first, last }) => ({
        ...{ event: value, count: events, people: visitors.count, firstSeen: first, lastSeen: last },
      })),
      next,
      distinct: methodOf(data.map(({ visitors }) => visitors)),
    }
  },
})
