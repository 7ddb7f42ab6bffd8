// Reads card numbers and their prefixes. Leading zeros are significant. At most the first eight digits are kept: they
// identify the issuer (ISO/IEC 7812); the rest would identify the card.
import { isShort } from './text.ts'

export const PREFIX_MAX = 8
const KEY_MIN = 4
const KEY_MAX = 19

/**
 * The leading digits with a 1 before them, as a number: `0412` is 10412. So distinct prefixes are distinct numbers,
 * longer ones are greater, and dividing by ten removes the last digit. -1 if the text is not a card number or prefix.
 */
export function codeFrom(text: string, digitsMin: number): number {
  if (!isShort(text)) return -1
  let code = 1
  let digits = 0
  let needsDigit = true
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at)
    if (char === 0x20 || char === 0x2d) {
      if (needsDigit) return -1
      needsDigit = true
      continue
    }
    const digit = char - 0x30
    if (digit < 0 || digit > 9) return -1
    if (++digits <= PREFIX_MAX) code = code * 10 + digit
    needsDigit = false
  }
  return needsDigit || digits < digitsMin || digits > KEY_MAX ? -1 : code
}

/** A look-up key must be at least as long as the shortest issued prefix. */
export const keyCodeFrom = (text: string): number => codeFrom(text, KEY_MIN)

/** A member may be a single digit: some card schemes have a one-digit prefix. */
export function digitsFrom(text: string): string | null {
  const code = codeFrom(text, 1)
  return code < 0 ? null : digitsText(code)
}

export const digitsText = (code: number): string => String(code).slice(1)
