// Reads host names and e-mail addresses. A member and a look-up key get the same spelling: the host in ASCII and lower
// case, without the dot of the root. Of an e-mail address only its host counts.
import { domainToASCII, domainToUnicode } from 'node:url'
import { isPlain, isShort } from './text.ts'

const NAME_MAX = 253
const LABEL_MAX = 63
const DOT = 0x2e

const REFUSED = 0
const LOWER = 1
const UPPER = 2
/** What each ASCII character is in a host name. Whatever a URL gives a meaning (`/`, `:`, `%`) is refused here. */
const KINDS = new Uint8Array(128)
for (const char of 'abcdefghijklmnopqrstuvwxyz0123456789-_.') KINDS[char.charCodeAt(0)] = LOWER
for (const char of 'ABCDEFGHIJKLMNOPQRSTUVWXYZ') KINDS[char.charCodeAt(0)] = UPPER

export function domainFrom(text: string): string | null {
  return isShort(text) ? (commonFrom(text) ?? carefulFrom(text.trim())) : null
}

/** Most texts are spelled right already, which one look at each character tells. */
function commonFrom(text: string): string | null {
  const at = text.lastIndexOf('@')
  if (at === 0 || !isHostName(text, at + 1)) return null
  for (let before = 0; before < at; before++) {
    const code = text.charCodeAt(before)
    if (code <= 0x20 || code >= 0x7f) return null
  }
  const name = at < 0 ? text : text.slice(at + 1)
  return name.includes('xn--') ? null : name
}

/** Of a mailbox whose local part is quoted, which may hold spaces (RFC 5321, section 4.1.2); hosts hold none. */
const QUOTED = /^"(?:[^"\\]|\\.)*"@[^@]*$/u

function carefulFrom(text: string): string | null {
  const at = text.lastIndexOf('@')
  if (at === 0) return null
  const host = asciiFrom(text.slice(at + 1))
  if (host === null || !isPlain(text) || /\s/u.test(QUOTED.test(text) ? text.replaceAll(' ', '') : text)) return null
  const name = host.charCodeAt(host.length - 1) === DOT ? host.slice(0, -1) : host
  return isHostName(name, 0) ? name : null
}

function asciiFrom(host: string): string | null {
  let isForeign = false
  for (let at = 0; at < host.length; at++) {
    const code = host.charCodeAt(at)
    if (code > 127) isForeign = true
    else if (KINDS[code] === REFUSED) return null
  }
  if (isForeign) return domainToASCII(host) || null
  const lower = host.toLowerCase()
  // Browsers pass broken Punycode on when all is ASCII, and it stays what it is in Unicode.
  return lower.includes('xn--') && /(^|\.)xn--/.test(domainToUnicode(lower)) ? null : lower
}

/** Whether a text, from a place on, is two or more labels in lower case, the last of which is no number. */
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
    } else if (KINDS[code] !== LOWER) return false
  }
  const last = name.length - label
  return labels > 1 && last > 0 && last <= LABEL_MAX && !isNumber(name, label)
}

/** Browsers take a name that ends in a number, decimal or hexadecimal, for an IPv4 address. */
function isNumber(name: string, from: number): boolean {
  const first = name.charCodeAt(from)
  return first >= 0x30 && first <= 0x39 && /^(\d+|0x[0-9a-f]*)$/.test(name.slice(from))
}
