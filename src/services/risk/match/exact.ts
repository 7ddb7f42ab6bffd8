// Reads texts that are compared whole, and tells which of them look like a digest or like the name a browser gives itself.
import { keyCodeFrom } from './digits.ts'
import { domainFrom } from './domain.ts'
import { emptyNet, readNet } from './net.ts'
import { numberFrom } from './range.ts'
import { isShort, plainFrom } from './text.ts'

/** The trimmed text. A digest means the same in either case, so that one is kept in lower case. */
export function exactFrom(text: string): string | null {
  const plain = plainFrom(text)
  return plain !== null && digestIn(plain) === 'mixed' ? plain.toLowerCase() : plain
}

/** 128 to 512 bits in hexadecimal, of either case. */
export const isDigest = (text: string): boolean => isShort(text) && digestIn(text.trim()) !== null

function digestIn(text: string): 'lower' | 'mixed' | null {
  if (text.length < 32 || text.length > 128 || text.length % 2 !== 0) return null
  if (NO_HEX.test(text)) return null
  return UPPER.test(text) ? 'mixed' : 'lower'
}

const NO_HEX = /[^0-9a-fA-F]/
const UPPER = /[A-F]/

/** A product and its version, at the least. */
export function isAgent(text: string): boolean {
  return text.includes('/') && /\p{L}/u.test(text) && plainFrom(text) !== null && !isOfAnotherKind(text)
}

const net = emptyNet()

/** Whether a text is an e-mail address, a domain, an address, a prefix, a number or a digest, and so no free text. */
export function isOfAnotherKind(text: string): boolean {
  return (
    !isProse(text) &&
    (readNet(text, net) ||
      keyCodeFrom(text) >= 0 ||
      numberFrom(text) >= 0 ||
      isDigest(text) ||
      domainFrom(text) !== null)
  )
}

/** Whether a text has a slash and, between other characters, a space. Numbers may be written with spaces and prefixes have a
 *  slash, but nothing that is no free text has both, unless it starts with a quote as some mailboxes do; what browsers call
 *  themselves nearly always does. */
export function isProse(text: string): boolean {
  if (!text.includes('/')) return false
  const trimmed = text.trim()
  return trimmed.includes(' ') && !trimmed.startsWith('"')
}
