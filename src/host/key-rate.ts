// What a process knows about one key's rate: its own requests exactly, those of other processes as of its last lease, and
// its remaining permits.
import type { OrgId } from '../kit/caller.ts'
import { Fault } from '../kit/fault.ts'
import { type LeaseRequest, type PermitLease, type Uses, RATE_WINDOW_MS as WINDOW_MS } from '../kit/host/permits.ts'
import { addTime, dropTimes, emptyTimes, type RequestTimes, timeAt } from './request-times.ts'

/** How long permits may be used, counted from before the request for them, so that they expire here first. */
const LEASE_MS = 2_000
/** How often permits are requested again while other processes hold permits that they may return. Permits of a killed
 *  process are never returned and count as used. */
const ASK_AGAIN_MS = 1_000
const RETURNED_WITHIN_MS = 5_000

/** Times are those of the monotonic clock. */
export type KeyRate = {
  readonly org: OrgId
  readonly key: string
  /** The rate for which the permits were leased. */
  rate: number
  readonly own: RequestTimes
  /** The requests of other processes, oldest first, and their number. */
  others: Uses[]
  othersCount: number
  permits: number
  permitsUntilMs: number
  /** When to request permits again although the rate is used up. */
  askAgainMs: number
}

export function newKeyRate(org: OrgId, key: string, rate: number): KeyRate {
  const others = { others: [], othersCount: 0, askAgainMs: Number.POSITIVE_INFINITY }
  return { org, key, rate, own: emptyTimes(), ...others, permits: 0, permitsUntilMs: Number.NEGATIVE_INFINITY }
}

/** Uses a permit and returns the RateLimit header, or refuses the request. Null if the database must be asked. */
export function takePermit(one: KeyRate, rate: number, nowMs: number): string | null {
  dropExpired(one, nowMs)
  if (one.rate !== rate) Object.assign(one, { rate, permits: 0, askAgainMs: nowMs })
  if (one.permits > 0 && nowMs < one.permitsUntilMs) {
    one.permits--
    addTime(one.own, nowMs)
    return rateStatus(Math.max(0, rate - usedOf(one)), (oldestMs(one) + WINDOW_MS - nowMs) / 1000)
  }
  if (usedOf(one) >= rate && nowMs < one.askAgainMs) throw exceeded(rate, (freeAtMs(one) - nowMs) / 1000)
  return null
}

/** Returns the remaining permits and reports what was used. `systemMs` is the system clock's time at `nowMs`. */
export function reportOf(
  one: KeyRate,
  nowMs: number,
  systemMs: number,
): Omit<LeaseRequest, 'rate' | 'wanted' | 'waiting'> {
  dropExpired(one, nowMs)
  one.permits = 0
  const { org, key, own } = one
  const uses = own.seconds.map(({ atMs, count }) => ({ atMs: Math.ceil(atMs - nowMs + systemMs), count }))
  return { org, key, nowMs: systemMs, used: own.count, uses, untilMs: systemMs + LEASE_MS }
}

/** Stores the answer to a report. */
export function applyLease(one: KeyRate, { granted, others }: PermitLease, nowMs: number, systemMs: number): void {
  one.others = others.map(other => ({ ...other, atMs: other.atMs - systemMs + nowMs })).sort((a, b) => a.atMs - b.atMs)
  one.othersCount = countOf(others)
  const mayReturn = one.others.some(({ spare, atMs }) => spare > 0 && atMs + RETURNED_WITHIN_MS > nowMs)
  one.askAgainMs = mayReturn ? nowMs + ASK_AGAIN_MS : Number.POSITIVE_INFINITY
  one.permits = granted
  one.permitsUntilMs = nowMs + LEASE_MS
}

/** Whether the state can be dropped because nothing in it matters any more. */
export function isUnused(one: KeyRate, nowMs: number): boolean {
  dropExpired(one, nowMs)
  return usedOf(one) === 0 && one.permits === 0
}

const countOf = (uses: readonly { count: number }[]) => uses.reduce((sum, { count }) => sum + count, 0)

const usedOf = ({ own, othersCount }: KeyRate) => own.count + othersCount

const oldestMs = ({ own, others }: KeyRate) => {
  const ownMs = own.count > 0 ? timeAt(own, 0) : Number.POSITIVE_INFINITY
  return Math.min(ownMs, others[0]?.atMs ?? Number.POSITIVE_INFINITY)
}

function dropExpired(one: KeyRate, nowMs: number): void {
  dropTimes(one.own, nowMs - WINDOW_MS)
  while (one.others.length > 0 && (one.others[0] as Uses).atMs <= nowMs - WINDOW_MS) {
    one.othersCount -= (one.others.shift() as Uses).count
  }
}

/** When the number of requests in the window drops below the rate. With other processes, it is exact to the second. */
function freeAtMs(one: KeyRate): number {
  const { own, others, rate } = one
  if (others.length === 0) return timeAt(own, own.count - rate) + WINDOW_MS
  const uses = [...own.seconds, ...others].sort((a, b) => a.atMs - b.atMs)
  let left = countOf(uses)
  for (const { atMs, count } of uses) {
    left -= count
    if (left < rate) return Math.min(atMs + WINDOW_MS, one.askAgainMs)
  }
  return one.askAgainMs // Not reached: none are left.
}

/** The format of draft-ietf-httpapi-ratelimit-headers. */
const rateStatus = (remaining: number, resetS: number) => `"key";r=${remaining};t=${Math.ceil(resetS)}`

function exceeded(rate: number, waitS: number): Fault {
  const retryAfterS = Math.ceil(waitS)
  return new Fault('key_rate', {
    message: `This key may make ${rate} requests per minute; the next one is allowed in ${retryAfterS} s.`,
    retryAfterS,
    headers: { ratelimit: rateStatus(0, waitS), 'ratelimit-policy': `"key";q=${rate};w=${WINDOW_MS / 1000}` },
  })
}
