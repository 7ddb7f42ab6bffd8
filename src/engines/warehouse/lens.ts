// The lenses over everything that was counted, without a condition: from counts, of which there are few, not from rows.
import type { Sql } from '../engines.ts'
import * as compacted from './compact.store.ts'
import { LEVELS } from './compact.ts'
import { DIMENSIONS, type Dimension } from './counts.ts'
import { distinctIn, EXACT_MAX, hashesIn, openSet, SKETCH_ERROR } from './distinct.ts'
import * as store from './lens.store.ts'
import { type Built, piecesIn } from './pieces.ts'
import type { Chosen, Distinct, Of, PageAt, Point, Times, TopValue, Totals, UsageTotals } from './types.ts'

async function builtOf(db: Sql, org: string): Promise<Built | null> {
  const row = await compacted.selectZone(db, org)
  return row === null || row.added === null ? null : { zone: row.zone, addedMs: Date.parse(row.added) }
}

const ATTEMPTS = 3

/** Reads again if days and months were changed meanwhile. */
export async function readingBuilt<T>(db: Sql, org: string, read: (built: Built | null) => Promise<T>): Promise<T> {
  let built = await builtOf(db, org)
  for (let attempt = 1; ; attempt++) {
    const found = await read(built)
    if (built === null) return found
    const now = await builtOf(db, org)
    if (now?.zone === built.zone && now.addedMs === built.addedMs) return found
    // Quarters of an hour are never deleted.
    built = attempt === ATTEMPTS ? null : now
  }
}

export async function totalsOf(db: Sql, built: Built | null, chosen: Chosen): Promise<Totals> {
  const pieces = piecesIn(chosen, built)
  const rows = await store.selectEventCounts(db, chosen, DIMENSIONS.all, pieces)
  const groups = await visitorsOf(db, chosen, 'all', pieces, rows, () => '')
  return addedUp(rows, groups.get('') ?? NOBODY)
}

export async function revenueOf(db: Sql, built: Built | null, chosen: Chosen): Promise<Record<string, number>> {
  const pieces = piecesIn(chosen, built)
  const amounts: Record<string, number> = {}
  for (const { value, amount } of await store.selectEventCounts(db, chosen, DIMENSIONS.currency, pieces)) {
    amounts[value] = (amounts[value] ?? 0) + amount
  }
  return amounts
}

const NOBODY: Distinct = { count: 0, isExact: true }

function addedUp(rows: readonly store.CountRow[], visitors: Distinct): Totals {
  const sum = (name: 'events' | 'pageviews' | 'sessions' | 'bounces' | 'ms') =>
    rows.reduce((all, row) => all + row[name], 0)
  const [events, pageviews, sessions, bounces, ms] = [
    sum('events'),
    sum('pageviews'),
    sum('sessions'),
    sum('bounces'),
    sum('ms'),
  ]
  return { visitors, events, pageviews, sessions, bounces, ms }
}

/** The visitors of each group of rows. Sets are only read of groups with several rows: sketches of those with so many visitors that
 *  they cannot be counted exactly, and exact sets of others. */
async function visitorsOf(
  db: Sql,
  of: Of,
  dimension: Dimension,
  pieces: readonly store.Piece[],
  rows: readonly store.CountRow[],
  groupOf: (row: { at: string; value: string }) => string,
): Promise<Map<string, Distinct>> {
  const groups = Map.groupBy(rows, groupOf)
  const found = new Map<string, Distinct>()
  const [few, many] = [new Set<string>(), new Set<string>()]
  for (const [group, own] of groups) {
    const [{ people, visitors }] = own as [store.CountRow]
    if (own.length > 1) (own.reduce((sum, row) => sum + mostOf(row), 0) > EXACT_MAX ? many : few).add(group)
    else if (people !== null) found.set(group, { count: people, isExact: people <= EXACT_MAX })
    else found.set(group, distinctIn(visitors === null ? [] : [visitors]))
  }

  async function setsOf(names: ReadonlySet<string>, kind: 'exact' | 'fast'): Promise<[string, Distinct][]> {
    const own = rows.filter(row => names.has(groupOf(row)))
    const sets = new Map([...names].map(name => [name, openSet()]))
    for (const row of own) if (row.visitors !== null) sets.get(groupOf(row))?.add(row.visitors)
    const counted = own.filter(({ people }) => people !== null)
    if (counted.length > 0) {
      const wanted = piecesAround(
        pieces,
        counted.map(({ at }) => Date.parse(at)),
      )
      const values = [...new Set(counted.map(({ value }) => value))]
      const read = await store.selectVisitors(db, of, DIMENSIONS[dimension], wanted, values, kind)
      for (const row of read) sets.get(groupOf(row))?.add(row.visitors)
    }
    return [...sets].map(([name, set]) => [name, set.distinct()])
  }

  for (const [name, distinct] of await setsOf(many, 'fast')) {
    const isMany = distinct.count > EXACT_MAX * (1 + SKETCH_ERROR)
    const isLarge = groups.get(name)?.some(({ people }) => people !== null && people > EXACT_MAX)
    if (distinct.isExact || isMany || isLarge) found.set(name, distinct)
    else few.add(name)
  }
  for (const [name, distinct] of await setsOf(few, 'exact')) found.set(name, distinct)
  return found
}

