// The number of distinct visitors of values: of sets of different times, which are merged. Those of whole days are kept in memory,
// because they hardly ever change.
import type { Sql } from '../engines.ts'
import { LEVELS } from './compact.ts'
import { DIMENSIONS, type Dimension } from './counts.ts'
import { type Distinct, distinctIn, EXACT_MAX, openSet, SKETCH_ERROR } from './distinct.ts'
import * as store from './lens.store.ts'
import type { Merged, MergedSets } from './merged-sets.ts'
import { splitBy } from './pieces.ts'
import type { Of } from './types.ts'

/** One snapshot of the database. */
export type Reading = { db: Sql; of: Of; merged: MergedSets; parts: store.Parts }

/** An estimate above that is hardly ever of 10,000 visitors or fewer. */
const SURELY_MANY = EXACT_MAX * (1 + 1.5 * SKETCH_ERROR)

/** Sketches are read of values that may have too many visitors to be counted exactly; exact sets if the estimate is low. */
export async function distinctOf(
  reading: Reading,
  dimension: Dimension,
  counted: readonly store.Counted[],
): Promise<Map<string, Distinct>> {
  const found = new Map<string, Distinct>()
  for (const { value, most, isOne, isExact } of counted) if (isOne) found.set(value, { count: most, isExact })
  const unknown = counted.filter(({ isOne }) => !isOne)
  const many = unknown.filter(({ most }) => most > EXACT_MAX)
  for (const [value, distinct] of await unionsOf(reading, dimension, many, 'fast')) {
    if (distinct.isExact || distinct.count > SURELY_MANY) found.set(value, distinct)
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
  const all: [value: string, distinct: Distinct][] = []
  for (const portion of portionsOf(counted)) all.push(...(await unionsOfPortion(reading, dimension, portion, kind)))
  return all
}

/** How many visitors the values of a portion have together: their sets are in memory at once. */
const PORTION_VISITORS_MAX = 200_000

function* portionsOf(counted: readonly store.Counted[]): Generator<store.Counted[]> {
  let portion: store.Counted[] = []
  let visitors = 0
  for (const one of counted) {
    visitors += Math.min(one.most, EXACT_MAX)
    if (visitors > PORTION_VISITORS_MAX && portion.length > 0) {
      yield portion
      ;[portion, visitors] = [[], Math.min(one.most, EXACT_MAX)]
    }
    portion.push(one)
  }
  if (portion.length > 0) yield portion
}

async function unionsOfPortion(
  reading: Reading,
  dimension: Dimension,
  counted: readonly store.Counted[],
  kind: store.SetKind,
): Promise<[value: string, distinct: Distinct][]> {
  const { db, of, parts } = reading
  const values = counted.map(({ value }) => value)
  const closed = await closedOf(reading, dimension, counted, kind)
  const sets = new Map<string, ReturnType<typeof openSet>>()
  const add = ({ value, visitors }: store.SetRow) => {
    const set = sets.get(value) ?? openSet()
    sets.set(value, set)
    set.add(visitors)
  }
  const [, open] = splitBy(parts.pieces, parts.closed)
  await eachSet(db, of, dimension, open, values, kind, rows => rows.forEach(add))
  const appended = await store.selectAppendedSets(db, of, DIMENSIONS[dimension], parts, values)
  appended.forEach(add)
  return values.map(value => {
    const [known, set] = [closed.get(value), sets.get(value)]
    if (known && set) set.add(known.bytes)
    return [value, set?.distinct() ?? known?.distinct ?? distinctIn([])]
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
  const missing = new Map<string, { events: number; set: ReturnType<typeof openSet> }>()
  for (const { value, closedEvents } of counted) {
    const known = merged.get(keyOf(value), closedEvents)
    if (known) found.set(value, known)
    else if (closedEvents > 0) missing.set(value, { events: 0, set: openSet() })
  }
  await eachSet(db, of, dimension, pieces, [...missing.keys()], kind, rows => {
    for (const { value, events, visitors } of rows) {
      const one = missing.get(value) as { events: number; set: ReturnType<typeof openSet> }
      one.events += events
      one.set.add(visitors)
    }
  })
  for (const [value, { events, set }] of missing) {
    const one = { events, bytes: set.bytes(), distinct: set.distinct() }
    found.set(value, one)
    merged.set(keyOf(value), one)
  }
  return found
}

/** How many sets are read at once: a set has up to 80 kB, and other requests go on in between. */
const SETS_AT_ONCE = 200
const STEPS_MS: Record<number, number> = {
  [LEVELS.quarter]: 15 * 60_000,
  [LEVELS.day]: 86_400_000,
  [LEVELS.month]: 28 * 86_400_000,
}

/** Reads sets in portions, in the order of time. */
export async function eachSet(
  db: Sql,
  of: Of,
  dimension: Dimension,
  pieces: readonly store.Piece[],
  values: readonly string[],
  kind: store.SetKind,
  add: (rows: readonly store.SetRow[]) => void,
): Promise<void> {
  if (values.length === 0) return
  let room = SETS_AT_ONCE
  let slices: store.Piece[] = []
  const read = async () => {
    add(await store.selectVisitorSets(db, of, DIMENSIONS[dimension], slices, values, kind))
    ;[slices, room] = [[], SETS_AT_ONCE]
  }
  for (const { level, fromMs, toMs } of pieces) {
    const stepMs = STEPS_MS[level] as number
    for (let at = fromMs; at < toMs; ) {
      const steps = Math.max(1, Math.floor(room / values.length))
      const end = Math.min(toMs, at + steps * stepMs)
      slices.push({ level, fromMs: at, toMs: end })
      room -= Math.ceil((end - at) / stepMs) * values.length
      at = end
      if (room < values.length) await read()
    }
  }
  if (slices.length > 0) await read()
}
