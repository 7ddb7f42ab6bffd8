// The messages between the webhook benchmark and its servers.
import type { IncomingHttpHeaders } from 'node:http'

/** The path of the receiver that is never answered. */
export const HANGING = '/hanging'

/** The path whose arrivals are kept one by one. */
export const COUNTED = '/counted'

/** Times are in milliseconds of the monotonic clock, which is the same in all processes of a machine. */
export type Answers = {
  /** Resets the counts. */
  '/reset': object
  /** Answered when `?count=` deliveries have arrived since the last reset. */
  '/arrived': { firstMs: number; lastMs: number; connections: number }
  /** The last that arrived. */
  '/last': { headers: IncomingHttpHeaders; body: string }
  /** What arrived at COUNTED since the last reset, with the number `n` among the properties of its event. */
  '/counted': { n: number; atMs: number }[]
  /** Closes the connections of requests that hang. */
  '/release': object
}

/** What is sent, how often, and how many at once. They are sent to the paths in turn. */
export type Work = {
  paths: string[]
  count: number
  atOnce: number
  headers: Record<string, string>
  body: string
}

/** The same in all processes of a machine. */
export const monotonicMs = () => Number(process.hrtime.bigint() / 1_000n) / 1_000
