// Strictly reads IPv4 and IPv6 addresses and prefixes. Ambiguous forms are rejected: 010.0.0.1 is 8.0.0.1 to some
// programs and 10.0.0.1 to others. An IPv4 address embedded in IPv6 is read as IPv4 in two cases: mapped
// (`::ffff:0:0/96` and longer prefixes), and translated by NAT64 (`64:ff9b::/96`, whole addresses only: a prefix of it
// is the translator's own range). Members and look-up keys are read alike; otherwise an override on such an address
// could never match.
import { isShort } from './text.ts'

/** Overwritten by each read, so that a look-up allocates nothing. An IPv4 address uses the first word only. */
export type Net = { family: 4 | 6; words: Uint32Array; bits: number }

export const emptyNet = (): Net => ({ family: 4, words: new Uint32Array(4), bits: 0 })

const COLON = 0x3a
const DOT = 0x2e
const ZERO = 0x30

/** Whether the text is an address or a prefix. If so, `net` is set to it, with the bits after the prefix cleared. */
export function readNet(text: string, net: Net): boolean {
  const quad = quadFrom(text, 0, text.length)
  return quad < 0 ? isShort(text) && readAny(text.trim(), net) : setIpv4(net, quad, 32)
}

function readAny(whole: string, net: Net): boolean {
  const slash = whole.indexOf('/')
  const isBracketed = whole.startsWith('[')
  if (isBracketed && !(whole.endsWith(']') && slash < 0)) return false
  const from = isBracketed ? 1 : 0
  const to = isBracketed ? whole.length - 1 : slash < 0 ? whole.length : slash
  const quad = isBracketed ? -1 : quadFrom(whole, 0, to)
  if (quad >= 0) setIpv4(net, quad, 32)
  else if (!readIpv6(whole, from, to, net)) return false
  if (slash >= 0) {
    const bits = lengthFrom(whole, slash + 1)
    if (bits < 0 || bits > net.bits) return false
    net.bits = bits
  }
  return (net.family === 4 || unwrapIpv4(net)) && mask(net)
}

function setIpv4(net: Net, address: number, bits: number): true {
  net.family = 4
  net.bits = bits
  net.words[0] = address
  net.words[1] = net.words[2] = net.words[3] = 0
  return true
}

/** The value of a dotted quad, or -1. Some programs read an octet with a leading zero as octal. */
function quadFrom(text: string, from: number, to: number): number {
  let value = 0
  let octet = -1
  let octets = 0
  for (let at = from; at <= to; at++) {
    const code = at < to ? text.charCodeAt(at) : DOT
    if (code === DOT) {
      if (octet < 0) return -1
      value = value * 256 + octet
      octet = -1
      octets++
      continue
    }
    const digit = code - ZERO
    if (digit < 0 || digit > 9 || octet === 0) return -1
    octet = octet < 0 ? digit : octet * 10 + digit
    if (octet > 255) return -1
  }
  return octets === 4 ? value : -1
}

/** A prefix length in decimal without leading zeros, or -1. */
function lengthFrom(text: string, from: number): number {
  const digits = text.length - from
  if (digits < 1 || digits > 3 || (digits > 1 && text.charCodeAt(from) === ZERO)) return -1
  let value = 0
  for (let at = from; at < text.length; at++) {
    const digit = text.charCodeAt(at) - ZERO
    if (digit < 0 || digit > 9) return -1
    value = value * 10 + digit
  }
  return value
}

const groups = new Uint16Array(8)

