// When an event happened by our clock. A client's clock may be wrong by years, but the time between an event and its
// sending is right.

const DAY_MS = 24 * 60 * 60_000
/** For credentials that a browser may hold. */
const OLDEST_MS = 7 * DAY_MS
/** What a clock that is right may differ, and a queue may delay. */
const NEWEST_MS = 5 * 60_000

export type Corrected = { timestamp: string; isClamped: boolean }

/** `mayBeOld`: whether events of any age may be imported. */
export function correctedTime(
  timestamp: number | null,
  sentAt: number | null,
  receivedMs: number,
  mayBeOld: boolean,
): Corrected {
  if (timestamp === null) return { timestamp: isoOf(receivedMs), isClamped: false }
  const correctedMs = sentAt === null ? timestamp : receivedMs - (sentAt - timestamp)
  const oldestMs = mayBeOld ? 0 : receivedMs - OLDEST_MS
  const withinMs = Math.min(Math.max(correctedMs, oldestMs), receivedMs + NEWEST_MS)
  return { timestamp: isoOf(withinMs), isClamped: withinMs !== correctedMs }
}

const isoOf = (ms: number) => new Date(ms).toISOString()
