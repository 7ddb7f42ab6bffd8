// Splits a period: whole hours are already added up, and the partial hours at both ends are counted by transfer.

export type Period = { since: string; until: string }
export type Split = { hours: Period; first: Period; last: Period }

const HOUR_MS = 60 * 60_000
const NEVER: Period = { since: 'infinity', until: '-infinity' }

/** `first` and `last` are the partial hours; if there are none, empty periods. */
export function splitPeriod({ since, until }: Period): Split {
  const [sinceMs, untilMs] = [msOf(since), msOf(until)]
  if (sinceMs >= untilMs) return { hours: NEVER, first: NEVER, last: NEVER }
  const fromMs = Math.ceil(sinceMs / HOUR_MS) * HOUR_MS
  const toMs = Math.floor(untilMs / HOUR_MS) * HOUR_MS
  if (fromMs > toMs) return { hours: NEVER, first: periodOf(sinceMs, untilMs), last: NEVER }
  return {
    hours: periodOf(fromMs, toMs),
    first: sinceMs === fromMs ? NEVER : periodOf(sinceMs, fromMs),
    last: untilMs === toMs ? NEVER : periodOf(toMs, untilMs),
  }
}

/** The next whole millisecond: transfers have no fractions of one. */
function msOf(time: string): number {
  if (time === '-infinity') return Number.NEGATIVE_INFINITY
  if (time === 'infinity') return Number.POSITIVE_INFINITY
  return Date.parse(time) + (/\.\d{3}0*[1-9]/.test(time) ? 1 : 0)
}

const periodOf = (sinceMs: number, untilMs: number): Period => ({ since: timeAt(sinceMs), until: timeAt(untilMs) })

/** The first hour of the year 10000 has a sign in front of it, which the database does not read. */
function timeAt(ms: number): string {
  if (!Number.isFinite(ms)) return ms < 0 ? '-infinity' : 'infinity'
  return new Date(ms).toISOString().replace(/^\+0?/, '')
}
