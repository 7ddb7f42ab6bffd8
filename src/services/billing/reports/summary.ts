// GET /v1/billing/usage/summary: usage, added up by day, key, model, project and product.
import { Type } from 'typebox'
import { orCsv } from '../../../kit/answer.ts'
import { invalidField } from '../../../kit/check.ts'
import { CSV_ROWS_MAX, csvReply, formats, number, text, wantsCsv } from '../../../kit/csv.ts'
import { integer, string } from '../../../kit/fields.ts'
import { centsOf } from '../../../kit/meter.ts'
import { invalidCursor, page, paging } from '../../../kit/page.ts'
import { Cents, Currency, centsText } from '../fields.ts'
import { filterOf, usageFilters } from '../filters.ts'
import { splitPeriod } from '../periods.ts'
import { operation } from '../state.ts'
import * as store from './store.ts'

const FIELDS = ['day', 'key', 'model', 'project', 'product'] as const
const FIELD = FIELDS.join('|')

const By = string(
  `What to group by: one or more of ${FIELDS.map(name => `\`${name}\``).join(', ')}, separated by commas; default \`day\``,
  'day,model',
  { pattern: `^(?:${FIELD})(?:,(?:${FIELD})){0,4}$` },
)

const named = (description: string, example: string) =>
  Type.Optional(string(`${description}; absent if there is none, or not grouped by it`, example))

const UsageGroup = Type.Object(
  {
    day: Type.Optional(string('The day in UTC; absent if not grouped by it', '2026-11-15')),
    key: named('The key', 'key_4vJ9mWcX2bQeT7yLrK0sZp1n'),
    model: named('The model', 'gpt-5-mini'),
    project: named('The project', 'web-shop'),
    product: named('The product', 'ai'),
    count: integer('How many calls were settled', 12),
    amount: Cents('Their cost', 0.51),
  },
  { title: 'UsageGroup', description: 'A group of usage' },
)

export const getUsageSummary = operation({
  route: 'GET /v1/billing/usage/summary',
  summary: 'Returns what the organisation used and spent, added up by day, key, model, project or product',
  description: `Groups are sorted by day, key, model, project and product. As CSV, one answer contains all groups, whatever \`limit\` and \`after\` are; a period with more than ${CSV_ROWS_MAX} groups is rejected.`,
  access: 'bearer',
  showsUsage: true,
  input: { ...paging, ...usageFilters, by: Type.Optional(By), ...formats },
  output: orCsv(
    Type.Object(
      {
        currency: Currency,
        count: integer('How many calls were settled in all groups, on all pages', 12),
        amount: Cents('Their total cost', 0.51),
        data: Type.Array(UsageGroup, { description: 'The groups of this page' }),
        next: string('Send it as `after` to get the next page; empty on the last page', ''),
      },
      { title: 'UsageSummary', description: 'The usage of an organisation, added up' },
    ),
  ),
  run: async ({ caller: { org }, state, request }, { limit, after, by = 'day', format, ...query }) => {
    const { currency, analytics } = state
    const filter = filterOf(query)
    const groupBy = groupsOf(by)
    const select = (from: store.Group | null, count: number) =>
      store.selectGroups(analytics.for(org), org, filter, splitPeriod(filter), groupBy, from, count)
    if (wantsCsv(format, request.headers)) {
      const { groups } = await select(null, CSV_ROWS_MAX + 1)
      if (groups.length > CSV_ROWS_MAX) throw tooMany()
      return csvReply('usage.csv', columnsOf(groupBy, currency), groups)
    }
    let total = { count: 0, amount: 0 }
    const rows = async (last: string, count: number) => {
      const found = await select(last === '' ? null : groupFrom(last), count)
      total = found.total
      return found.groups
    }
    const paged = { ...(limit !== undefined && { limit }), ...(after !== undefined && { after }) }
    const { data, next } = await page(paged, rows, groupKey)
    return { currency, count: total.count, amount: centsOf(total.amount), data: data.map(shown(groupBy)), next }
  },
})

const groupsOf = (by: string): store.GroupBy => {
  const names = new Set(by.split(','))
  return Object.fromEntries(FIELDS.map(name => [name, names.has(name)])) as store.GroupBy
}

const DAY_MS = 24 * 60 * 60_000
const dayText = (day: number) => new Date(day * DAY_MS).toISOString().slice(0, 10)

const shown = (by: store.GroupBy) => (group: store.GroupRow) => {
  const names = FIELDS.filter(name => name !== 'day' && group[name] !== '').map(name => [name, group[name]])
  return {
    ...(by.day && { day: dayText(group.day) }),
    ...Object.fromEntries(names),
    count: group.count,
    amount: centsOf(group.amount),
  }
}

function columnsOf(by: store.GroupBy, currency: string) {
  const names = FIELDS.filter(name => by[name])
  return [
    ...names.map(name =>
      text(name, (group: store.GroupRow) => (name === 'day' ? dayText(group.day) : String(group[name]))),
    ),
    number('count', (group: store.GroupRow) => String(group.count)),
    number('amount', (group: store.GroupRow) => centsText(group.amount)),
    text('currency', () => currency),
  ]
}

const groupKey = ({ day, key, model, project, product }: store.Group) =>
  JSON.stringify([day, key, model, project, product])

/** More days than the database can count. */
const DAYS_MAX = 100_000_000

function groupFrom(text: string): store.Group {
  const [day, ...names] = partsIn(text)
  const isGroup = Number.isInteger(day) && Math.abs(day as number) < DAYS_MAX && names.length === FIELDS.length - 1
  if (!isGroup || names.some(name => typeof name !== 'string')) throw invalidCursor()
  const [key, model, project, product] = names as [string, string, string, string]
  return { day: day as number, key, model, project, product }
}

function partsIn(text: string): unknown[] {
  try {
    const parts: unknown = JSON.parse(text)
    return Array.isArray(parts) ? parts : []
  } catch {
    return [] // The caller rejects it.
  }
}

const tooMany = () =>
  invalidField('since', `must be later, or \`until\` earlier: the result has more than ${CSV_ROWS_MAX} groups`)
