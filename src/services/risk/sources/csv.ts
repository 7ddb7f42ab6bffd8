// Reads comma-separated values by RFC 4180, strictly: registries quote their cells correctly, so a document that does
// not is cut or is something else. Columns are found by name, because registries have added some over time.
import { Unreadable } from './source.ts'
import { cleanText } from './text.ts'

/** The cells of the named columns, row by row; null for a row that has not as many cells as the header. */
export function columnsOf(text: string, ...names: string[]): (string[] | null)[] {
  const [header = [], ...rows] = recordsOf(cleanText(text))
  const columns = names.map(name => header.findIndex(cell => cell.trim() === name))
  const missing = names.filter((_, i) => columns[i] === -1)
  if (missing.length > 0) throw new Unreadable(`The table has no column named ${missing.join(', ')}`)
  return rows
    .filter(row => row.some(cell => cell.trim() !== ''))
    .map(row => (row.length === header.length ? columns.map(at => row[at] as string) : null))
}

/** Many times those of the longest registry. */
const CELLS_MAX = 1_000_000
/** Longer than any cell of them. */
const CELL_MAX = 100_000

/** Every record with its cells as they are, but for empty lines; a quoted cell may hold commas, line breaks and doubled
 *  quotes. */
export function recordsOf(text: string): string[][] {
  const records: string[][] = []
  let cells: string[] = []
  let count = 0
  let at = 0
  while (true) {
    if (cells.length === 0) at = behindEmptyLines(text, at)
    if (++count > CELLS_MAX) throw new Unreadable(`The table has more than ${CELLS_MAX} cells`)
    const [cell, end] = text[at] === '"' ? quotedCell(text, at, records.length + 1) : plainCell(text, at)
    cells.push(cell)
    at = end + 1
    if (text[end] === ',') continue
    records.push(cells)
    cells = []
    if (end >= text.length) return records
  }
}

function behindEmptyLines(text: string, from: number): number {
  let at = from
  while (text[at] === '\n' || (text[at] === '\r' && text[at + 1] === '\n')) at++
  return at
}

/** A cell from `start`, and where the comma or line break after it stands. */
function plainCell(text: string, start: number): [cell: string, end: number] {
  let end = start
  while (end < text.length && text[end] !== ',' && text[end] !== '\n') end++
  const carriage = text[end] !== ',' && text[end - 1] === '\r' && end > start
  return [text.slice(start, carriage ? end - 1 : end), end]
}

function quotedCell(text: string, start: number, record: number): [cell: string, end: number] {
  let quote = text.indexOf('"', start + 1)
  while (quote >= 0 && text[quote + 1] === '"') quote = text.indexOf('"', quote + 2)
  if (quote < 0) throw new Unreadable(`The table ends inside a quoted cell of row ${record}`)
  if (quote - start > CELL_MAX)
    throw new Unreadable(`The table has a cell of ${quote - start} characters in row ${record}`)
  const end = text[quote + 1] === '\r' ? quote + 2 : quote + 1
  if (end < text.length && text[end] !== '\n' && (text[end] !== ',' || end === quote + 2)) {
    throw new Unreadable(`The table has text after a quoted cell in row ${record}`)
  }
  return [text.slice(start + 1, quote).replaceAll('""', '"'), end]
}
