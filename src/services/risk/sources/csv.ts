// Reads comma-separated values strictly by RFC 4180: registries quote their cells correctly, so a document that does
// not is truncated or something else. Columns are found by name, because registries have added some over time.
import { Unreadable } from './source.ts'
import { cleanText } from './text.ts'

/** The cells of the named columns, row by row; null for a row with another number of cells than the header. */
export function csvColumns(text: string, ...names: string[]): (string[] | null)[] {
  const [header = [], ...rows] = recordsOf(cleanText(text))
  const columns = names.map(name => header.findIndex(cell => cell.trim() === name))
  const missing = names.filter((_, i) => columns[i] === -1)
  if (missing.length > 0) throw new Unreadable(`The table has no column named ${missing.join(', ')}`)
  return rows
    .filter(row => row.some(cell => cell.trim() !== ''))
    .map(row => (row.length === header.length ? columns.map(at => row[at] as string) : null))
}

/** Many times the cells of the longest registry. */
const CELLS_MAX = 1_000_000
/** In characters; longer than any cell of a registry. */
const CELL_MAX = 100_000

/** All records with their cells, without empty lines; a quoted cell may contain commas, line breaks and doubled
 *  quotes. */
export function recordsOf(text: string): string[][] {
  const records: string[][] = []
  let cells: string[] = []
  let count = 0
  let at = 0
  while (true) {
    if (cells.length === 0) at = afterEmptyLines(text, at)
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

function afterEmptyLines(text: string, from: number): number {
  let at = from
  while (text[at] === '\n' || (text[at] === '\r' && text[at + 1] === '\n')) at++
  return at
}

/** The cell that starts at `start`, and the position of the comma or line break after it. */
function plainCell(text: string, start: number): [cell: string, end: number] {
  let end = start
  while (end < text.length && text[end] !== ',' && text[end] !== '\n') end++
  const hasCarriageReturn = text[end] !== ',' && text[end - 1] === '\r' && end > start
  return [text.slice(start, hasCarriageReturn ? end - 1 : end), end]
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
