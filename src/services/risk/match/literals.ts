// Finds which of many literals occur in a text, in one pass (Aho and Corasick, 1975), ignoring the case of letters. The
// automaton has a row for each prefix of a literal and a column for each character that occurs in one.
import { KEY_BYTES_MAX } from './text.ts'

export type Literals = {
  /** The column of each ASCII character; 0 for those that occur in no literal. */
  columns: Uint8Array<ArrayBuffer>
  width: number
  /** The transitions by row and column. A target is the offset of its row in this array, complemented (so negative)
   *  if a literal ends there, which is rare. */
  edges: Int32Array<ArrayBuffer>
  /** The literal that ends in each row, counted from one; 0 for none. */
  ends: Uint32Array<ArrayBuffer>
  /** For each row the row of the longest shorter literal that is a suffix of it; 0 for none. */
  suffixes: Uint32Array<ArrayBuffer>
}

/** The literals must be distinct, ASCII and in lower case. */
export function buildLiterals(literals: readonly string[]): Literals {
  const columns = new Uint8Array(128)
  for (const char of new Set(literals.join(''))) columns[char.charCodeAt(0)] = 1
  let width = 1
  for (let code = 0; code < 128; code++) if (columns[code] === 1) columns[code] = width++
  // Literals are in lower case, so an upper-case letter shares the column of its lower case.
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
  const trie = { width, next: next.subarray(0, rows * width), ends: ends.slice(0, rows) }
  const suffixes = addFailureTransitions(trie)
  const isEnd = (row: number) => trie.ends[row] !== 0 || suffixes[row] !== 0
  const edges = Int32Array.from(trie.next, row => (isEnd(row) ? ~(row * width) : row * width))
  return { columns, width, edges, ends: trie.ends, suffixes }
}

/** The trie; `next` is the next row by row and column. */
type Trie = { width: number; next: Uint32Array; ends: Uint32Array }

/** Adds the failure transitions: to the longest suffix of the text read so far that is a prefix of a literal. */
function addFailureTransitions({ width, next, ends }: Trie): Uint32Array<ArrayBuffer> {
  const suffixes = new Uint32Array(ends.length)
  const failures = new Uint32Array(ends.length)
  const queue = new Uint32Array(ends.length)
  let queued = 1
  for (let head = 0; head < queued; head++) {
    const row = queue[head]!
    for (let column = 1; column < width; column++) {
      const edge = row * width + column
      const failure = row === 0 ? 0 : next[failures[row]! * width + column]!
      const child = next[edge]!
      // Row 0 is the root, so a child of 0 means none.
      if (child === 0) next[edge] = failure
      else {
        failures[child] = failure
        suffixes[child] = ends[failure] === 0 ? suffixes[failure]! : failure
        queue[queued++] = child
      }
    }
  }
  return suffixes
}

const encoder = new TextEncoder()

/** Calls `found` with the index of every literal in a short text, once per occurrence. */
export function openLiterals({ columns, width, edges, ends, suffixes }: Literals) {
  const columnOf = new Uint8Array(256)
  columnOf.set(columns)
  const bytes = new Uint8Array(KEY_BYTES_MAX)

  return (text: string, found: (literal: number) => void): void => {
    // Reading bytes from an array is several times faster than reading characters from a string.
    const { written } = encoder.encodeInto(text, bytes)
    let position = 0
    for (let at = 0; at < written; at++) {
      position = edges[position + columnOf[bytes[at]!]!]!
      if (position >= 0) continue
      position = ~position
      const row = position / width
      for (let end = ends[row] === 0 ? suffixes[row]! : row; end !== 0; end = suffixes[end]!) found(ends[end]! - 1)
    }
  }
}
