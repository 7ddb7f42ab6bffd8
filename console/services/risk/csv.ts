// Overrides as CSV (RFC 4180): key, verdict, note.
import type { ReferenceOverrideIn } from '../../../client/stoa.js'

export type Problem = { line: number; says: string }

const HEAD = ['key', 'verdict', 'note']

export const csvOf = (overrides: ReferenceOverrideIn[]): string =>
  [HEAD, ...overrides.map(({ key, verdict, note = '' }) => [key, verdict, note])]
    .map(row => `${row.map(cellOf).join(',')}\r\n`)
    .join('')

/** Spreadsheets would run a text that begins like a formula. */
const FORMULA = /^[=+\-@\t\r]/
const cellOf = (text: string) => {
  const safe = FORMULA.test(text) ? `'${text}` : text
  return /[",;\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
const textOf = (cell: string) => (cell.startsWith("'") && FORMULA.test(cell.slice(1)) ? cell.slice(1) : cell)

/** Reads `key,verdict,note`, with or without a head. A line without a verdict is denied. */
export function entriesIn(text: string): { entries: ReferenceOverrideIn[]; problems: Problem[] } {
  const entries: ReferenceOverrideIn[] = []
  const problems: Problem[] = []
  for (const { line, cells } of rowsIn(text)) {
    const [key = '', verdict = '', note = ''] = cells.map(cell => textOf(cell.trim()))
    if (cells.length === 1 && key === '') continue
    const effect = verdict.toLowerCase() || 'deny'
    if (line === 1 && key.toLowerCase() === 'key') continue
    if (key === '') problems.push({ line, says: 'has no key' })
    else if (effect !== 'deny' && effect !== 'allow')
      problems.push({ line, says: `has the effect ${effect}; write deny or allow` })
    else entries.push({ key, verdict: effect, ...(note && { note }) })
  }
  return { entries, problems }
}

function* rowsIn(text: string): Generator<{ line: number; cells: string[] }> {
  const source = text.replace(/^\uFEFF/, '')
  let [line, startLine, cell, isQuoted] = [1, 1, '', false]
  let cells: string[] = []
  for (let at = 0; at < source.length; at++) {
    const char = source[at] as string
    if (char === '\n') line++
    if (isQuoted) {
      if (char !== '"') cell += char
      else if (source[at + 1] === '"') {
        cell += '"'
        at++
      } else isQuoted = false
    } else if (char === '"' && cell.trim() === '') {
      isQuoted = true
      cell = ''
    } else if (char === ',' || char === ';') {
      cells.push(cell)
      cell = ''
    } else if (char === '\n') {
      yield { line: startLine, cells: [...cells, cell] }
      cells = []
      cell = ''
      startLine = line
    } else if (char !== '\r') cell += char
  }
  if (cell !== '' || cells.length > 0) yield { line: startLine, cells: [...cells, cell] }
}
