// The number of distinct visitors of values: of sets of different times, which are merged. Those of whole days are kept in memory,
// because they hardly ever change.
import type { Sql } from '../engines.ts'
import { DIMENSIONS, type Dimension } from './counts.ts'
import { type Distinct, distinctIn, EXACT_MAX, openSet, SKETCH_ERROR } from './distinct.ts'
import * as store from './lens.store.ts'
import { splitBy } from './pieces.ts'
import type { Of } from './types.ts'

/** Merged sets, with the number of events in them. It only grows, so a set with that number is complete. */
type Merged = { events: number; bytes: Buffer; distinct: Distinct }
export type MergedSets = { get(key: string, events: number): Merged | null; set(key: string, merged: Merged): void }

/** What an entry needs besides its set. */
const ENTRY_BYTES = 500

/** Forgets the sets that were not used for the longest time. */
export function openMergedSets(bytesMax: number): MergedSets {
  const kept = new Map<string, Merged>()
  let bytes = 0
  const sizeOf = ({ bytes: { length } }: Merged) => length + ENTRY_BYTES
  function remove(key: string): Merged | null {
    const found = kept.get(key)
    if (!found) return null
    kept.delete(key)
    bytes -= sizeOf(found)
    return found
  }
  function add(key: string, merged: Merged): void {
    kept.set(key, merged)
    bytes += sizeOf(merged)
  }
  return {
    get: (key, events) => {
      const found = remove(key)
      if (found?.events !== events) return null
      add(key, found)
      return found
    },
    set: (key, merged) => {
      remove(key)
      add(key, merged)
      for (const oldest of kept.keys()) {
        if (bytes <= bytesMax) break
        remove(oldest)
      }
    },
  }
}

/** One snapshot of the database. */
export type Reading = { db: Sql; of: Of; merged: MergedSets; parts: store.Parts }

/** Sketches are read of values that may have too many visitors to be counted exactly; exact sets if the estimate is low. */
export async function distinctOf(
  reading: Reading,
  dimension: Dimension,
  counted: readonly store.Counted[],
): Promise<Map<string, Distinct>> {
  const found = new Map<string, Distinct>()
  for (const { value, most, isExact } of counted) {
    if (isExact) found.set(value, { count: most, isExact: most <= EXACT_MAX })
  }
  const unknown = counted.filter(({ isExact }) => !isExact)
  const many = unknown.filter(({ most }) => most > EXACT_MAX)
  for (const [value, distinct] of await unionsOf(reading, dimension, many, 'fast')) {
    if (distinct.isExact || distinct.count > EXACT_MAX * (1 + SKETCH_ERROR)) found.set(value, distinct)
  }
  const few = unknown.filter(({ value }) => !found.has(value))
  for (const [value, distinct] of await unionsOf(reading, dimension, few, 'exact')) found.set(value, distinct)
  return found
}

async function unionsOf(
  reading: Reading,
  dimension: Dimension,
  counted: readonly store.Counted[],
  kind: store.SetKind,
): Promise<[value: string, distinct: Distinct][]> {
  if (counted.length === 0) return []
  const { db, of, parts } = reading
  const values = counted.map(({ value }) => value)
  const [, open] = splitBy(parts.pieces, parts.closed)
  const [closed, added, appended] = await Promise.all([
    closedOf(reading, dimension, counted, kind),
    open.length === 0 ? [] : store.selectSets(db, of, DIMENSIONS[dimension], open, values, kind),
    store.selectAppendedSets(db, of, DIMENSIONS[dimension], parts, values),
  ])
  const rest = Map.groupBy([...added, ...appended], ({ value }) => value)
  return values.map(value => {
    const [known, own = []] = [closed.get(value), rest.get(value)]
    if (known && own.length === 0) return [value, known.distinct]
    return [value, distinctIn([...(known ? [known.bytes] : []), ...own.map(({ visitors }) => visitors)])]
  })
}

/** The merged sets of the closed part. */
async function closedOf(
  { db, of, merged, parts }: Reading,
  dimension: Dimension,
  counted: readonly store.Counted[],
  kind: store.SetKind,
): Promise<Map<string, Merged>> {
  const { closed } = parts
  const found = new Map<string, Merged>()
  if (closed === null) return found
  const [pieces] = splitBy(parts.pieces, closed)
  const where = `${of.org}\0${of.scopes.join()}\0${dimension}\0${kind}\0${closed.fromMs}\0${closed.toMs}`
  const keyOf = (value: string) => `${where}\0${value}`
  const missing = counted.filter(({ value, closedEvents }) => {
    const known = merged.get(keyOf(value), closedEvents)
    if (known) found.set(value, known)
    return known === null && closedEvents > 0
  })
  if (missing.length === 0) return found
  const values = missing.map(({ value }) => value)
  const rows = await store.selectSets(db, of, DIMENSIONS[dimension], pieces, values, kind)
  for (const [value, own] of Map.groupBy(rows, row => row.value)) {
    const set = openSet()
    for (const { visitors } of own) set.add(visitors)
    const events = own.reduce((sum, row) => sum + row.events, 0)
    const one = { events, bytes: set.bytes(), distinct: set.distinct() }
    found.set(value, one)
    merged.set(keyOf(value), one)
  }
  return found
}
