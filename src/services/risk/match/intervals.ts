// Finds the interval that contains a 32-bit number. The starts of the intervals are sorted, and an index by the leading
// bits leaves only a few of them for the binary search.

export type IntervalIndex = {
  starts: Uint32Array<ArrayBuffer>
  /** Entry p is the number of starts whose leading bits are less than p. */
  index: Uint32Array<ArrayBuffer>
  /** Right shift that leaves the leading bits of a number. */
  shift: number
}

const INDEX_BITS_MAX = 16

/** The starts must be sorted and distinct. */
export function buildIntervalIndex(starts: Uint32Array<ArrayBuffer>): IntervalIndex {
  // About one start per entry: a small set gets a small index.
  const bits = Math.min(Math.max(32 - Math.clz32(starts.length), 1), INDEX_BITS_MAX)
  const index = new Uint32Array(2 ** bits + 1)
  const shift = 32 - bits
  for (const start of starts) index[(start >>> shift) + 1]!++
  for (let at = 1; at < index.length; at++) index[at]! += index[at - 1]!
  return { starts, index, shift }
}

/** Finds the index of the last start that is not greater than a number, or -1. */
export function openIntervalIndex({ starts, index, shift }: IntervalIndex): (value: number) => number {
  return value => {
    const first = value >>> shift
    let low = index[first]!
    let high = index[first + 1]!
    while (low < high) {
      const middle = (low + high) >>> 1
      if (starts[middle]! <= value) low = middle + 1
      else high = middle
    }
    return low - 1
  }
}
