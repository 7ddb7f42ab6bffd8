// Finds the range that covers a number. Ranges may overlap in any way: the narrowest wins, of equally narrow ones the
// lower. That is decided when the table is built, by cutting the numbers into stretches with one owner each.
import { buildLine, type Line, openLine } from './intervals.ts'
import { orderBy } from './order.ts'
import { endsFrom, numberFrom } from './range.ts'

export type RangeData = Line & {
  lows: Uint32Array<ArrayBuffer>
  highs: Uint32Array<ArrayBuffer>
  /** The member that each stretch belongs to, counted from one; 0 for none. */
  owners: Uint32Array<ArrayBuffer>
}

export function buildRanges(members: readonly string[]): RangeData {
  const lows = new Uint32Array(members.length)
  const highs = new Uint32Array(members.length)
  for (const [index, member] of members.entries()) {
    const ends = endsFrom(member)
    if (!ends) throw new Error(`No range: ${member}`)
    lows[index] = ends[0]
    highs[index] = ends[1]
  }
  const line = buildLine(cutsOf(lows, highs))
  return { ...line, lows, highs, owners: ownersOf(line, lows, highs) }
}

/** Where a range starts, and where the numbers behind one start. */
function cutsOf(lows: Uint32Array, highs: Uint32Array): Uint32Array<ArrayBuffer> {
  const cuts = new Uint32Array(lows.length * 2)
  cuts.set(lows)
  let count = lows.length
  for (const high of highs) if (high < 2 ** 32 - 1) cuts[count++] = high + 1
  const sorted = cuts.subarray(0, count).sort()
  return sorted.filter((cut, at) => at === 0 || cut !== sorted[at - 1])
}

/** Gives the stretches away, the narrowest range first; a stretch that has an owner keeps it. */
function ownersOf(line: Line, lows: Uint32Array, highs: Uint32Array): Uint32Array<ArrayBuffer> {
  const find = openLine(line)
  const owners = new Uint32Array(line.starts.length)
  /** For a stretch that has an owner, one further on that may have none, so that a wide range skips those at once. */
  const next = Uint32Array.from({ length: owners.length + 1 }, (_, at) => at)
  const freeFrom = (from: number) => {
    let free = from
    while (next[free] !== free) free = next[free]!
    for (let at = from; at !== free; ) {
      const then = next[at]!
      next[at] = free
      at = then
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
  const interval = openLine(data)
  return key => {
    const number = numberFrom(key)
    if (number < 0) return -2
    const at = interval(number)
    return at < 0 ? -1 : data.owners[at]! - 1
  }
}

export const rangeText = ({ lows, highs }: RangeData, index: number): string => `${lows[index]}-${highs[index]}`
