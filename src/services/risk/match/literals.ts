// Finds which of many literals stand in a text, in one pass over it (Aho and Corasick, 1975). Letters are compared
// without regard to case. The automaton has a row for each beginning of a literal, and a column for each character that
// occurs in one.
import { KEY_BYTES_MAX } from './text.ts'

export type Literals = {
  /** The column of each ASCII character; 0 for those that occur in no literal. */
  columns: Uint8Array<ArrayBuffer>
  width: number
  /** Where to go on, by row and column, as a place in this array; turned into a negative number when anything ends there,
   *  which is rare. */
  edges: Int32Array<ArrayBuffer>
  /** The literal that ends in each row, counted from one; 0 for none. */
  ends: Uint32Array<ArrayBuffer>
  /** The row of the longest shorter literal that ends with each row; 0 for none. */
  shorter: Uint32Array<ArrayBuffer>
}

/** The literals must be distinct, ASCII and in lower case. */
export function buildLiterals(literals: readonly string[]): Literals {
  const columns = new Uint8Array(128)
  for (const char of new Set(literals.join(''))) columns[char.charCodeAt(0)] = 1
  let width = 1
  for (let code = 0; code < 128; code++) if (columns[code] === 1) columns[code] = width++
  // An upper-case letter that occurs in no literal itself goes where its lower case does.
  for (let code = 0x41; code <= 0x5a; code++) columns[code] = columns[code + 0x20]!
  const rowsMax = literals.reduce((sum, { length }) => sum + length, 1)
  const next = new Uint32Array(rowsMax * width)
  const ends = new Uint32Array(rowsMax)
  let rows = 1
  for (const [index, literal] of literals.entries()) {
    let row = 0
    for (let at = 0; at < literal.length; at++) {
      const edge = row * width + columns[literal.charCodeAt(at)]!
      if (next[edge] === 0) next[edge] = rows++
      row = next[edge]!
    }
    ends[row] = index + 1
  }
  const tree = { width, next: next.subarray(0, rows * width), ends: ends.slice(0, rows) }
  const shorter = addReturns(tree)
  const isEnd = (row: number) => tree.ends[row] !== 0 || shorter[row] !== 0
  const edges = Int32Array.from(tree.next, row => (isEnd(row) ? ~(row * width) : row * width))
  return { columns, width, edges, ends: tree.ends, shorter }
}

/** The row to go on with, by row and column. */
type Tree = { width: number; next: Uint32Array; ends: Uint32Array }

/** Fills in where to go on when a literal breaks off: with the longest ending of what was read that begins another. */
function addReturns({ width, next, ends }: Tree): Uint32Array<ArrayBuffer> {
  const shorter = new Uint32Array(ends.length)
  const back = new Uint32Array(ends.length)
  const queue = new Uint32Array(ends.length)
  let queued = 1
  for (let taken = 0; taken < queued; taken++) {
    const row = queue[taken]!
    for (let column = 1; column < width; column++) {
      const edge = row * width + column
      const fallback = row === 0 ? 0 : next[back[row]! * width + column]!
      const child = next[edge]!
      // Row 0 is nobody's child, so 0 means that there is none.
      if (child === 0) next[edge] = fallback
      else {
        back[child] = fallback
        shorter[child] = ends[fallback] === 0 ? shorter[fallback]! : fallback
        queue[queued++] = child
      }
    }
  }
  return shorter
}

const encoder = new TextEncoder()

/** Calls back with every literal found in a short text, by its index, as often as it is there. */
export function openLiterals({ columns, width, edges, ends, shorter }: Literals) {
  const columnOf = new Uint8Array(256)
  columnOf.set(columns)
  const bytes = new Uint8Array(KEY_BYTES_MAX)

  return (text: string, found: (literal: number) => void): void => {
    // Bytes in an array are read several times faster than characters of a string.
    const { written } = encoder.encodeInto(text, bytes)
    let position = 0
    for (let at = 0; at < written; at++) {
      position = edges[position + columnOf[bytes[at]!]!]!
      if (position >= 0) continue
      position = ~position
      const row = position / width
      for (let end = ends[row] === 0 ? shorter[row]! : row; end !== 0; end = shorter[end]!) found(ends[end]! - 1)
    }
  }
}