const mostOf = ({ people, visitors }: store.CountRow) => people ?? (visitors === null ? 0 : hashesIn(visitors))

/** The pieces from the first to the last of the times. */
function piecesAround(pieces: readonly store.Piece[], times: readonly number[]): store.Piece[] {
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const ms of times) {
    first = Math.min(first, ms)
    last = Math.max(last, ms)
  }
  return pieces
    .filter(one => one.toMs > first && one.fromMs <= last)
    .map(one => ({ ...one, fromMs: Math.max(one.fromMs, first), toMs: Math.min(one.toMs, last + 1) }))
}

/** A series for each of the values, or one of everything. */
export async function seriesOf(
  db: Sql,
  built: Built | null,
  chosen: Chosen,
  times: Times,
  by: { dimension: Dimension; values: readonly string[] } | null,
): Promise<Map<string, Point[]>> {
  const isUsable = times.days !== null && times.days === built?.zone
  const pieces = piecesIn(chosen, isUsable ? built : null, times.isMonths ? LEVELS.month : LEVELS.day)
  const { dimension, values } = by ?? { dimension: 'all' as const, values: null }
  const rows = await store.selectEventCounts(db, chosen, DIMENSIONS[dimension], pieces, values)
  const pointOf = openPoints(times.startsMs)
  const groupOf = ({ at, value }: { at: string; value: string }) => `${pointOf(at)} ${by ? value : ''}`
  const visitors = await visitorsOf(db, chosen, dimension, pieces, rows, groupOf)
  const groups = Map.groupBy(rows, groupOf)
  return new Map(
    (values ?? ['']).map(value => [
      value,
      times.startsMs.slice(0, -1).map((atMs, at) => {
        const group = `${at} ${value}`
        return { atMs, ...addedUp(groups.get(group) ?? [], visitors.get(group) ?? NOBODY) }
      }),
    ]),
  )
}

/** The index of the point that a time belongs to. */
function openPoints(startsMs: readonly number[]) {
  const known = new Map<string, number>()
  return (at: string): number => {
    const found = known.get(at)
    if (found !== undefined) return found
    const ms = Date.parse(at)
    let [low, high] = [0, startsMs.length - 1]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((startsMs[middle] as number) <= ms) low = middle
      else high = middle
    }
    known.set(at, low)
    return low
  }
}

/** The values that are read at once, and how many at most. */
const CANDIDATES = 200
const CANDIDATES_MAX = 20_000

/** The values with the most visitors. Candidates are read in the order of the most visitors that each may have, until no further
 *  one can be among the first. */
export async function topOf(
  db: Sql,
  built: Built | null,
  chosen: Chosen,
  dimension: Dimension,
  limit: number,
): Promise<TopValue[]> {
  const pieces = piecesIn(chosen, built)
  let best: TopValue[] = []
  for (let offset = 0; offset < CANDIDATES_MAX; offset += CANDIDATES) {
    const found = await store.selectCandidates(db, chosen, DIMENSIONS[dimension], pieces, 'most', {
      offset,
      limit: CANDIDATES,
    })
    for (let at = 0; at < found.length; at += limit) {
      if (isDone(best, found[at] as store.Candidate, limit)) return best
      const some = found.slice(at, at + limit)
      const distinct = await distinctOf(db, chosen, dimension, pieces, some)
      const values = some.map(({ value, events, first, last }) => ({
        ...{ value, events, first, last },
        visitors: distinct.get(value) ?? NOBODY,
      }))
      best = [...best, ...values].sort(byVisitors).slice(0, limit)
    }
    if (found.length < CANDIDATES) break
  }
  return best
}

