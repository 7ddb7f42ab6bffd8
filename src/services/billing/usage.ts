// GET /v1/billing/usage: what was used and what it cost.
import { Type } from 'typebox'
import type { Sql } from '../../engines/engines.ts'
import type { OrgId } from '../../kit/caller.ts'
import { timestamp } from '../../kit/fields.ts'
import { centsOf } from '../../kit/meter.ts'
import { page, paging, positionFrom, positionKey } from '../../kit/page.ts'
import { Cents, TransactionId } from './fields.ts'
import { operation } from './state.ts'
import * as store from './store.ts'

const name = (description: string, example: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 200, description, examples: [example] }))

const UsageRow = Type.Object(
  {
    amount: Cents('What it cost', 0.0425),
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
  summary: 'Lists what the organisation used, newest first',
  access: 'bearer',
  showsUsage: true,
  input: {
    ...paging,
    since: Type.Optional(timestamp('Only what was settled then or later')),
    until: Type.Optional(timestamp('Only what was settled before')),
    key: name('Only what this key used', 'key_4vJ9mWcX2bQeT7yLrK0sZp1n'),
    project: name('Only what was used in this project', 'web-shop'),
    model: name('Only calls of this model', 'gpt-5-mini'),
    product: name('Only usage of this product', 'ai'),
  },
  output: Type.Object(
    {
      count: Type.Integer({ description: 'How many rows there are on all pages', examples: [1] }),
      amount: Cents('What all of them cost'),
      usage: Type.Array(UsageRow, { description: 'The rows of this page' }),
      next: Type.String({
        description: 'Send it as `after` to get the next page; empty on the last page',
        examples: [''],
      }),
    },
    { title: 'Usage', description: 'What an organisation used' },
  ),
  run: async ({ db, caller: { org } }, { limit, after, ...query }) => {
    const filter = filterOf(query)
    const paged = { ...(limit !== undefined && { limit }), ...(after !== undefined && { after }) }
    const [{ data, next }, { count, amount }] = await Promise.all([
      page(paged, (last, rows) => store.selectUsage(db, org, filter, positionFrom(last), rows), positionKey),
      totalOf(db, org, filter),
    ])
    return { count, amount: centsOf(amount), usage: data.map(rowOf), next }
  },
})

type Query = { since?: string; until?: string; key?: string; project?: string; model?: string; product?: string }

const filterOf = ({ since, until, key = '', project = '', model = '', product = '' }: Query): store.UsageFilter => ({
  ...{ key, project, model, product },
  since: since ?? '-infinity',
  until: until ?? 'infinity',
})

function rowOf({ id, amount, created, product, model, key, project, metadata }: store.TransferRow) {
  const about = { product, model, ...(key !== null && { key }), ...(project !== null && { project }) }
  return { amount: centsOf(amount), createdAt: created, metadata: { ...about, ...metadata }, transactionId: id }
}

const HOUR_MS = 60 * 60_000

/** Whole hours are added up already; the parts of an hour at both ends are counted. */
async function totalOf(db: Sql, org: OrgId, filter: store.UsageFilter): Promise<store.Total> {
  const { since, until } = filter
  const from = since === '-infinity' ? since : hourAt(Math.ceil(Date.parse(since) / HOUR_MS))
  const to = until === 'infinity' ? until : hourAt(Math.floor(Date.parse(until) / HOUR_MS))
  if (from !== since && to !== until && from > to) return store.sumTransfers(db, org, filter)
  const totals = await Promise.all([
    store.sumHours(db, org, { ...filter, since: from, until: to }),
    from === since ? null : store.sumTransfers(db, org, { ...filter, until: from }),
    to === until ? null : store.sumTransfers(db, org, { ...filter, since: to }),
  ])
  const sum = (of: (total: store.Total) => number) => totals.reduce((all, one) => all + (one ? of(one) : 0), 0)
  return { count: sum(({ count }) => count), amount: sum(({ amount }) => amount) }
}

/** The first hour of the year 10000 has a sign in front of it, which the database does not read. */
const hourAt = (hours: number) => new Date(hours * HOUR_MS).toISOString().replace(/^\+0?/, '')
