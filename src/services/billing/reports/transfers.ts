// GET /v1/billing/journal: every transfer of an organisation, so that clients can add them up.
import { Type } from 'typebox'
import { orCsv } from '../../../kit/answer.ts'
import { CSV_ROWS_MAX, csvReply, formats, number, text, wantsCsv } from '../../../kit/csv.ts'
import { string, timestamp, withoutNulls } from '../../../kit/fields.ts'
import { centsOf } from '../../../kit/meter.ts'
import { OLDEST, type Position, pageByTime, paging } from '../../../kit/page.ts'
import { Cents, Currency, centsText, TransactionId } from '../fields.ts'
import { operation } from '../state.ts'
import * as store from './store.ts'

const account = (what: string, example: store.JournalRow['from']) =>
  Type.Enum(['balance', 'credits', 'revenue'], {
    description: `The account that it ${what}: \`balance\` is the balance of the organisation, \`credits\` what it was given, \`revenue\` what it spent`,
    examples: [example],
  })

const about = (description: string, example: string) =>
  Type.Optional(string(`${description}; absent if there is none`, example))

const Transfer = Type.Object(
  {
    transactionId: TransactionId,
    created: timestamp('When it was written'),
    from: account('takes from', 'balance'),
    to: account('adds to', 'revenue'),
    amount: Cents('The amount, never below 0', 0.0425),
    product: about('The product that was used', 'ai'),
    model: about('The model', 'gpt-5-mini'),
    key: about('The key', 'key_4vJ9mWcX2bQeT7yLrK0sZp1n'),
    project: about('The project', 'web-shop'),
    metadata: Type.Record(Type.String(), Type.Unknown(), {
      description: 'For usage, what the amount was calculated from; for credits, the `reason`',
      examples: [{ inputTokens: 1200, outputTokens: 80 }],
    }),
  },
  { title: 'Transfer', description: 'An amount that was moved from one account to another' },
)

export const listJournal = operation({
  route: 'GET /v1/billing/journal',
  summary: 'Lists every transfer of the organisation, oldest first',
  description: `\`balance\` is read at the same moment as the page. All transfers to \`balance\` minus all transfers from it equal the \`balance\` of the last page, unless a transfer was added in the meantime to a page that was already read; then read the journal again. As CSV, a page has up to ${CSV_ROWS_MAX} rows, and the header \`Link\` contains the address of the next page.`,
  access: 'admin',
  showsUsage: true,
  input: { ...paging, ...formats },
  output: orCsv(
    Type.Object(
      {
        currency: Currency,
        balance: Cents('The balance when this page was read'),
        data: Type.Array(Transfer, { description: 'The transfers of this page' }),
        next: string('Send it as `after` to get the next page; empty on the last page', ''),
      },
      { title: 'Journal', description: 'The transfers of an organisation' },
    ),
  ),
  run: async ({ db, caller: { org }, state: { currency, analytics }, request }, { format, ...query }) => {
    const isCsv = wantsCsv(format, request.headers)
    const from = isCsv ? analytics.for(org) : db
    let balance = 0
    const rows = async (last: Position, count: number) => {
      const found = await store.selectJournal(from, org, last, count)
      balance = found.balance
      return found.transfers
    }
    const paged = isCsv ? { limit: CSV_ROWS_MAX, ...query } : query
    const { data, next } = await pageByTime(paged, rows, OLDEST, isCsv ? CSV_ROWS_MAX : undefined)
    if (!isCsv) return { currency, balance: centsOf(balance), data: data.map(shown), next }
    return csvReply('journal.csv', columnsOf(currency), data, next === '' ? {} : { link: linkTo(next, query.limit) })
  },
})

const shown = ({ id, created, from, to, amount, product, model, key, project, metadata }: store.JournalRow) =>
  withoutNulls({
    ...{ transactionId: id, created, from, to, amount: centsOf(amount) },
    ...{ product, model, key, project, metadata },
  })

const columnsOf = (currency: string) => [
  text('transactionId', ({ id }: store.JournalRow) => id),
  text('created', ({ created }: store.JournalRow) => created),
  text('from', ({ from }: store.JournalRow) => from),
  text('to', ({ to }: store.JournalRow) => to),
  number('amount', ({ amount }: store.JournalRow) => centsText(amount)),
  text('currency', () => currency),
  text('product', ({ product }: store.JournalRow) => product ?? ''),
  text('model', ({ model }: store.JournalRow) => model ?? ''),
  text('key', ({ key }: store.JournalRow) => key ?? ''),
  text('project', ({ project }: store.JournalRow) => project ?? ''),
  text('metadata', ({ metadata }: store.JournalRow) => JSON.stringify(metadata)),
]

/** RFC 8288. */
function linkTo(next: string, limit: number | undefined): string {
  const query = new URLSearchParams({
    format: 'csv',
    after: next,
    ...(limit !== undefined && { limit: String(limit) }),
  })
  return `</v1/billing/journal?${query}>; rel="next"`
}
