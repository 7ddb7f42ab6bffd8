// Gathers the members of one document, whatever the order of its rows, and refuses the document when too much of it
// cannot be read. That comes before any comparison of sizes: error pages often have as many lines as the list.
import { type Match, memberFrom } from '../match/match.ts'
import { requireHeap } from './heap.ts'
import { type Member, type Parsed, Unreadable, type Value } from './source.ts'
import { shortened } from './text.ts'

/** An odd row among many is a slip. A larger share of them, and so any in a short list, means it is not the list. */
const BAD_SHARE_MAX = 0.005
/** Beyond any list there is, and within what the thread can hold. */
const ROWS_MAX = 3_000_000
/** How often it is looked whether there is room for more. */
const HEAP_CHECK_ROWS = 50_000

export type Collector = {
  /** Keeps a row by the publisher's spelling of it, or counts it as bad. */
  add(text: unknown, value: Value): void
  /** Keeps a row that is canonical already. */
  keep(key: string, value: Value): void
  /** Counts a row that was read and is left out for a reason. */
  drop(): void
  /** Counts a row that cannot be read. */
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

  /** Counted while they are read, so that a document that never ends is not read to its end. */
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

  function markBad(row: unknown): void {
    lastBad = count()
    if (bad++ === 0) firstBad = row
  }

  return {
    keep,
    bad: markBad,
    add(text, value) {
      const key = typeof text === 'string' ? memberFrom(match, text) : null
      if (key === null) markBad(text)
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
      if (bad > 0 && lastBad === rows) throw new Unreadable('The last row cannot be read, as if the document broke off')
      if (members.size === 0) throw new Unreadable('The document has no member that can be used')
      return { members: sorted(members.values()), dropped }
    },
  }
}

/** In code-unit order, which is the same on every machine. */
export function sorted(members: Iterable<Member>): Member[] {
  return [...members].sort((a, b) => (a.key < b.key ? -1 : 1))
}

/** Of two rows about one member, every field either has, and of two texts the first in code-unit order. */
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
  if (row === undefined || row === null) return 'the first lacks what it should say'
  const text = shortened(JSON.stringify(typeof row === 'string' ? row.slice(0, 2 * SHOWN_MAX) : row))
  return `the first is ${text.length <= SHOWN_MAX ? text : `${text.slice(0, SHOWN_MAX).toWellFormed()}…`}`
}
