// Reads the times that clients send.

/** Later than any time a client can mean in seconds (the year 5138), and earlier in milliseconds (1973). */
const SECONDS_MAX = 1e11
/** The same step from milliseconds to microseconds. */
const MILLISECONDS_MAX = SECONDS_MAX * 1000
const MICROSECONDS_MAX = MILLISECONDS_MAX * 1000

/** As in RFC 3339. The zones in use are between -12:00 and +14:00. */
const ZONE_HOURS_MAX = 23

const NUMERIC = /^\d{1,17}(?:\.\d{1,9})?$/
/** RFC 3339, and what ISO 8601 allows beside it: no time, no seconds, no zone (then UTC), a zone without a colon. */
const DATE =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)? ?([Zz]|[+-]\d{2}(?::?\d{2})?)?)?$/

/** Seconds, milliseconds, microseconds (also as text) or a date, in milliseconds; null for anything else. */
export function timeOf(value: unknown): number | null {
  if (typeof value === 'number') return fromNumber(value)
  if (typeof value !== 'string') return null
  return NUMERIC.test(value) ? fromNumber(Number(value)) : fromDate(value)
}

/** Zero and less are what clients without a clock send. */
function fromNumber(value: number): number | null {
  if (!(value > 0) || value >= MICROSECONDS_MAX) return null
  if (value < SECONDS_MAX) return Math.round(value * 1000)
  return Math.round(value < MILLISECONDS_MAX ? value : value / 1000)
}

/** Not `Date.parse`: it reads a time without a zone in the zone of this machine. */
function fromDate(text: string): number | null {
  const match = DATE.exec(text)
  if (!match) return null
  const [, year, month, day, hour, minute, second, fraction, zone] = match
  const midnight = Date.UTC(Number(year), Number(month) - 1, Number(day))
  const date = new Date(midnight)
  // 31 February would become a day in March, and the month 13 one in the next year.
  if (date.getUTCDate() !== Number(day) || date.getUTCMonth() !== Number(month) - 1) return null
  const [hours, minutes, seconds] = [Number(hour ?? 0), Number(minute ?? 0), Number(second ?? 0)]
  if (hours > 23 || minutes > 59 || seconds > 60) return null
  const zoneMinutes = zoneMinutesOf(zone)
  if (zoneMinutes === null) return null
  const milliseconds = fraction === undefined ? 0 : Number(fraction.slice(0, 3).padEnd(3, '0'))
  const time = midnight + ((hours * 60 + minutes) * 60 + seconds) * 1000 + milliseconds - zoneMinutes * 60_000
  return time > 0 ? time : null
}

/** Null if the offset does not exist. */
function zoneMinutesOf(zone: string | undefined): number | null {
  if (zone === undefined || zone === 'Z' || zone === 'z') return 0
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(3).replace(':', ''))]
  if (hours > ZONE_HOURS_MAX || minutes > 59) return null
  return (zone[0] === '-' ? -1 : 1) * (hours * 60 + minutes)
}
