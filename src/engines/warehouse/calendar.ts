// Days, weeks and months of a time zone. Some days have 23 or 25 hours, and some have no midnight.

const DAY_MS = 86_400_000
/** By the name as it was sent, in whatever case. */
const formats = new Map<string, Intl.DateTimeFormat>()
const FORMATS_MAX = 1_000

/** Hours of difference to UTC, as a zone. */
const OFFSET = /^[+-]\d{2}(?::?(\d{2}))?$/

/** A zone in use: all of them are whole quarters of an hour from UTC, in which counts are kept. */
export function isZone(text: string): boolean {
  const [isOffset, minutes = '0'] = OFFSET.exec(text) ?? []
  if (isOffset && Number(minutes) % 15 !== 0) return false
  try {
    return formatOf(text) !== null
  } catch {
    return false
  }
}

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone)
  if (known) return known
  const [digits, hourCycle] = ['numeric', 'h23'] as const
  const parts = { year: digits, month: digits, day: digits, hour: digits, minute: digits, second: digits }
  const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, calendar: 'iso8601', hourCycle, ...parts })
  if (formats.size >= FORMATS_MAX) formats.clear()
  formats.set(zone, format)
  return format
}

/** What a clock in the zone shows at that time, as if it were UTC. */
export function wallMs(zone: string, ms: number): number {
  if (zone === 'UTC') return ms
  const of: Record<string, number> = {}
  for (const { type, value } of formatOf(zone).formatToParts(ms)) of[type] = Number(value)
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = of
  return Date.UTC(year, month - 1, day, hour, minute, second) + (((ms % 1000) + 1000) % 1000)
}

/** The first time at which the clock shows that or later. */
export function timeShowing(zone: string, wall: number): number {
  if (zone === 'UTC') return wall
  const offsets = [wall - DAY_MS, wall + DAY_MS].map(ms => wallMs(zone, ms) - ms)
  const exact = offsets.map(offset => wall - offset).filter(ms => wallMs(zone, ms) === wall)
  if (exact.length > 0) return Math.min(...exact)
  let [before, after] = [wall - Math.max(...offsets), wall - Math.min(...offsets)]
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (wallMs(zone, middle) >= wall) after = middle
    else before = middle
  }
  return after
}

export type Unit = 'hour' | 'day' | 'week' | 'month'

/** The beginning of the hour, day, week (from Monday) or month at that time, and of the one `ahead` of it. */
export function startOf(zone: string, unit: Unit, ms: number, ahead = 0): number {
  const wall = wallMs(zone, ms)
  if (unit === 'hour') {
    const into = ((wall % 3_600_000) + 3_600_000) % 3_600_000
    return ms - into + ahead * 3_600_000
  }
  const date = new Date(wall)
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()]
  if (unit === 'month') return timeShowing(zone, Date.UTC(year, month + ahead))
  const back = unit === 'week' ? (date.getUTCDay() + 6) % 7 : 0
  return timeShowing(zone, Date.UTC(year, month, day - back + ahead * (unit === 'week' ? 7 : 1)))
}
