// Finds the longest prefix that encloses an address, or the whole of a prefix that is asked for.
import { buildLine, type Line, openLine } from './intervals.ts'
import { layOut } from './nesting.ts'
import { emptyNet, netText, readNet } from './net.ts'

/** The stretches of one family, and the member each belongs to, counted from one; 0 for none. */
type Intervals = { starts: Uint32Array<ArrayBuffer>; owners: Uint32Array<ArrayBuffer> }

export type NetData = {
  four: Line & Intervals
  six: Intervals
  /** For each member its length, with SIX added when it is of that family. */
  lengths: Uint8Array<ArrayBuffer>
  /** For each member the stretch of its family that it starts with. */
  firstIntervals: Uint32Array<ArrayBuffer>
  /** For each member the one around it, counted from one; 0 for none. */
  parents: Uint32Array<ArrayBuffer>
}

/** Greater than any length of an IPv4 prefix. */
const SIX = 64

export function buildNets(members: readonly string[]): NetData {
  const lengths = new Uint8Array(members.length)
  const addresses = new Uint32Array(members.length * 4)
  const net = emptyNet()
  for (let index = 0; index < members.length; index++) {
    if (!readNet(members[index]!, net)) throw new Error(`No address or prefix: ${members[index]}`)
    lengths[index] = net.bits + (net.family === 6 ? SIX : 0)
    for (let word = 0; word < 4; word++) addresses[index * 4 + word] = net.words[word]!
  }
  const firstIntervals = new Uint32Array(members.length)
  const parents = new Uint32Array(members.length)
  const four = layOutFamily(4, { addresses, lengths, firstIntervals, parents })
  const six = layOutFamily(6, { addresses, lengths, firstIntervals, parents })
  return { four: { ...buildLine(four.starts), owners: four.owners }, six, lengths, firstIntervals, parents }
}

type Members = { addresses: Uint32Array; lengths: Uint8Array; firstIntervals: Uint32Array; parents: Uint32Array }

/** Lays the members of one family out, fills in their places and parents, and returns the stretches. */
function layOutFamily(family: 4 | 6, { addresses, lengths, firstIntervals, parents }: Members): Intervals {
  const [width, added] = family === 4 ? ([1, 0] as const) : ([4, SIX] as const)
  const ours = indexesOf(family, lengths)
  const words = new Uint32Array(ours.length * width)
  const bits = new Uint8Array(ours.length)
  for (let at = 0; at < ours.length; at++) {
    for (let word = 0; word < width; word++) words[at * width + word] = addresses[ours[at]! * 4 + word]!
    bits[at] = lengths[ours[at]!]! - added
  }
  const layout = layOut({ width, words, bits })
  const memberOf = (number: number) => (number === 0 ? 0 : ours[number - 1]! + 1)
  for (let at = 0; at < ours.length; at++) {
    firstIntervals[ours[at]!] = layout.firstIntervals[at]!
    parents[ours[at]!] = memberOf(layout.parents[at]!)
  }
  for (let at = 0; at < layout.owners.length; at++) layout.owners[at] = memberOf(layout.owners[at]!)
  return { starts: layout.starts, owners: layout.owners }
}

function indexesOf(family: 4 | 6, lengths: Uint8Array): Uint32Array {
  const indexes = new Uint32Array(lengths.length)
  let count = 0
  for (let index = 0; index < lengths.length; index++) {
    if (lengths[index]! >= SIX === (family === 6)) indexes[count++] = index
  }
  return indexes.subarray(0, count)
}

export function openNets(data: NetData): (key: string) => number {
  const { four, six, lengths, parents } = data
  const findIpv4 = openLine(four)
  const net = emptyNet()
  return key => {
    if (!readNet(key, net)) return -2
    const isFour = net.family === 4
    const interval = isFour ? findIpv4(net.words[0]!) : findIpv6(six.starts, net.words)
    if (interval < 0) return -1
    let member = (isFour ? four : six).owners[interval]!
    // A prefix is enclosed by what is no longer than it.
    const longest = net.bits + (isFour ? 0 : SIX)
    while (member !== 0 && lengths[member - 1]! > longest) member = parents[member - 1]!
    return member - 1
  }
}

/** The last stretch that does not start beyond the address, or -1. */
function findIpv6(starts: Uint32Array, address: Uint32Array): number {
  const first = address[0]!
  const second = address[1]!
  const third = address[2]!
  const fourth = address[3]!
  let low = 0
  let high = starts.length >>> 2
  while (low < high) {
    const middle = (low + high) >>> 1
    const at = middle << 2
    const isBefore =
      starts[at] !== first
        ? starts[at]! < first
        : starts[at + 1] !== second
          ? starts[at + 1]! < second
          : starts[at + 2] !== third
            ? starts[at + 2]! < third
            : starts[at + 3]! <= fourth
    if (isBefore) low = middle + 1
    else high = middle
  }
  return low - 1
}

/** The member's text, made from its numbers. */
export function netOf({ four, six, lengths, firstIntervals }: NetData, index: number): string {
  const length = lengths[index]!
  const interval = firstIntervals[index]!
  const net = emptyNet()
  net.family = length < SIX ? 4 : 6
  net.bits = length < SIX ? length : length - SIX
  net.words.set(
    length < SIX ? four.starts.subarray(interval, interval + 1) : six.starts.subarray(interval * 4, interval * 4 + 4),
  )
  return netText(net)
}
