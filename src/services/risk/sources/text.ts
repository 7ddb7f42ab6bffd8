// Reads what the documents of all sources have in common: byte order marks, lines, comments, JSON.
import { Unreadable } from './source.ts'

/** The end-of-file character of CP/M, which some registries still append. */
const SUBSTITUTE = '\x1a'

const VALUE_MAX = 120

/** The document without surrounding white space, end-of-file characters and (by `trim`) byte order mark. Rejects web
 *  pages. */
export function cleanText(text: string): string {
  let clean = text.trim()
  while (clean.endsWith(SUBSTITUTE)) clean = clean.slice(0, -1).trimEnd()
  if (clean === '') throw new Unreadable('The document is empty')
  if (clean.startsWith('<')) throw new Unreadable('The document is a web page, not a list')
  return clean
}

/** The lines of a document, one at a time: an array of all lines may need many times the memory of the document. */
export function* linesOf(text: string): Generator<string> {
  const clean = cleanText(text)
  for (let from = 0; from <= clean.length; ) {
    const end = clean.indexOf('\n', from)
    const to = end < 0 ? clean.length : end
    if (to > from) yield clean.slice(from, to)
    from = to + 1
  }
}

/** The rows of a list, without blank lines and `#` comments. */
export function* listRows(text: string): Generator<string> {
  for (const line of linesOf(text)) {
    const hash = line.indexOf('#')
    const row = (hash < 0 ? line : line.slice(0, hash)).trim()
    if (row !== '') yield row
  }
}

/** In characters; many times the longest document. */
const JSON_MAX = 16 * 1024 * 1024
/** `JSON.parse` creates all values at once, and an empty object of two characters needs fifty bytes. */
const JSON_VALUES_MAX = 2_000_000

export function jsonOf(text: string): unknown {
  const clean = cleanText(text)
  if (clean.length > JSON_MAX) throw new Unreadable(`The document is JSON of more than ${JSON_MAX} characters`)
  if (countSeparators(clean) > JSON_VALUES_MAX)
    throw new Unreadable(`The document has more than ${JSON_VALUES_MAX} values`)
  try {
    return JSON.parse(clean)
  } catch (error) {
    throw new Unreadable(`The document is not JSON: ${shortened(String(error))}`)
  }
}

const COMMA = 0x2c
const BRACKET = 0x5b
const BRACE = 0x7b

/** Counts commas and opening brackets, an upper bound of the values: one precedes each value but the first. */
function countSeparators(text: string): number {
  let separators = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === COMMA || code === BRACKET || code === BRACE) separators++
  }
  return separators
}

export function arrayOf(json: unknown): readonly unknown[] {
  if (Array.isArray(json)) return json
  throw new Unreadable('The document is not a JSON array')
}

/** A list that a JSON object must have; without it the document is another one or truncated. */
export function listOf(json: unknown, name: string): readonly unknown[] {
  const list = lineFields(json)[name]
  if (Array.isArray(list)) return list
  throw new Unreadable(`The document has no list named ${name}`)
}

/** The fields of a JSON object; empty for other values, so that they count as entries without fields. */
export function lineFields(json: unknown): Readonly<Record<string, unknown>> {
  return json !== null && typeof json === 'object' && !Array.isArray(json) ? (json as Record<string, unknown>) : {}
}

/** How many characters of a text are processed: it may be as long as the document. */
const SCANNED_MAX = 10 * VALUE_MAX

/** A text of a source as stored in a value: one line, well-formed, of at most VALUE_MAX characters. */
export function shortened(text: string): string {
  const line = text
    .trimStart()
    .slice(0, SCANNED_MAX)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .toWellFormed()
    .trim()
  return Array.from(line).slice(0, VALUE_MAX).join('').trimEnd()
}
