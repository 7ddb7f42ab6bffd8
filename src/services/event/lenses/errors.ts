// GET /v1/event/errors: errors with the same fingerprint.
import { Type } from 'typebox'
import { type ErrorGroup, startOf } from '../../../engines/engines.ts'
import { integer, string, timestamp } from '../../../kit/fields.ts'
import { numberFrom, page, paging } from '../../../kit/page.ts'
import { exceptionOf } from '../../o11y/public.ts'
import { operation } from '../state.ts'
import { asked, DistinctRead, lensInput, methodOf, RangeRead, shownRange } from './asked.ts'
import type { Range } from './range.ts'

/** The points of a sparkline, each of a whole number of quarters of an hour, or of days. */
const POINTS = 24
const QUARTER_MS = 15 * 60_000
const DAY_MS = 86_400_000
const TEXT_CHARACTERS_MAX = 2_000

const ErrorGroupRead = Type.Object(
  {
    fingerprint: string('Identical for errors of the same kind', '9f86d081884c7d659a2feaa0c55ad015'),
    type: Type.Optional(string('The class of the newest of them', 'TypeError')),
    message: Type.Optional(string('Its message', 'x is not a function')),
    count: integer('How many of them in this time', 12),
    people: integer('How many distinct visitors they happened to', 7),
    firstSeen: timestamp('When the first of them happened, also before this time'),
    lastSeen: timestamp('When the last of them happened, also after this time'),
    releases: Type.Array(string('A release', '2026.11.1'), {
      description: 'The releases that they happened in, at most 20',
    }),
    sparkline: Type.Array(integer('How many', 3), {
      description: `Their number in ${POINTS} parts of the time, the oldest first`,
    }),
    lastExample: Type.Optional(string('The id of the newest of them', 'evt_4vJ9mWcX2bQeT7yLrK0sZp1n')),
  },
  { title: 'ErrorGroup', description: 'Errors with the same fingerprint' },
)

export const listErrorGroups = operation({
  route: 'GET /v1/event/errors',
  summary: 'Lists errors by fingerprint, those that happened last first',
  description: 'Single errors with their stacks are at `GET /v1/errors`.',
  access: 'reader',
  project: 'chosen',
  input: { ...lensInput, ...paging },
  output: Type.Object(
    {
      range: RangeRead,
      data: Type.Array(ErrorGroupRead, { description: 'The groups of this page' }),
      sparklineFrom: timestamp('When the first part of each sparkline begins, perhaps before the time'),
      next: string('Send it as `after` to get the next page; empty on the last page', ''),
      distinct: DistinctRead,
    },
    { title: 'ErrorGroups', description: 'Errors by fingerprint' },
  ),
  faults: ['warehouse_unreachable'],
  run: async (context, { limit, after, ...input }) => {
    const { db, range, chosen } = await asked(context, input)
    const points = pointsOf(range)
    const select = async (last: string, count: number) => {
      const offset = last === '' ? 0 : numberFrom(last)
      const found = await context.warehouse.lenses.errors(db, chosen, points, { offset, limit: count })
      return found.map((one, at) => ({ ...one, key: String(offset + at + 1) }))
    }
    const paged = { ...(limit !== undefined && { limit }), ...(after !== undefined && { after }) }
    const { data, next } = await page(paged, select, 'key')
    return {
      ...{ range: shownRange(range), data: data.map(shown), next },
      sparklineFrom: new Date(points[0] as number).toISOString(),
      distinct: methodOf(data.map(({ people }) => people)),
    }
  },
})

/** Whole days of a long time, because these were added up. The first part may begin before the time, whose errors alone count. */
function pointsOf({ fromMs, toMs, zone }: Range): number[] {
  const isLong = toMs - fromMs >= POINTS * DAY_MS
  const dayAfter = startOf(zone, 'day', toMs - 1, 1)
  const days = Math.ceil(Math.round((dayAfter - startOf(zone, 'day', fromMs)) / DAY_MS) / POINTS)
  const stepMs = Math.max(1, Math.ceil((toMs - fromMs) / QUARTER_MS / POINTS)) * QUARTER_MS
  return Array.from({ length: POINTS + 1 }, (_, n) =>
    isLong ? startOf(zone, 'day', dayAfter, (n - POINTS) * days) : toMs - (POINTS - n) * stepMs,
  )
}

function shown({ fingerprint, count, people, first, last, releases, counts, example }: ErrorGroup) {
  const thrown = example && exceptionOf(JSON.parse(example.properties))
  const cut = (text: string | null | undefined) => text?.slice(0, TEXT_CHARACTERS_MAX).toWellFormed()
  const [type, message] = [cut(thrown?.type), cut(thrown?.message)]
  return {
    fingerprint,
    ...(type !== undefined && { type }),
    ...(message !== undefined && { message }),
    ...{ count, people: people.count, firstSeen: first, lastSeen: last, releases, sparkline: counts },
    ...(example && { lastExample: example.id }),
  }
}
