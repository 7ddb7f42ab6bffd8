// Finds the longest prefix that contains an address or a whole prefix.
import { buildIntervalIndex, type IntervalIndex, openIntervalIndex } from './intervals.ts'
import { flattenPrefixes } from './nesting.ts'
import { emptyNet, netText, readNet } from './net.ts'

/** The intervals of one address family, and the member that owns each, counted from one; 0 for none. */
type Intervals = { starts: Uint32Array<ArrayBuffer>; owners: Uint32Array<ArrayBuffer> }

export type NetData = {
  ipv4: IntervalIndex & Intervals
  ipv6: Intervals
  /** The prefix length of each member, plus IPV6_OFFSET for IPv6. */
  lengths: Uint8Array<ArrayBuffer>
  /** The first interval of each member, in its family. */
  firstIntervals: Uint32Array<ArrayBuffer>
  /** The member that directly contains each member, counted from one; 0 for none. */
  parents: Uint32Array<ArrayBuffer>
}

/** Greater than any IPv4 prefix length. */
const IPV6_OFFSET = 64

export function buildNets(members: readonly string[]): NetData {
  const lengths = new Uint8Array(members.length)
  const addresses = new Uint32Array(members.length * 4)
  const net = emptyNet()
  for (let index = 0; index < members.length; index++) {
    if (!readNet(members[index]!, net)) throw new Error(`Not an address or prefix: ${members[index]}`)
    lengths[index] = net.bits + (net.family === 6 ? IPV6_OFFSET : 0)
    for (let word = 0; word < 4; word++) addresses[index * 4 + word] = net.words[word]!
  }
  const firstIntervals = new Uint32Array(members.length)
  const parents = new Uint32Array(members.length)
  const ipv4 = buildFamily(4, { addresses, lengths, firstIntervals, parents })
  const ipv6 = buildFamily(6, { addresses, lengths, firstIntervals, parents })
  return { ipv4: { ...buildIntervalIndex(ipv4.starts), owners: ipv4.owners }, ipv6, lengths, firstIntervals, parents }
}

type Members = { addresses: Uint32Array; lengths: Uint8Array; firstIntervals: Uint32Array; parents: Uint32Array }

/** Builds the intervals of one family and fills in `firstIntervals` and `parents` of its members. */
function buildFamily(family: 4 | 6, { addresses, lengths, firstIntervals, parents }: Members): Intervals {
  const [width, offset] = family === 4 ? ([1, 0] as const) : ([4, IPV6_OFFSET] as const)
  const familyIndexes = indexesOf(family, lengths)
  const words = new Uint32Array(familyIndexes.length * width)
  const bits = new Uint8Array(familyIndexes.length)
  for (let at = 0; at < familyIndexes.length; at++) {
    for (let word = 0; word < width; word++) words[at * width + word] = addresses[familyIndexes[at]! * 4 + word]!
    bits[at] = lengths[familyIndexes[at]!]! - offset
  }
  const flattened = flattenPrefixes({ width, words, bits })
  const memberOf = (number: number) => (number === 0 ? 0 : familyIndexes[number - 1]! + 1)
  for (let at = 0; at < familyIndexes.length; at++) {
    firstIntervals[familyIndexes[at]!] = flattened.firstIntervals[at]!
    parents[familyIndexes[at]!] = memberOf(flattened.parents[at]!)
  }
  for (let at = 0; at < flattened.owners.length; at++) flattened.owners[at] = memberOf(flattened.owners[at]!)
  return { starts: flattened.starts, owners: flattened.owners }
}

function indexesOf(family: 4 | 6, lengths: Uint8Array): Uint32Array {
  const indexes = new Uint32Array(lengths.length)
  let count = 0
  for (let index = 0; index < lengths.length; index++) {
    if (lengths[index]! >= IPV6_OFFSET === (family === 6)) indexes[count++] = index
  }
  return indexes.subarray(0, count)
}

export function openNets(data: NetData): (key: string) => number {
  const { ipv4, ipv6, lengths, parents } = data
  const findIpv4 = openIntervalIndex(ipv4)
  const net = emptyNet()
  return key => {
    if (!readNet(key, net)) return -2
    const isIpv4 = net.family === 4
    const interval = isIpv4 ? findIpv4(net.words[0]!) : findIpv6(ipv6.starts, net.words)
    if (interval < 0) return -1
    let member = (isIpv4 ? ipv4 : ipv6).owners[interval]!
    // Only a prefix of at most the key's length can contain the key.
    const longest = net.bits + (isIpv4 ? 0 : IPV6_OFFSET)
    while (member !== 0 && lengths[member - 1]! > longest) member = parents[member - 1]!
    return member - 1
  }
}

/** The last interval that starts at or before the address, or -1. */
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

/** The canonical text of a member. */
export function netOf({ ipv4, ipv6, lengths, firstIntervals }: NetData, index: number): string {
  const length = lengths[index]!
  const interval = firstIntervals[index]!
  const net = emptyNet()
  net.family = length < IPV6_OFFSET ? 4 : 6
  net.bits = length < IPV6_OFFSET ? length : length - IPV6_OFFSET
  net.words.set(
    length < IPV6_OFFSET
      ? ipv4.starts.subarray(interval, interval + 1)
      : ipv6.starts.subarray(interval * 4, interval * 4 + 4),
  )
  return netText(net)
}
