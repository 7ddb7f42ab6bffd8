// Limits that apply to every key and member, whatever the matcher.

/** No matcher reads longer texts. This bounds the cost of a look-up. */
export const KEY_BYTES_MAX = 512

export function isShort(text: string): boolean {
  if (text.length > KEY_BYTES_MAX) return false
  // UTF-8 needs at most three bytes per UTF-16 code unit.
  return text.length * 3 <= KEY_BYTES_MAX || Buffer.byteLength(text) <= KEY_BYTES_MAX
}

/** Whether a text has no control characters and no lone surrogates, which UTF-8 cannot encode. */
export function isPlain(text: string): boolean {
  return !CONTROL.test(text) && text.isWellFormed()
}

const CONTROL = /\p{Cc}/u

/** The trimmed text; null if it is too long, empty or not plain. */
export function plainFrom(text: string): string | null {
  if (!isShort(text)) return null
  const trimmed = text.trim()
  return trimmed !== '' && isPlain(trimmed) ? trimmed : null
}
