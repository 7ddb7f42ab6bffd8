// GET /v1/event/top: the values of a field with the most visitors.
import { Type } from 'typebox'
import { integer, string } from '../../../kit/fields.ts'
import { operation } from '../state.ts'
import { asked, DistinctRead, lensInput, methodOf, RangeRead, shownRange } from './asked.ts'
import { FIELDS_TEXT, requireField } from './where.ts'

const LIMIT = 10
const LIMIT_MAX = 100

const TopValue = Type.Object(
  {
    value: string('The value', '/shop'),
    visitors: integer('How many distinct visitors', 320),
    events: integer('How many events', 512),
    share: Type.Number({ description: 'The share of all visitors of the time', examples: [0.27] }),
  },
  { title: 'TopValue', description: 'A value, and how many visitors had it' },
)

export const getEventTop = operation({
  route: 'GET /v1/event/top',
  summary: 'Returns the values of a field with the most visitors, such as paths or sources',
  description: 'Events without a value are left out. The source of a page view that nothing led to is `(direct)`.',
  access: 'reader',
  project: 'chosen',
  input: {
    ...lensInput,
    by: Type.Optional(string(`The field: ${FIELDS_TEXT}; default \`path\``, 'source', { maxLength: 220 })),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, description: `How many; default ${LIMIT}, at most ${LIMIT_MAX}`, examples: [LIMIT] }),
    ),
  },
  output: Type.Object(
    {
      range: RangeRead,
      by: string('The field', 'path'),
      data: Type.Array(TopValue, { description: 'The values, that with the most visitors first' }),
      distinct: DistinctRead,
    },
    { title: 'Top', description: 'The values with the most visitors' },
  ),
  faults: ['warehouse_unreachable'],
  run: async (context, { by = 'path', limit = LIMIT, ...input }) => {
    requireField('by', by)
    const { lenses } = context.warehouse
    const { db, range, chosen } = await asked(context, input, by.startsWith('properties.'))
    const { values, all } = await lenses.top(db, chosen, by, Math.min(limit, LIMIT_MAX))
    return {
      ...{ range: shownRange(range), by },
      data: values.map(({ value, visitors, events }) => ({
        ...{ value, visitors: visitors.count, events },
        share: all.count === 0 ? 0 : Math.min(1, visitors.count / all.count),
      })),
      distinct: methodOf([all, ...values.map(({ visitors }) => visitors)]),
    }
  },
})
