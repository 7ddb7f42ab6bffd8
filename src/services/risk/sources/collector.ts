// Collects the members of one document, independent of the order of its rows, and rejects the document if too many rows
// are unreadable. This check comes before any comparison of sizes: error pages often have as many lines as the list.
import { type Match, memberFrom } from '../match/match.ts'
import { requireHeap } from './heap.ts'
import { type Member, type Parsed, Unreadable, type Value } from './source.ts'
import { shortened } from './text.ts'

/** A single bad row among many is tolerated. A larger share, and so any in a short list, means it is not the list. */
const BAD_SHARE_MAX = 0.005
/** More than any known list has, and few enough for the heap of the worker thread. */
const ROWS_MAX = 3_000_000
/** How often the heap is checked, in rows. */
const HEAP_CHECK_ROWS = 50_000

export type Collector = {
  /** Adds a row in the source's spelling, or counts it as bad. */
  add(text: unknown, value: Value): void
  /** Adds a row whose key is canonical already. */
  keep(key: string, value: Value): void
  /** Counts a readable row that is deliberately left out. */
  drop(): void
  /** Counts an unreadable row. */
  bad(row: unknown): void
  done(): Parsed
}

export function openCollector(match: Match): Collector {
  const members = new Map<string, Member>()
  let rows = 0
  let dropped = 0
  let bad = 0
  let firstBad: unknown
  let lastBad = 0

  /** Rows are counted while reading, so that reading stops at the limit. */
  function count(): number {
    if (++rows > ROWS_MAX) throw new Unreadable(`The document has more than ${ROWS_MAX} rows`)
    if (rows % HEAP_CHECK_ROWS === 0) requireHeap()
    return rows
  }

  function keep(key: string, value: Value): void {
    count()
    const known = members.get(key)
    if (!known) members.set(key, { key, value })
    else if (known.value !== value) members.set(key, { key, value: merged(known.value, value) })
  }

  function countBad(row: unknown): void {
    lastBad = count()
    if (bad++ === 0) firstBad = row
  }

  return {
    keep,
    bad: countBad,
    add(text, value) {
      const key = typeof text === 'string' ? memberFrom(match, text) : null
      if (key === null) countBad(text)
      else keep(key, value)
    },
    drop() {
      count()
      dropped++
    },
    done() {
      if (bad > rows * BAD_SHARE_MAX) {
        throw new Unreadable(`${bad} of ${rows} rows cannot be read; ${firstBadText(firstBad)}`)
      }
      if (bad > 0 && lastBad === rows)
        throw new Unreadable('The last row cannot be read; the document may be truncated')
      if (members.size === 0) throw new Unreadable('The document has no usable member')
      return { members: sorted(members.values()), dropped }
    },
  }
}

/** In code-unit order, which does not depend on the locale. */
export function sorted(members: Iterable<Member>): Member[] {
  return [...members].sort((a, b) => (a.key < b.key ? -1 : 1))
}

/** Merges two rows of one member: all fields of both; of two values of a field, the first in code-unit order. */
function merged(one: Value, other: Value): Value {
  const value: Record<string, string> = { ...one }
  for (const [name, text] of Object.entries(other)) {
    const known = value[name]
    if (known === undefined || text < known) value[name] = text
  }
  return value
}

const SHOWN_MAX = 60

function firstBadText(row: unknown): string {
  if (row === undefined || row === null) return 'in the first the expected field is missing'
  const text = shortened(JSON.stringify(typeof row === 'string' ? row.slice(0, 2 * SHOWN_MAX) : row))
  return `the first is ${text.length <= SHOWN_MAX ? text : `${text.slice(0, SHOWN_MAX).toWellFormed()}…`}`
}
