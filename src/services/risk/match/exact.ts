// Reads texts that are compared as a whole, and detects digests and user agents among them.
import { keyCodeFrom } from './digits.ts'
import { domainFrom } from './domain.ts'
import { emptyNet, readNet } from './net.ts'
import { asNumberFrom } from './range.ts'
import { isShort, plainFrom } from './text.ts'

/** The trimmed text. Digests are case-insensitive and returned in lower case. */
export function exactFrom(text: string): string | null {
  const plain = plainFrom(text)
  return plain !== null && digestCase(plain) === 'mixed' ? plain.toLowerCase() : plain
}

/** 128 to 512 bits in hexadecimal, in upper or lower case. */
export const isDigest = (text: string): boolean => isShort(text) && digestCase(text.trim()) !== null

function digestCase(text: string): 'lower' | 'mixed' | null {
  if (text.length < 32 || text.length > 128 || text.length % 2 !== 0) return null
  if (NON_HEX.test(text)) return null
  return UPPER.test(text) ? 'mixed' : 'lower'
}

const NON_HEX = /[^0-9a-fA-F]/
const UPPER = /[A-F]/

/** Whether a text is a user agent: at least a product and its version. */
export function isAgent(text: string): boolean {
  return text.includes('/') && /\p{L}/u.test(text) && plainFrom(text) !== null && !isOfAnotherKind(text)
}

const scratch = emptyNet()

/** Whether a text is an e-mail address, a domain, an IP address or prefix, a number or a digest, and so not free
 *  text. */
export function isOfAnotherKind(text: string): boolean {
  return (
    !isProse(text) &&
    (readNet(text, scratch) ||
      keyCodeFrom(text) >= 0 ||
      asNumberFrom(text) >= 0 ||
      isDigest(text) ||
      domainFrom(text) !== null)
  )
}

/** Whether a text has a slash and an inner space. Card numbers may have spaces and prefixes have a slash, but only
 *  free text has both, except quoted mailboxes, which start with a quote. Nearly all user agents have both. */
export function isProse(text: string): boolean {
  if (!text.includes('/')) return false
  const trimmed = text.trim()
  return trimmed.includes(' ') && !trimmed.startsWith('"')
}
