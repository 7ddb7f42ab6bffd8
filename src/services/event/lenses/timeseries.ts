// GET /v1/event/timeseries: the figures of a time, point by point.
import { Type } from 'typebox'
import type { Chosen, Point, Times } from '../../../engines/engines.ts'
import { boolean, string, timestamp } from '../../../kit/fields.ts'
import { operation } from '../state.ts'
import { asked, DistinctRead, lensInput, methodOf, RangeRead, shownRange } from './asked.ts'
import { shownTotals } from './overview.ts'
import { type Interval, intervalFor, intervalInput, type Range, type Span, startsOf } from './range.ts'
import { requireField } from './where.ts'

const METRICS = ['visitors', 'sessions', 'pageviews', 'events', 'bounceRate', 'visitSeconds'] as const
type Metric = (typeof METRICS)[number]
const DEFAULT_METRICS: readonly Metric[] = ['visitors', 'sessions', 'pageviews', 'events']
const OF_SESSIONS: readonly Metric[] = ['sessions', 'bounceRate', 'visitSeconds']
/** The values of a breakdown: those with the most visitors. */
const VALUES_MAX = 8

const SeriesPoint = Type.Object(
  { at: timestamp('When it begins'), value: Type.Number({ description: 'The figure', examples: [120] }) },
  { title: 'SeriesPoint', description: 'A point of a series' },
)
const Series = Type.Object(
  {
    name: string('The metric, or the value of the breakdown', 'visitors'),
    points: Type.Array(SeriesPoint, { description: 'Every point, the oldest first; 0 where nothing happened' }),
  },
  { title: 'Series', description: 'A figure over time' },
)

export const getEventTimeseries = operation({
  route: 'GET /v1/event/timeseries',
  summary: 'Returns visitors, sessions, page views and events of a time, point by point',
  access: 'reader',
  project: 'chosen',
  input: {
    ...lensInput,
    ...intervalInput,
    metric: Type.Optional(
      Type.Enum([...METRICS], {
        description: `Only this figure; by default ${DEFAULT_METRICS.map(one => `\`${one}\``).join(', ')}, or the visitors of a breakdown`,
        examples: ['visitors'],
      }),
    ),
    by: Type.Optional(
      string(
        `A breakdown: a series for each of the ${VALUES_MAX} values with the most visitors. The same fields as in \`where\``,
        'source',
        {
          maxLength: 220,
        },
      ),
    ),
    compare: Type.Optional(boolean('Whether `previous` has the same of the time before; default false', true)),
  },
  output: Type.Object(
    {
      range: RangeRead,
      interval: string('The time between two points', 'day'),
      series: Type.Array(Series, { description: 'The series' }),
      previous: Type.Optional(Type.Array(Series, { description: 'The series of the time before' })),
      distinct: DistinctRead,
    },
    { title: 'Timeseries', description: 'Figures over time' },
  ),
  faults: ['warehouse_unreachable'],
  run: async (context, { interval: wanted, metric, by, compare = false, ...input }) => {
    if (by !== undefined) requireField('by', by)
    const { warehouse } = context
    const metrics = metric ? [metric] : by ? (['visitors'] as const) : DEFAULT_METRICS
    const hasSessions = metrics.some(one => OF_SESSIONS.includes(one))
    const readsRows = by !== undefined && (hasSessions || by.startsWith('properties.'))
    const { db, range, chosen, before } = await asked(context, input, readsRows)
    const interval = intervalFor(range, wanted)
    const values = by && (await warehouse.lenses.top(db, chosen, by, VALUES_MAX)).values.map(one => one.value)
    const breakdown = by !== undefined && values ? { by, values } : null
    const series = (of: Chosen, span: Span) =>
      warehouse.lenses.series(db, of, timesOf({ ...range, ...span }, interval), { breakdown, hasSessions })
    const now = await series(chosen, range)
    const then = compare ? await series(before, range.previous) : null
    const points = [...now.values(), ...(then?.values() ?? [])].flat()
    return {
      ...{ range: shownRange(range), interval, series: shown(now, metrics, by !== undefined) },
      ...(then && { previous: shown(then, metrics, by !== undefined) }),
      distinct: methodOf(points.map(({ visitors }) => visitors)),
    }
  },
})

function timesOf({ zone, ...span }: Range, interval: Interval): Times {
  const isOfDays = interval !== '15m' && interval !== 'hour'
  return { startsMs: startsOf(span, zone, interval), days: isOfDays ? zone : null, isMonths: interval === 'month' }
}

function shown(series: ReadonlyMap<string, Point[]>, metrics: readonly Metric[], isBreakdown: boolean) {
  return [...series].flatMap(([value, points]) =>
    metrics.map(metric => ({
      name: isBreakdown ? value : metric,
      points: points.map(({ atMs, ...totals }) => ({
        at: new Date(atMs).toISOString(),
        value: shownTotals(totals)[metric],
      })),
    })),
  )
}
