// GET /v1/event/events and /v1/event/export: single events, as they were counted.
import { Readable } from 'node:stream'
import { type Static, Type } from 'typebox'
import type { Chosen, Database, RawEvent, RawPosition, Warehouse } from '../../../engines/engines.ts'
import { jsonLines, reply } from '../../../kit/answer.ts'
import * as csv from '../../../kit/csv.ts'
import { integer, string, timestamp, withoutNulls } from '../../../kit/fields.ts'
import { invalidCursor, page, paging } from '../../../kit/page.ts'
import { operation } from '../state.ts'
import { asked, lensInput, RangeRead, shownRange } from './asked.ts'

const text = (description: string, example: string) => Type.Optional(string(description, example))
const LIMIT_MAX = 100

const CountedEvent = Type.Object(
  {
    id: string('Its id', 'evt_4vJ9mWcX2bQeT7yLrK0sZp1n'),
    arrival: integer('Its place in the order in which the events of the organisation arrived', 1_204),
    received: timestamp('When it arrived'),
    timestamp: timestamp('When it happened, corrected for the clock of the client'),
    event: string('Its name', '$pageview'),
    wire: string('How it was sent: the form of Stoa, or that of an SDK', 'posthog'),
    visitor: string('Who it counts as', 'user-1'),
    session: string('The session that it belongs to', '0192c1f1-4f3a-7b2e-9d7c-2f1a0b3c4d5e'),
    project: text('The project that it belongs to', 'web-shop'),
    workspace: text('The workspace whose token wrote it', 'wsp_4vJ9mWcX2bQeT7yLrK0sZp1n'),
    distinctId: text('Who did it', 'user-1'),
    anonymousId: text('The id of the visitor before the person was identified', '0192c1f0'),
    sessionId: text('The session that the SDK named', '0192c1f1'),
    revenue: Type.Optional(Type.Number({ description: 'The amount that was paid', examples: [12.5] })),
    currency: text('The currency of the revenue', 'EUR'),
    fingerprint: text('Of errors: identical for those of the same kind', '9f86d081884c7d659a2feaa0c55ad015'),
    path: text('The path of the page', '/shop'),
    source: text('What led there', 'search.example'),
    campaign: text('The campaign', 'spring'),
    country: text('The country', 'AT'),
    device: text('The kind of device', 'desktop'),
    browser: text('The browser', 'Chrome'),
    system: text('The operating system', 'Linux'),
    release: text('The version of the program', '2026.11.1'),
    properties: Type.Record(Type.String(), Type.Unknown(), { description: 'Everything else about it' }),
  },
  { title: 'CountedEvent', description: 'An event, and who and what it counts as' },
)

export const listRawEvents = operation({
  route: 'GET /v1/event/events',
  summary: 'Lists the events of a time, those that happened last first',
  description: `At most ${LIMIT_MAX} on a page, and 400 days.`,
  access: 'reader',
  project: 'chosen',
  input: { ...lensInput, ...paging },
  output: Type.Object(
    {
      range: RangeRead,
      data: Type.Array(CountedEvent, { description: 'The events of this page' }),
      next: string('Send it as `after` to get the next page; empty on the last page', ''),
    },
    { title: 'CountedEvents', description: 'The events of a time' },
  ),
  faults: ['warehouse_unreachable'],
  run: async (context, { limit, after, ...input }) => {
    const { db, range, chosen } = await asked(context, input, true)
    const paged = { ...(limit !== undefined && { limit }), ...(after !== undefined && { after }) }
    const select = (last: string, count: number) =>
      context.warehouse.lenses.rows(db, chosen, last === '' ? null : positionIn(last), count)
    const { data, next } = await page(paged, select, ({ timestamp: at, arrival }) => `${at} ${arrival}`, LIMIT_MAX)
    return { range: shownRange(range), data: data.map(shown), next }
  },
})

function positionIn(key: string): RawPosition {
  const [, at = '', arrival = ''] = /^([1-9]\d{3}-[\d-]{5}T[\d:.]{12}Z) (\d{1,15})$/.exec(key) ?? []
  if (Number.isNaN(Date.parse(at)) || new Date(at).toISOString() !== at) throw invalidCursor()
  return { timestamp: at, arrival: Number(arrival) }
}

function shown({ properties, ...row }: RawEvent): Static<typeof CountedEvent> {
  return { ...withoutNulls(row), properties: JSON.parse(properties) as Record<string, unknown> }
}

/** How many events of an export are in memory: first a few, then as many as about so many characters. */
const [ROWS_FIRST, ROWS_MAX] = [10, 1_000]
const CHARACTERS_AT_ONCE = 256 * 1024

export const exportEvents = operation({
  route: 'GET /v1/event/export',
  summary: 'Streams the events of a time as JSON lines or CSV, those that happened last first',
  description:
    'Each line is an event as in `GET /v1/event/events`; as CSV, the properties are one column of JSON. If the export fails midway, the connection is closed before the body is complete.',
  access: 'bearer',
  project: 'chosen',
  input: {
    ...lensInput,
    format: Type.Optional(
      Type.Enum(['ndjson', 'csv'], { description: 'JSON lines, the default, or CSV', examples: ['ndjson'] }),
    ),
  },
  output: jsonLines(CountedEvent),
  faults: ['warehouse_unreachable'],
  run: async (context, { format = 'ndjson', ...input }) => {
    const { db, chosen } = await asked(context, input, true)
    const lines = linesOf(context.warehouse, db, chosen, format)
    // The first rows are read before the answer begins, so that a failure is answered as one.
    const first = await lines.next()
    const type = format === 'csv' ? 'text/csv; charset=utf-8; header=present' : 'application/x-ndjson'
    const headers = { 'content-type': type, 'content-disposition': `attachment; filename="events.${format}"` }
    return reply(200, headers, Readable.from(startingWith(first.value ?? '', lines), { objectMode: false }))
  },
})

async function* startingWith(first: string, rest: AsyncIterable<string>): AsyncGenerator<string> {
  yield first
  yield* rest
}

const COLUMNS = (Object.keys(CountedEvent.properties) as (keyof Static<typeof CountedEvent>)[]).map(name => {
  const of = (row: RawEvent) => String(row[name] ?? '')
  return name === 'arrival' || name === 'revenue' ? csv.number(name, of) : csv.text(name, of)
})

async function* linesOf(
  { lenses }: Warehouse,
  db: Database,
  chosen: Chosen,
  format: 'ndjson' | 'csv',
): AsyncGenerator<string> {
  let heading = format === 'csv' ? csv.csvHead(COLUMNS) : ''
  let count = ROWS_FIRST
  for (let last: RawPosition | null = null; ; ) {
    const rows: RawEvent[] = await lenses.rows(db, chosen, last, count)
    const lines =
      format === 'csv' ? csv.csvRows(COLUMNS, rows) : rows.map(row => `${JSON.stringify(shown(row))}\n`).join('')
    yield heading + lines
    heading = ''
    if (rows.length < count) return
    last = rows.at(-1) as RawEvent
    const fitting = Math.floor((CHARACTERS_AT_ONCE * rows.length) / lines.length)
    count = Math.max(ROWS_FIRST, Math.min(fitting, 2 * count, ROWS_MAX))
  }
}
