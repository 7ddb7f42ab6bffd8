// The time that a lens is asked for, and the time before it.
import { Type } from 'typebox'
import { isZone, startOf, type Unit } from '../../../engines/engines.ts'
import { invalidField } from '../../../kit/check.ts'
import { string, timestamp } from '../../../kit/fields.ts'

const HOUR_MS = 3_600_000
const QUARTER_MS = 15 * 60_000
const DAY_MS = 24 * HOUR_MS
const RANGES = ['24h', '7d', '30d', '12mo', 'day', 'week', 'month', 'all'] as const
const INTERVALS = ['15m', 'hour', 'day', 'week', 'month'] as const
const POINTS_MAX = 2_000

export type Interval = (typeof INTERVALS)[number]

export const rangeInput = {
  range: Type.Optional(
    Type.Enum([...RANGES], {
      description:
        'Which time: `24h` from the beginning of the hour 24 hours ago; `7d` and `30d` so many days including today; `12mo` so many months including this one; `day`, `week` (from Monday) and `month` this one; `all` since the first event. Default `24h`',
      examples: ['7d'],
    }),
  ),
  from: Type.Optional(timestamp('From when on, rounded down to a quarter of an hour. With it, `range` is ignored')),
  to: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'Until when, rounded up to a quarter of an hour; default now',
      examples: ['2026-11-16T09:30:00.000Z'],
    }),
  ),
  zone: Type.Optional(
    string("The time zone of days, weeks and months; default that of the organisation's settings", 'Europe/Vienna', {
      maxLength: 64,
    }),
  ),
}

export const intervalInput = {
  interval: Type.Optional(
    Type.Enum([...INTERVALS], {
      description: `The time between two points, at most ${POINTS_MAX} of them; by default it depends on the range`,
      examples: ['day'],
    }),
  ),
}

export type RangeAsked = { range?: (typeof RANGES)[number]; from?: string; to?: string; zone?: string }
export type Span = { fromMs: number; toMs: number }
export type Range = Span & { zone: string; previous: Span }

/** `firstMs` is when the first event happened; null if there is none. */
export async function rangeOf(
  asked: RangeAsked,
  nowMs: number,
  ownZone: string,
  firstMs: () => Promise<number | null>,
): Promise<Range> {
  const zone = zoneOf(asked.zone ?? ownZone)
  if (asked.from === undefined && asked.to !== undefined) throw invalidField('to', 'needs `from`')
  if (asked.from !== undefined) return between(asked.from, asked.to, nowMs, zone)
  const today = startOf(zone, 'day', nowMs)
  const tomorrow = startOf(zone, 'day', nowMs, 1)
  switch (asked.range ?? '24h') {
    case '24h':
      return withPrevious({ fromMs: startOf(zone, 'hour', nowMs - DAY_MS), toMs: roundedUp(nowMs) }, zone)
    case '7d':
    case '30d':
      return withPrevious(
        { fromMs: startOf(zone, 'day', today, asked.range === '7d' ? -6 : -29), toMs: tomorrow },
        zone,
      )
    case '12mo':
      return withPrevious({ fromMs: startOf(zone, 'month', today, -11), toMs: tomorrow }, zone)
    case 'all':
      return withPrevious({ fromMs: startOf(zone, 'day', (await firstMs()) ?? nowMs), toMs: tomorrow }, zone)
    case 'day':
    case 'week':
    case 'month':
      return withPrevious({ fromMs: startOf(zone, asked.range as Unit, nowMs), toMs: tomorrow }, zone)
  }
}

export function zoneOf(text: string): string {
  if (!isZone(text)) throw invalidField('zone', 'must be a time zone such as `Europe/Vienna`')
  return text
}

function between(from: string, to: string | undefined, nowMs: number, zone: string): Range {
  const fromMs = roundedDown(Date.parse(from))
  const toMs = roundedUp(to === undefined ? nowMs : Date.parse(to))
  if (fromMs < 0) throw invalidField('from', 'must not be before 1970')
  if (toMs > nowMs + 366 * DAY_MS) throw invalidField('to', 'must not be more than a year ahead')
  if (fromMs >= toMs) throw invalidField('to', 'must be after `from`')
  return withPrevious({ fromMs, toMs }, zone)
}

/** The time before of the same length: as many days, if the range is of whole days. */
function withPrevious({ fromMs, toMs }: Span, zone: string): Range {
  const isOfDays = startOf(zone, 'day', fromMs) === fromMs && startOf(zone, 'day', toMs) === toMs
  const days = Math.round((toMs - fromMs) / DAY_MS)
  const before = isOfDays ? startOf(zone, 'day', fromMs, -days) : 2 * fromMs - toMs
  return { fromMs, toMs, zone, previous: { fromMs: Math.max(before, 0), toMs: fromMs } }
}

const roundedDown = (ms: number) => ms - (((ms % QUARTER_MS) + QUARTER_MS) % QUARTER_MS)
const roundedUp = (ms: number) => roundedDown(ms + QUARTER_MS - 1)

/** About 24 to 90 points. */
export function intervalFor({ fromMs, toMs }: Span, asked?: Interval): Interval {
  if (asked) return asked
  const days = (toMs - fromMs) / DAY_MS
  if (days <= 2.1) return 'hour'
  if (days <= 93) return 'day'
  return 'month'
}

/** When the points begin, and when the last one ends. The first one may begin before the range, whose events alone count. */
export function startsOf({ fromMs, toMs }: Span, zone: string, interval: Interval): number[] {
  const stepMs = { '15m': QUARTER_MS, hour: HOUR_MS, day: DAY_MS, week: 7 * DAY_MS, month: 30 * DAY_MS }[interval]
  const estimate = Math.ceil((toMs - fromMs) / stepMs)
  if (estimate > POINTS_MAX * 1.1) throw tooMany(estimate)
  const next = (ms: number) => (interval === '15m' ? ms + QUARTER_MS : startOf(zone, interval, ms, 1))
  const starts = [interval === '15m' ? fromMs : startOf(zone, interval, fromMs)]
  while ((starts.at(-1) as number) < toMs) starts.push(next(starts.at(-1) as number))
  if (starts.length - 1 > POINTS_MAX) throw tooMany(starts.length - 1)
  return starts
}

const tooMany = (points: number) =>
  invalidField('interval', `would make ${points} points; at most ${POINTS_MAX} are answered, so choose a longer one`)
