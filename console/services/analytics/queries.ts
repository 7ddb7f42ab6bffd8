// The figures of analytics: what each is called, how it is read, and how it is written.
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Figures, GetEventTimeseriesInput, Series, SeriesPoint } from '../../../client/stoa.js'
import { stoa } from '../../api.ts'
import { durationText } from '../../parts/clock.tsx'
import type { LensInput } from '../../parts/lens.ts'

const REFRESH_MS = 10_000
/** Each table reads the visitors of its field. */
const TABLES_REFRESH_MS = 60_000

type Metric = NonNullable<GetEventTimeseriesInput['metric']>
export type Figure = {
  id: string
  label: string
  of: (figures: Figures) => number
  says: (value: number) => string
  /** Whether more is better, or worse. */
  better: 1 | -1
  /** What the host has of it over time: a metric, or two of which it is the ratio. */
  metrics: readonly [Metric] | readonly [Metric, Metric]
  isWhole: boolean
}

const short = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 2 })
/** In full below a million. */
export const countText = (value: number) => (Math.abs(value) < 1e6 ? value.toLocaleString() : short.format(value))
const twoDigits = new Intl.NumberFormat(undefined, { minimumFractionDigits: 2, maximumFractionDigits: 2 })
const percent = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 0 })
export const shareText = (share: number) => percent.format(share)
const lengthText = (seconds: number) =>
  seconds < 60 ? `${Math.round(seconds).toLocaleString()} s` : durationText(1_000 * seconds)

const count = { says: countText, better: 1, isWhole: true } as const

export const FIGURES: readonly Figure[] = [
  { ...count, id: 'visitors', label: 'Visitors', of: one => one.visitors, metrics: ['visitors'] },
  { ...count, id: 'visits', label: 'Visits', of: one => one.sessions, metrics: ['sessions'] },
  { ...count, id: 'pageviews', label: 'Page views', of: one => one.pageviews, metrics: ['pageviews'] },
  {
    ...{ id: 'views', label: 'Views per visit', better: 1, isWhole: false },
    of: one => ratio(one.pageviews, one.sessions),
    says: value => twoDigits.format(value),
    metrics: ['pageviews', 'sessions'],
  },
  {
    ...{ id: 'bounce', label: 'Bounce rate', better: -1, isWhole: false },
    of: one => one.bounceRate,
    says: shareText,
    metrics: ['bounceRate'],
  },
  {
    ...{ id: 'length', label: 'Visit length', better: 1, isWhole: false },
    of: one => one.visitSeconds,
    says: lengthText,
    metrics: ['visitSeconds'],
  },
  { ...count, id: 'events', label: 'Events', of: one => one.events, metrics: ['events'] },
]

const ratio = (part: number, of: number) => (of === 0 ? 0 : part / of)

export const overviewOf = (input: LensInput, compare: boolean) =>
  queryOptions({
    queryKey: ['analytics', 'overview', input, compare],
    queryFn: ({ signal }) => stoa.getEventOverview({ ...input, compare }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  })

/** Up to so many hours have a point for each quarter of one. */
const QUARTERS_MS_MAX = 8 * 3_600_000

function intervalOf({ from, to }: LensInput): Pick<GetEventTimeseriesInput, 'interval'> {
  const isShort = from && to && Date.parse(to) - Date.parse(from) <= QUARTERS_MS_MAX
  return isShort ? { interval: '15m' } : {}
}

/** `by`: a field, of which each value has a line; empty for one line. */
export const courseOf = (input: LensInput, { metrics }: Figure, by: string, compare: boolean) =>
  queryOptions({
    queryKey: ['analytics', 'course', input, metrics, by, compare],
    queryFn: async ({ signal }) => {
      const asked = { ...input, ...intervalOf(input), compare, ...(by && { by }) }
      const [one, other] = await Promise.all(
        metrics.map(metric => stoa.getEventTimeseries({ ...asked, metric }, { signal })),
      )
      if (!one || !other) return one as NonNullable<typeof one>
      const previous = one.previous && other.previous && divided(one.previous, other.previous)
      return { ...one, series: divided(one.series, other.series), ...(previous && { previous }) }
    },
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  })

/** Metrics have other names, values of a breakdown the same: the order is that of the answers. */
const divided = (parts: Series[], wholes: Series[]): Series[] =>
  parts.map(({ name, points }, n) => ({
    name,
    points: points.map(
      ({ at, value }, p): SeriesPoint => ({ at, value: ratio(value, wholes[n]?.points[p]?.value ?? 0) }),
    ),
  }))

export const topOf = (input: LensInput, by: string, limit: number) =>
  queryOptions({
    queryKey: ['analytics', 'top', input, by, limit],
    queryFn: ({ signal }) => stoa.getEventTop({ ...input, by, limit }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: TABLES_REFRESH_MS,
  })

/** Whether an event ever arrived. */
export const firstEvent = queryOptions({
  queryKey: ['events', 'ever'],
  queryFn: ({ signal }) => stoa.listEvents({ limit: 1 }, { signal }),
  refetchInterval: REFRESH_MS,
})
