// Days and times in the zone of the organisation, in which the host counts them.

const DAY_MS = 86_400_000
/** Clocks are changed by at most two hours. */
const SHIFT_MS = 2 * 3_600_000

export type Between = { from: string; to: string; zone: string }

/** `2026-11-17` in the zone. */
export const dayIn = (ms: number, zone: string): string =>
  new Intl.DateTimeFormat('en-CA', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' }).format(ms)

/** How much the clocks of the zone are ahead of UTC. */
function aheadMs(ms: number, zone: string): number {
  const parts = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' }).formatToParts(ms)
  const text = parts.find(({ type }) => type === 'timeZoneName')?.value ?? ''
  const [, sign = '+', hours = '0', minutes = '0'] = /([+-])(\d\d):(\d\d)/.exec(text) ?? []
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000
}

/** When a day begins in the zone; with `after`, so many days later. */
export function dayStart(day: string, zone: string, after = 0): string {
  const local = Date.parse(`${day}T00:00:00Z`) + after * DAY_MS
  const near = local - aheadMs(local, zone)
  return new Date(local - aheadMs(near, zone)).toISOString()
}

const isDayStart = (at: string, zone: string) =>
  dayStart(dayIn(Date.parse(at), zone), zone) === new Date(at).toISOString()

const isThisYear = (ms: number, zone: string) => dayIn(ms, zone).slice(0, 4) === dayIn(Date.now(), zone).slice(0, 4)

/** `18 Oct – 17 Nov`; with times, if it is not of whole days. */
export function betweenText({ from, to, zone }: Between): string {
  const [start, end] = [Date.parse(from), Date.parse(to)]
  const isOfDays = isDayStart(from, zone) && isDayStart(to, zone)
  const format = new Intl.DateTimeFormat(undefined, {
    ...{ timeZone: zone, day: 'numeric', month: 'short' },
    ...(!isOfDays && { hour: '2-digit', minute: '2-digit' }),
    ...((!isThisYear(start, zone) || !isThisYear(end - 1, zone)) && { year: 'numeric' }),
  })
  return format.formatRange(start, isOfDays ? end - 1 : end)
}

/** The time of the same length before: that which the host compares with. */
export function timeBefore({ from, to, zone }: Between): Between {
  const start = Date.parse(from)
  const before = 2 * start - Date.parse(to)
  const isOfDays = isDayStart(from, zone) && isDayStart(to, zone)
  return {
    from: isOfDays ? dayStart(dayIn(before + SHIFT_MS, zone), zone) : new Date(before).toISOString(),
    to: from,
    zone,
  }
}

/** When a point of a series begins: short for an axis, or in full. */
export function pointText(at: string, interval: string, zone: string, isFull = false): string {
  const ms = Date.parse(at)
  const isOfClock = interval === 'hour' || interval === '15m'
  const day = { day: 'numeric', month: 'short' } as const
  const clock = { hour: '2-digit', minute: '2-digit' } as const
  const parts = isOfClock
    ? { ...(isFull && { weekday: 'short', ...day }), ...clock }
    : interval === 'month'
      ? { month: isFull ? 'long' : 'short', year: 'numeric' }
      : { ...(isFull && { weekday: 'short' }), ...day, ...(!isThisYear(ms, zone) && { year: 'numeric' }) }
  return new Intl.DateTimeFormat(undefined, { timeZone: zone, ...parts } as Intl.DateTimeFormatOptions).format(ms)
}
