// Processes share a key's rate: each leases a few permits, and uses them without further queries.
import type { OrgId } from '../caller.ts'

/** A rate is the number of requests in any period of this length. */
export const RATE_WINDOW_MS = 60_000

/** Requests of a key, which count until one window after `atMs`, the time of the last one. `spare` of them were not made
 *  yet when this was stored. */
export type Uses = { atMs: number; count: number; spare: number }

/** Times are those of the system clock of this process. */
export type LeaseRequest = {
  org: OrgId
  key: string
  rate: number
  nowMs: number
  /** The number and times of this process's requests in the last window. Replaces all earlier reports. */
  used: number
  uses: readonly Omit<Uses, 'spare'>[]
  /** The maximum number of permits it can use, of which `waiting` are used immediately. */
  wanted: number
  waiting: number
  /** The permits are not used after this time. Unreturned ones then count as used. */
  untilMs: number
}

/** `others`: the requests of other processes. */
export type PermitLease = { granted: number; others: Uses[] }

/** Together, all processes are never granted more than the rate in any window. */
export type LeasePermits = (request: LeaseRequest) => Promise<PermitLease>
