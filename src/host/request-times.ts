// The times of a key's requests in the last minute. Memory grows with the number of requests, not with the rate.

/** The exact times in a ring buffer, the oldest at `first`, and the same requests by second. */
export type RequestTimes = { times: Float64Array; first: number; count: number; seconds: Second[] }
/** No request of the second was later than `atMs`. */
type Second = { atMs: number; count: number }

export const emptyTimes = (): RequestTimes => ({ times: new Float64Array(16), first: 0, count: 0, seconds: [] })

export function addTime(own: RequestTimes, nowMs: number): void {
  if (own.count === own.times.length) {
    const larger = new Float64Array(own.count * 2)
    for (let at = 0; at < own.count; at++) larger[at] = timeAt(own, at)
    own.times = larger
    own.first = 0
  }
  own.times[(own.first + own.count) % own.times.length] = nowMs
  own.count++
  const second = own.seconds.at(-1)
  if (second && nowMs <= second.atMs) second.count++
  else own.seconds.push({ atMs: Math.ceil(nowMs / 1000) * 1000, count: 1 })
}

/** Drops the times up to `untilMs`. */
export function dropTimes(own: RequestTimes, untilMs: number): void {
  while (own.count > 0 && timeAt(own, 0) <= untilMs) {
    own.first = (own.first + 1) % own.times.length
    own.count--
  }
  while (own.seconds.length > 0 && (own.seconds[0] as Second).atMs <= untilMs) own.seconds.shift()
}

/** The oldest is at 0. */
export const timeAt = ({ times, first }: RequestTimes, at: number) => times[(first + at) % times.length] as number
