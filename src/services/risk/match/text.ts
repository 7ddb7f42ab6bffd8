// The bounds every key and member keeps before any matcher looks at it.

/** Longer texts are read by no matcher, so that no look-up costs more than this much reading. */
export const KEY_BYTES_MAX = 512

export function isShort(text: string): boolean {
  if (text.length > KEY_BYTES_MAX) return false
  // No character takes more than three bytes for each of its code units.
  return text.length * 3 <= KEY_BYTES_MAX || Buffer.byteLength(text) <= KEY_BYTES_MAX
}

/** Whether a text is free of control characters and of halves of characters, which UTF-8 cannot hold. */
export function isPlain(text: string): boolean {
  return !CONTROL.test(text) && text.isWellFormed()
}

const CONTROL = /\p{Cc}/u

/** The text without the white space around it; null when it is too long, empty or not plain. */
export function plainFrom(text: string): string | null {
  if (!isShort(text)) return null
  const trimmed = text.trim()
  return trimmed !== '' && isPlain(trimmed) ? trimmed : null
}
