// Places on a line of 32-bit numbers: which stretch a number lies in. The starts are sorted, and an index by the first
// bits of a number leaves only a few of them to search.

export type Line = {
  starts: Uint32Array<ArrayBuffer>
  /** Entry p is how many starts have first bits less than p. */
  index: Uint32Array<ArrayBuffer>
  /** By how much a number is shifted to leave its first bits. */
  shift: number
}

const INDEX_BITS_MAX = 16

/** The starts must be sorted and distinct. */
export function buildLine(starts: Uint32Array<ArrayBuffer>): Line {
  // About one start for each entry: a small set gets a small index.
  const bits = Math.min(Math.max(32 - Math.clz32(starts.length), 1), INDEX_BITS_MAX)
  const index = new Uint32Array(2 ** bits + 1)
  const shift = 32 - bits
  for (const start of starts) index[(start >>> shift) + 1]!++
  for (let at = 1; at < index.length; at++) index[at]! += index[at - 1]!
  return { starts, index, shift }
}

/** Finds the last start that is not beyond a number, or -1. */
export function openLine({ starts, index, shift }: Line): (value: number) => number {
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
