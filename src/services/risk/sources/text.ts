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

/** The rows of a list without blank lines, and without what follows a `#`. */
export function rowsOf(text: string): string[] {
  const rows: string[] = []
  for (const line of cleanText(text).split('\n')) {
    const hash = line.indexOf('#')
    const row = (hash < 0 ? line : line.slice(0, hash)).trim()
    if (row !== '') rows.push(row)
  }
  return rows
}

export function jsonOf(text: string): unknown {
  const clean = cleanText(text)
  try {
    return JSON.parse(clean)
  } catch (error) {
    throw new Unreadable(`The document is not JSON: ${shortened(String(error))}`)
  }
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

/** A publisher's words as a value holds them: one line of well-formed text, and not long. */
export function shortened(text: string): string {
  const line = text
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .toWellFormed()
    .trim()
  return Array.from(line).slice(0, VALUE_MAX).join('').trimEnd()
}
