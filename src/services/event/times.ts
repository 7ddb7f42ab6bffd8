// When an event happened by our clock. A client's clock may be wrong by years, but the time between an event and its
// sending is right.

const DAY_MS = 24 * 60 * 60_000
/** For credentials that a browser may hold. */
const OLDEST_MS = 7 * DAY_MS
/** The deviation of a correct clock, and the delay of a queue. */
const NEWEST_MS = 5 * 60_000

export type Corrected = { timestamp: string; isClamped: boolean }

/** When a request arrived and when its client sent it. `received` is `receivedMs` as text. */
export type Arrived = { receivedMs: number; received: string; sentAt: number | null }

/** `mayBeOld`: whether events of any age may be imported. */
export function correctedTime(timestamp: number | null, arrived: Arrived, mayBeOld: boolean): Corrected {
  const { receivedMs, received, sentAt } = arrived
  if (timestamp === null) return { timestamp: received, isClamped: false }
  const correctedMs = sentAt === null ? timestamp : receivedMs - (sentAt - timestamp)
  const oldestMs = mayBeOld ? 0 : receivedMs - OLDEST_MS
  const withinMs = Math.min(Math.max(correctedMs, oldestMs), receivedMs + NEWEST_MS)
  return { timestamp: new Date(withinMs).toISOString(), isClamped: withinMs !== correctedMs }
}
