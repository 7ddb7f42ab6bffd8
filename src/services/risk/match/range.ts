// Reads autonomous system numbers and closed ranges of them. Ambiguous forms are rejected: spaces, signs, leading
// zeros, exponents and the dotted form (1.10 is 65546 in asdot notation).
import { isShort } from './text.ts'

const NUMBER_MAX = 4_294_967_295

/** The number in a look-up key, or -1. */
export function asNumberFrom(text: string): number {
  return isShort(text) ? numberBetween(text, 0, text.length) : -1
}

function numberBetween(text: string, from: number, to: number): number {
  const hasAsPrefix = (text.charCodeAt(from) | 0x20) === 0x61 && (text.charCodeAt(from + 1) | 0x20) === 0x73
  const start = hasAsPrefix ? from + 2 : from
  const digits = to - start
  if (digits < 1 || digits > 10 || (digits > 1 && text.charCodeAt(start) === 0x30)) return -1
  let value = 0
  for (let at = start; at < to; at++) {
    const digit = text.charCodeAt(at) - 0x30
    if (digit < 0 || digit > 9) return -1
    value = value * 10 + digit
  }
  return value <= NUMBER_MAX ? value : -1
}

/** Both ends of a member's range, or null. */
export function endsFrom(text: string): [low: number, high: number] | null {
  if (!isShort(text)) return null
  const hyphen = text.indexOf('-')
  const low = numberBetween(text, 0, hyphen < 0 ? text.length : hyphen)
  const high = hyphen < 0 ? low : numberBetween(text, hyphen + 1, text.length)
  return low >= 0 && low <= high ? [low, high] : null
}

export function rangeFrom(text: string): string | null {
  const ends = endsFrom(text)
  return ends && `${ends[0]}-${ends[1]}`
}
