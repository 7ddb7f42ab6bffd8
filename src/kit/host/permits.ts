// Processes share the rate of a key: each leases a few permits, and uses them without asking again.
import type { OrgId } from '../caller.ts'

/** A rate is the number of requests in any time of this length. */
export const RATE_WINDOW_MS = 60_000

/** Requests of a key, which count until a window after `atMs`; no request was later than that. Of these, `spare` were
 *  not made yet when this was stored. */
export type Uses = { atMs: number; count: number; spare: number }

/** Times are those of the system clock of this process. */
export type LeaseRequest = {
  org: OrgId
  key: string
  rate: number
  nowMs: number
  /** How many requests this process made in the last window, and when. Replaces everything that it told before. */
  used: number
  uses: readonly Omit<Uses, 'spare'>[]
  /** The most permits it can use, of which `waiting` are used at once. */
  wanted: number
  waiting: number
  /** The permits are not used later than this. Those that are not returned count as used then. */
  untilMs: number
}

/** `others`: the requests of other processes. */
export type PermitLease = { granted: number; others: Uses[] }

/** Together, all processes are never granted more than the rate in any window. */
export type LeasePermits = (request: LeaseRequest) => Promise<PermitLease>
