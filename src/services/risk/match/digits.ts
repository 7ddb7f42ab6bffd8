// Reads card numbers and their prefixes. Digits are text, so that zeroes in front count, and no more than the first eight
// are ever kept: they name the issuer (ISO/IEC 7812), and the rest would name the card.
import { isShort } from './text.ts'

export const PREFIX_MAX = 8
const KEY_MIN = 4
const KEY_MAX = 19

/**
 * The first digits behind a one, as a number: `0412` is 10412. So different prefixes are different numbers, longer ones
 * are greater, and dividing by ten takes the last digit off. -1 when the text is not that.
 */
export function codeFrom(text: string, digitsMin: number): number {
  if (!isShort(text)) return -1
  let code = 1
  let digits = 0
  let isBetween = true
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at)
    if (char === 0x20 || char === 0x2d) {
      if (isBetween) return -1
      isBetween = true
      continue
    }
    const digit = char - 0x30
    if (digit < 0 || digit > 9) return -1
    if (++digits <= PREFIX_MAX) code = code * 10 + digit
    isBetween = false
  }
  return isBetween || digits < digitsMin || digits > KEY_MAX ? -1 : code
}

/** A look-up key is long enough to be a prefix somebody was issued. */
export const keyCodeFrom = (text: string): number => codeFrom(text, KEY_MIN)

/** A member may be a single digit, as a card scheme's is. */
export function digitsFrom(text: string): string | null {
  const code = codeFrom(text, 1)
  return code < 0 ? null : digitsText(code)
}

export const digitsText = (code: number): string => String(code).slice(1)
