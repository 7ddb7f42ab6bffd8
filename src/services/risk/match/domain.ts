// Reads host names and e-mail addresses. Members and look-up keys get the same canonical spelling: the host in ASCII
// and lower case, without the trailing dot. Of an e-mail address only the host is used.
import { domainToASCII, domainToUnicode } from 'node:url'
import { isPlain, isShort } from './text.ts'

const NAME_MAX = 253
const LABEL_MAX = 63
const DOT = 0x2e

const INVALID = 0
const LOWER = 1
const UPPER = 2
/** The class of each ASCII character in a host name. Characters with a meaning in URLs (`/`, `:`, `%`) are invalid. */
const CHAR_CLASSES = new Uint8Array(128)
for (const char of 'abcdefghijklmnopqrstuvwxyz0123456789-_.') CHAR_CLASSES[char.charCodeAt(0)] = LOWER
for (const char of 'ABCDEFGHIJKLMNOPQRSTUVWXYZ') CHAR_CLASSES[char.charCodeAt(0)] = UPPER

export function domainFrom(text: string): string | null {
  return isShort(text) ? (canonicalFrom(text) ?? normalisedFrom(text.trim())) : null
}

/** Fast path: most texts are canonical already, which one pass can verify. Null if not. */
function canonicalFrom(text: string): string | null {
  const at = text.lastIndexOf('@')
  if (at === 0 || !isHostName(text, at + 1)) return null
  for (let before = 0; before < at; before++) {
    const code = text.charCodeAt(before)
    if (code <= 0x20 || code >= 0x7f) return null
  }
  const name = at < 0 ? text : text.slice(at + 1)
  return name.includes('xn--') ? null : name
}

/** A mailbox with a quoted local part, which may contain spaces (RFC 5321, section 4.1.2); hosts may not. */
const QUOTED = /^"(?:[^"\\]|\\.)*"@[^@]*$/u

function normalisedFrom(text: string): string | null {
  const at = text.lastIndexOf('@')
  if (at === 0) return null
  const host = asciiFrom(text.slice(at + 1))
  if (host === null || !isPlain(text) || /\s/u.test(QUOTED.test(text) ? text.replaceAll(' ', '') : text)) return null
  const name = host.charCodeAt(host.length - 1) === DOT ? host.slice(0, -1) : host
  return isHostName(name, 0) ? name : null
}

function asciiFrom(host: string): string | null {
  let hasNonAscii = false
  for (let at = 0; at < host.length; at++) {
    const code = host.charCodeAt(at)
    if (code > 127) hasNonAscii = true
    else if (CHAR_CLASSES[code] === INVALID) return null
  }
  if (hasNonAscii) return domainToASCII(host) || null
  const lower = host.toLowerCase()
  // Browsers accept invalid Punycode in ASCII names; `domainToUnicode` leaves such labels unchanged.
  return lower.includes('xn--') && /(^|\.)xn--/.test(domainToUnicode(lower)) ? null : lower
}

/** Whether a text from position `from` is two or more lower-case labels, the last of which is not a number. */
function isHostName(name: string, from: number): boolean {
  if (name.length - from > NAME_MAX) return false
  let label = from
  let labels = 1
  for (let at = from; at < name.length; at++) {
    const code = name.charCodeAt(at)
    if (code === DOT) {
      if (at === label || at - label > LABEL_MAX) return false
      label = at + 1
      labels++
    } else if (CHAR_CLASSES[code] !== LOWER) return false
  }
  const last = name.length - label
  return labels > 1 && last > 0 && last <= LABEL_MAX && !isNumeric(name, label)
}

/** The URL Standard parses a host whose last label is a decimal or hexadecimal number as an IPv4 address. */
function isNumeric(name: string, from: number): boolean {
  const first = name.charCodeAt(from)
  return first >= 0x30 && first <= 0x39 && /^(\d+|0x[0-9a-f]*)$/.test(name.slice(from))
}