function isDone(best: readonly TopValue[], next: store.Candidate, limit: number): boolean {
  const last = best[limit - 1]
  if (!last) return false
  const [own, other] = [last.visitors.count, next.most]
  return own > other || (own === other && last.events > next.events)
}

const byVisitors = (a: TopValue, b: TopValue) =>
  b.visitors.count - a.visitors.count || b.events - a.events || (a.value < b.value ? -1 : 1)

async function distinctOf(
  db: Sql,
  of: Of,
  dimension: Dimension,
  pieces: readonly store.Piece[],
  candidates: readonly store.Candidate[],
): Promise<Map<string, Distinct>> {
  const known = candidates
    .filter(({ isExact }) => isExact)
    .map(({ value, most }): [string, Distinct] => [value, { count: most, isExact: most <= EXACT_MAX }])
  const values = candidates.filter(({ isExact }) => !isExact).map(({ value }) => value)
  if (values.length === 0) return new Map(known)
  const rows = await store.selectEventCounts(db, of, DIMENSIONS[dimension], pieces, values)
  const visitors = await visitorsOf(db, of, dimension, pieces, rows, ({ value }) => value)
  return new Map([...known, ...visitors])
}

/** When the first event happened; null if there is none. */
export const firstOf = (db: Sql, of: Of): Promise<string | null> => store.selectFirst(db, of, DIMENSIONS.all)

export async function modelUsageOf(db: Sql, built: Built | null, chosen: Chosen): Promise<UsageTotals> {
  const pieces = piecesIn(chosen, built)
  const [tokens, spend] = await Promise.all([
    store.selectEventCounts(db, chosen, DIMENSIONS.tokens, pieces),
    store.selectEventCounts(db, chosen, DIMENSIONS.spend, pieces),
  ])
  const sum = (rows: readonly store.CountRow[]) => rows.reduce((all, { amount }) => all + amount, 0)
  return { requests: tokens.reduce((all, { events }) => all + events, 0), tokens: sum(tokens), spend: sum(spend) }
}

/** Errors by fingerprint, those that happened last first, with their number from each of the times to the next. */
export async function errorsOf(
  db: Sql,
  built: Built | null,
  chosen: Chosen,
  startsMs: readonly number[],
  page: PageAt,
) {
  const pieces = piecesIn(chosen, built)
  const found = await store.selectCandidates(db, chosen, DIMENSIONS.error, pieces, 'last', page)
  const values = found.map(({ value }) => value)
  const distinct = await distinctOf(db, chosen, 'error', pieces, found)
  const counts = await countsOf(db, built, chosen, startsMs, values)
  return found.map(({ value, events }) => ({
    ...{ fingerprint: value, count: events, people: distinct.get(value) ?? NOBODY },
    counts: counts.get(value) ?? [],
  }))
}

/** How many errors of each fingerprint there are from each of the times to the next. */
async function countsOf(
  db: Sql,
  built: Built | null,
  chosen: Chosen,
  startsMs: readonly number[],
  fingerprints: readonly string[],
): Promise<Map<string, number[]>> {
  const pieces = startsMs.slice(0, -1).flatMap((fromMs, at) => {
    const [from, to] = [Math.max(fromMs, chosen.fromMs), Math.min(startsMs[at + 1] as number, chosen.toMs)]
    return piecesIn({ fromMs: from, toMs: to }, built, LEVELS.day)
  })
  const counts = new Map(fingerprints.map(one => [one, startsMs.slice(1).map(() => 0)]))
  const pointOf = openPoints(startsMs)
  for (const { value, at, events } of await store.selectEventCounts(
    db,
    chosen,
    DIMENSIONS.error,
    pieces,
    fingerprints,
  )) {
    const own = counts.get(value) as number[]
    const point = pointOf(at)
    own[point] = (own[point] as number) + events
  }
  return counts
}

/** The names of events, the most frequent first. */
export async function namedEventsOf(db: Sql, built: Built | null, chosen: Chosen, page: PageAt): Promise<TopValue[]> {
  const pieces = piecesIn(chosen, built)
  const found = await store.selectCandidates(db, chosen, DIMENSIONS.event, pieces, 'events', page)
  const distinct = await distinctOf(db, chosen, 'event', pieces, found)
  return found.map(({ value, events, first, last }) => ({
    ...{ value, events, first, last },
    visitors: distinct.get(value) ?? NOBODY,
  }))
}
