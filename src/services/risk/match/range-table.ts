// Finds the range that covers a number. Ranges may overlap in any way: the narrowest wins, of equally narrow ones the
// lower. This is resolved at build time, by splitting the numbers into intervals with one owner each.
import { buildIntervalIndex, type IntervalIndex, openIntervalIndex } from './intervals.ts'
import { orderBy } from './order.ts'
import { asNumberFrom, endsFrom } from './range.ts'

export type RangeData = IntervalIndex & {
  lows: Uint32Array<ArrayBuffer>
  highs: Uint32Array<ArrayBuffer>
  /** The member that owns each interval, counted from one; 0 for none. */
  owners: Uint32Array<ArrayBuffer>
}

export function buildRanges(members: readonly string[]): RangeData {
  const lows = new Uint32Array(members.length)
  const highs = new Uint32Array(members.length)
  for (const [index, member] of members.entries()) {
    const ends = endsFrom(member)
    if (!ends) throw new Error(`Not a range: ${member}`)
    lows[index] = ends[0]
    highs[index] = ends[1]
  }
  const intervals = buildIntervalIndex(boundariesOf(lows, highs))
  return { ...intervals, lows, highs, owners: ownersOf(intervals, lows, highs) }
}

/** The first number of each range and the first number after it, sorted and distinct. */
function boundariesOf(lows: Uint32Array, highs: Uint32Array): Uint32Array<ArrayBuffer> {
  const boundaries = new Uint32Array(lows.length * 2)
  boundaries.set(lows)
  let count = lows.length
  for (const high of highs) if (high < 2 ** 32 - 1) boundaries[count++] = high + 1
  const sorted = boundaries.subarray(0, count).sort()
  return sorted.filter((boundary, at) => at === 0 || boundary !== sorted[at - 1])
}

/** Assigns the intervals, the narrowest range first; an interval that has an owner keeps it. */
function ownersOf(intervals: IntervalIndex, lows: Uint32Array, highs: Uint32Array): Uint32Array<ArrayBuffer> {
  const find = openIntervalIndex(intervals)
  const owners = new Uint32Array(intervals.starts.length)
  /** For an interval with an owner, a later one that may be free, so that a wide range skips owned ones
   *  (union-find). */
  const next = Uint32Array.from({ length: owners.length + 1 }, (_, at) => at)
  const freeFrom = (from: number) => {
    let free = from
    while (next[free] !== free) free = next[free]!
    for (let at = from; at !== free; ) {
      const following = next[at]!
      next[at] = free
      at = following
    }
    return free
  }
  const narrowestFirst = orderBy(
    lows.length,
    index => highs[index]! - lows[index]!,
    index => lows[index]!,
  )
  for (const index of narrowestFirst) {
    const last = find(highs[index]!)
    for (let at = freeFrom(find(lows[index]!)); at <= last; at = freeFrom(at + 1)) {
      owners[at] = index + 1
      next[at] = at + 1
    }
  }
  return owners
}

export function openRanges(data: RangeData): (key: string) => number {
  const find = openIntervalIndex(data)
  return key => {
    const number = asNumberFrom(key)
    if (number < 0) return -2
    const at = find(number)
    return at < 0 ? -1 : data.owners[at]! - 1
  }
}

export const rangeText = ({ lows, highs }: RangeData, index: number): string => `${lows[index]}-${highs[index]}`
