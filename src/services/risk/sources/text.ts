// Reads what every publisher's document has in common: marks around the text, lines, comments, JSON.
import { Unreadable } from './source.ts'

/** The end-of-file character of CP/M, which some registries still write. */
const SUBSTITUTE = '\x1a'

const VALUE_MAX = 120

/** The document without the marks around it; trimming takes a byte order mark off as well. Error pages end here. */
export function cleanText(text: string): string {
  let clean = text.trim()
  while (clean.endsWith(SUBSTITUTE)) clean = clean.slice(0, -1).trimEnd()
  if (clean === '') throw new Unreadable('The document is empty')
  if (clean.startsWith('<')) throw new Unreadable('The document is a web page, not the list')
  return clean
}

/** The lines of a document, one at a time: an array of them all may take many times what the document takes. */
export function* linesOf(text: string): Generator<string> {
  const clean = cleanText(text)
  for (let from = 0; from <= clean.length; ) {
    const end = clean.indexOf('\n', from)
    const to = end < 0 ? clean.length : end
    if (to > from) yield clean.slice(from, to)
    from = to + 1
  }
}

/** The rows of a list without blank lines, and without what follows a `#`. */
export function* rowsOf(text: string): Generator<string> {
  for (const line of linesOf(text)) {
    const hash = line.indexOf('#')
    const row = (hash < 0 ? line : line.slice(0, hash)).trim()
    if (row !== '') yield row
  }
}

/** Many times the longest there is. */
const JSON_MAX = 16 * 1024 * 1024
/** An empty object is two characters long and takes fifty bytes, all of which are there at once. */
const JSON_VALUES_MAX = 2_000_000

export function jsonOf(text: string): unknown {
  const clean = cleanText(text)
  if (clean.length > JSON_MAX) throw new Unreadable(`The document is JSON of more than ${JSON_MAX} characters`)
  if (marksIn(clean) > JSON_VALUES_MAX) throw new Unreadable(`The document has more than ${JSON_VALUES_MAX} values`)
  try {
    return JSON.parse(clean)
  } catch (error) {
    throw new Unreadable(`The document is not JSON: ${shortened(String(error))}`)
  }
}

const [COMMA, BRACKET, BRACE] = [0x2c, 0x5b, 0x7b]

/** Commas and opening brackets, at least one of which stands before each value but the first. */
function marksIn(text: string): number {
  let marks = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === COMMA || code === BRACKET || code === BRACE) marks++
  }
  return marks
}

export function arrayOf(json: unknown): readonly unknown[] {
  if (Array.isArray(json)) return json
  throw new Unreadable('The document is not a JSON array')
}

/** A list that a JSON object must have; without it the document is something else, or half of itself. */
export function listOf(json: unknown, name: string): readonly unknown[] {
  const list = fieldsOf(json)[name]
  if (Array.isArray(list)) return list
  throw new Unreadable(`The document has no list named ${name}`)
}

/** The fields of a JSON object; none of anything else, so that an odd entry reads as one without its fields. */
export function fieldsOf(json: unknown): Readonly<Record<string, unknown>> {
  return json !== null && typeof json === 'object' && !Array.isArray(json) ? (json as Record<string, unknown>) : {}
}

/** How much of a text is looked at: it may be as long as the document. */
const LOOKED_AT = 10 * VALUE_MAX

/** A publisher's words as a value holds them: one line of well-formed text, and not long. */
export function shortened(text: string): string {
  const line = text
    .trimStart()
    .slice(0, LOOKED_AT)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .toWellFormed()
    .trim()
  return Array.from(line).slice(0, VALUE_MAX).join('').trimEnd()
}
