// Flattens prefixes, which are nested or disjoint, into intervals of addresses. Each interval belongs to the longest
// prefix that covers it, and each prefix refers to the next shorter one that contains it.
import { orderBy } from './order.ts'

/** The addresses of the prefixes, `width` words each, one after the other, and the prefix lengths. */
export type Prefixes = { width: 1 | 4; words: Uint32Array; bits: Uint8Array }

export type PrefixIntervals = {
  /** The words of the first address of each interval, in ascending order. */
  starts: Uint32Array<ArrayBuffer>
  /** The prefix that owns each interval, counted from one; 0 for none. */
  owners: Uint32Array<ArrayBuffer>
  /** The first interval of each prefix, so that its address is not stored twice. */
  firstIntervals: Uint32Array<ArrayBuffer>
  /** The prefix that directly contains each prefix, counted from one; 0 for none. */
  parents: Uint32Array<ArrayBuffer>
}

export function flattenPrefixes(prefixes: Prefixes): PrefixIntervals {
  const { width, words, bits } = prefixes
  const count = bits.length
  const starts = new Uint32Array((count * 2 + 1) * width)
  const owners = new Uint32Array(count * 2 + 1)
  const firstIntervals = new Uint32Array(count)
  const parents = new Uint32Array(count)
  const after = new Uint32Array(width)
  let last = -1

  /** Addresses from this one up to that of the next call belong to the owner. */
  function startInterval(address: Uint32Array, from: number, owner: number): void {
    if (last < 0 || !isSame(starts, last * width, address, from, width)) {
      last++
      for (let word = 0; word < width; word++) starts[last * width + word] = address[from + word]!
    }
    owners[last] = owner
  }

  const open: number[] = []
  function close(): void {
    const closed = open.pop()!
    if (nextAddress(prefixes, closed, after)) startInterval(after, 0, parents[closed]!)
  }

  // Parents come before their children: at the same address, the shorter prefix is first.
  const wordKeys = Array.from({ length: width }, (_, word) => (index: number) => words[index * width + word]!)
  for (const index of orderBy(count, ...wordKeys, index => bits[index]!)) {
    while (open.length > 0 && !contains(prefixes, open.at(-1)!, index)) close()
    parents[index] = (open.at(-1) ?? -1) + 1
    startInterval(words, index * width, index + 1)
    firstIntervals[index] = last
    open.push(index)
  }
  while (open.length > 0) close()
  return { starts: starts.slice(0, (last + 1) * width), owners: owners.slice(0, last + 1), firstIntervals, parents }
}

function isSame(a: Uint32Array, fromA: number, b: Uint32Array, fromB: number, width: number): boolean {
  for (let word = 0; word < width; word++) if (a[fromA + word] !== b[fromB + word]) return false
  return true
}

/** Whether a prefix contains an address; both are given by their index. */
function contains({ width, words, bits }: Prefixes, prefix: number, address: number): boolean {
  let left = bits[prefix]!
  for (let word = 0; word < width && left > 0; word++, left -= 32) {
    const differing = (words[prefix * width + word]! ^ words[address * width + word]!) >>> 0
    if (left >= 32 ? differing !== 0 : differing >>> (32 - left) !== 0) return false
  }
  return true
}

/** Writes the first address after a prefix to `after`; false if there is none. */
function nextAddress({ width, words, bits }: Prefixes, prefix: number, after: Uint32Array): boolean {
  const length = bits[prefix]!
  for (let word = 0; word < width; word++) after[word] = words[prefix * width + word]!
  let step = 2 ** (31 - ((length - 1) & 31))
  for (let word = (length - 1) >> 5; word >= 0; word--) {
    const sum = after[word]! + step
    after[word] = sum
    if (sum < 2 ** 32) return true
    step = 1
  }
  return false
}
