// GET /v1/billing/usage: usage and its cost.
import { Type } from 'typebox'
import type { Sql } from '../../engines/engines.ts'
import type { OrgId } from '../../kit/caller.ts'
import { integer, string, timestamp, withoutNulls } from '../../kit/fields.ts'
import { centsOf } from '../../kit/meter.ts'
import { pageByTime, paging } from '../../kit/page.ts'
import { Cents, Currency, TransactionId } from './fields.ts'
import { filterOf, usageFilters } from './filters.ts'
import { splitPeriod } from './periods.ts'
import { operation } from './state.ts'
import * as store from './store.ts'

const UsageRow = Type.Object(
  {
    amount: Cents('The cost', 0.0425),
    createdAt: timestamp('When it was settled'),
    metadata: Type.Record(Type.String(), Type.Unknown(), {
      description:
        'What was used: `product`, `model`, `key`, `project`, the tokens, and the price in force in cents per million tokens',
      examples: [{ product: 'ai', model: 'gpt-5-mini', inputTokens: 1200, outputTokens: 80 }],
    }),
    transactionId: TransactionId,
  },
  { title: 'UsageRow', description: 'One settled call' },
)

export const listUsage = operation({
  route: 'GET /v1/billing/usage',
  summary: "Lists the organisation's usage, newest first",
  access: 'bearer',
  showsUsage: true,
  input: { ...paging, ...usageFilters },
  output: Type.Object(
    {
      currency: Currency,
      count: integer('How many rows there are on all pages', 1),
      amount: Cents('Their total cost'),
      usage: Type.Array(UsageRow, { description: 'The rows of this page' }),
      next: string('Send it as `after` to get the next page; empty on the last page', ''),
    },
    { title: 'Usage', description: 'The usage of an organisation' },
  ),
  run: async ({ db, caller: { org }, state: { currency } }, { limit, after, ...query }) => {
    const filter = filterOf(query)
    const paged = { ...(limit !== undefined && { limit }), ...(after !== undefined && { after }) }
    const [{ data, next }, { count, amount }] = await Promise.all([
      pageByTime(paged, (last, rows) => store.selectUsage(db, org, filter, last, rows)),
      totalOf(db, org, filter),
    ])
    return { currency, count, amount: centsOf(amount), usage: data.map(rowOf), next }
  },
})

function rowOf({ id, amount, created, product, model, key, project, metadata }: store.TransferRow) {
  const about = withoutNulls({ product, model, key, project })
  return { amount: centsOf(amount), createdAt: created, metadata: { ...about, ...metadata }, transactionId: id }
}

/** Whole hours are added up already; the parts of an hour at both ends are counted. */
async function totalOf(db: Sql, org: OrgId, filter: store.UsageFilter): Promise<store.Total> {
  const { hours, first, last } = splitPeriod(filter)
  const totals = await Promise.all([
    store.sumHours(db, org, { ...filter, ...hours }),
    store.sumTransfers(db, org, { ...filter, ...first }),
    store.sumTransfers(db, org, { ...filter, ...last }),
  ])
  const sum = (of: (total: store.Total) => number) => totals.reduce((all, one) => all + of(one), 0)
  return { count: sum(({ count }) => count), amount: sum(({ amount }) => amount) }
}