/** RFC 4291, section 2.2: `::` replaces at least one group, and a dotted quad may replace the last two. */
function readIpv6(text: string, from: number, to: number, net: Net): boolean {
  let count = 0
  let gap = -1
  let at = from
  if (text.startsWith('::', from)) {
    gap = 0
    at += 2
  }
  while (at < to) {
    const start = at
    let value = 0
    for (let digit = 0; at < to; at++) {
      digit = hexFrom(text.charCodeAt(at))
      if (digit < 0) break
      value = value * 16 + digit
    }
    if (at < to && text.charCodeAt(at) === DOT) {
      const quad = quadFrom(text, start, to)
      if (quad < 0 || count > 6) return false
      groups[count++] = quad >>> 16
      groups[count++] = quad & 0xffff
      break
    }
    if (at === start || at - start > 4 || count === 8) return false
    groups[count++] = value
    if (at === to) break
    if (text.charCodeAt(at++) !== COLON || at === to) return false
    if (text.charCodeAt(at) !== COLON) continue
    if (gap >= 0) return false
    gap = count
    at++
  }
  if (gap < 0 ? count !== 8 : count > 7) return false
  expandGap(count, gap)
  net.family = 6
  net.bits = 128
  for (let word = 0; word < 4; word++) net.words[word] = groups[word * 2]! * 65536 + groups[word * 2 + 1]!
  return true
}

/** Moves the groups after `::` to the end and fills the gap with zeros. */
function expandGap(count: number, gap: number): void {
  if (gap < 0) return
  let from = count
  for (let to = 7; to >= gap; to--) groups[to] = from > gap ? groups[--from]! : 0
}

/** The value of a hexadecimal digit in upper or lower case, or -1. */
export function hexFrom(code: number): number {
  if (code >= ZERO && code <= 0x39) return code - ZERO
  const letter = code | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1
}

/** Converts embedded IPv4 to IPv4. A mapped prefix that covers more than IPv4 is rejected. */
function unwrapIpv4(net: Net): boolean {
  const first = net.words[0]!
  const second = net.words[1]!
  const third = net.words[2]!
  const fourth = net.words[3]!
  const isMapped = first === 0 && second === 0 && third === 0xffff
  if (isMapped && net.bits < 96) return false
  const isTranslated = first === 0x64ff9b && second === 0 && third === 0 && net.bits === 128
  return isMapped || isTranslated ? setIpv4(net, fourth, net.bits - 96) : true
}

function mask(net: Net): true {
  for (let word = 0, bits = net.bits; word < 4; word++, bits -= 32) {
    if (bits <= 0) net.words[word] = 0
    else if (bits < 32) net.words[word] = net.words[word]! & (-1 << (32 - bits))
  }
  return true
}

const scratch = emptyNet()

export function netFrom(text: string): string | null {
  return readNet(text, scratch) ? netText(scratch) : null
}

/** `a.b.c.d/n`, or RFC 5952 with `/n`. */
export function netText({ family, words, bits }: Net): string {
  return `${family === 4 ? ipv4Text(words[0]!) : ipv6Text(words)}/${bits}`
}

const ipv4Text = (value: number) => `${value >>> 24}.${(value >>> 16) & 255}.${(value >>> 8) & 255}.${value & 255}`

/** RFC 5952, section 4: the longest run of two or more zero groups is `::`, the first of equally long ones. */
function ipv6Text(words: Uint32Array): string {
  const parts = [...words].flatMap(word => [word >>> 16, word & 0xffff])
  let from = -1
  let longest = 1
  for (let at = 0, run = 0; at < 8; at++) {
    run = parts[at] === 0 ? run + 1 : 0
    if (run <= longest) continue
    longest = run
    from = at - run + 1
  }
  const hex = parts.map(part => part.toString(16))
  return from < 0 ? hex.join(':') : `${hex.slice(0, from).join(':')}::${hex.slice(from + longest).join(':')}`
}

/** Whether the text is an address or a prefix. */
export const isNet = (text: string): boolean => readNet(text, scratch)

/** The first three words of IPv6 addresses that embed IPv4: NAT64 and mapped. */
const EMBEDDED_IPV4 = [
  [0x64ff9b, 0, 0],
  [0, 0, 0xffff],
] as const

/** Whether an IPv6 prefix contains embedded IPv4 addresses. They are looked up as IPv4, so the prefix never matches
 *  them. */
export function hasEmbeddedIpv4(text: string): boolean {
  if (!readNet(text, scratch) || scratch.family === 4) return false
  const { words, bits } = scratch
  return EMBEDDED_IPV4.some(prefix =>
    prefix.every((word, at) => {
      const left = Math.min(bits - 32 * at, 32)
      return left <= 0 || (word ^ words[at]!) >>> (32 - left) === 0
    }),
  )
}
