// The lenses over everything that was counted, without a condition: from counts, of which there are few, not from rows.
import type { Sql } from '../engines.ts'
import * as compacted from './compact.store.ts'
import { LEVELS } from './compact.ts'
import { DIMENSIONS, type Dimension } from './counts.ts'
import { type Distinct, hashesIn, openSet } from './distinct.ts'
import * as store from './lens.store.ts'
import type { MergedSets } from './merged-sets.ts'
import { type Built, partsOf } from './pieces.ts'
import type { Chosen, Figures, Of, PageAt, Point, Times, Top, TopValue, Totals } from './types.ts'
import { distinctOf, eachSet, type Reading } from './visitors.ts'

/** Snapshots, so that counts and sets are of the same moment. */
export type Lens = { db: Sql; merged: MergedSets; built: Built | null }

export async function openLens(db: Sql, merged: MergedSets, org: string): Promise<Lens> {
  const row = await compacted.selectZone(db, org)
  const built = row === null || row.added === null ? null : { zone: row.zone, addedMs: Date.parse(row.added) }
  return { db, merged, built }
}

const readingOf = ({ db, merged, built }: Lens, chosen: Chosen): Reading => ({
  ...{ db, merged, of: chosen },
  parts: partsOf(chosen, built),
})

const NOBODY: Distinct = { count: 0, isExact: true }

export async function figuresOf(lens: Lens, chosen: Chosen): Promise<Figures> {
  const reading = readingOf(lens, chosen)
  const { all, currency, tokens, spend } = DIMENSIONS
  const rows = await store.selectEventCounts(lens.db, chosen, [all, currency, tokens, spend], reading.parts)
  const of = (dimension: number) => rows.filter(row => row.dimension === dimension)
  const revenue: Record<string, number> = {}
  for (const { value, amount } of of(currency)) revenue[value] = (revenue[value] ?? 0) + amount
  const sum = (dimension: number) => of(dimension).reduce((total, { amount }) => total + amount, 0)
  const requests = of(tokens).reduce((total, { events }) => total + events, 0)
  return {
    ...addedUp(of(all), await everybodyOf(reading, of(all))),
    ...{ revenue, usage: { requests, tokens: sum(tokens), spend: sum(spend) } },
  }
}

/** All visitors, from the rows of everything. */
async function everybodyOf(reading: Reading, rows: readonly store.CountRow[]): Promise<Distinct> {
  if (rows.length === 0) return NOBODY
  const { fromMs, toMs } = reading.parts.closed ?? { fromMs: 0, toMs: 0 }
  const isClosed = ({ people, at }: store.CountRow) =>
    people !== null && Date.parse(at) >= fromMs && Date.parse(at) < toMs
  const closedEvents = rows.reduce((sum, row) => sum + (isClosed(row) ? row.events : 0), 0)
  const most = rows.reduce((sum, row) => sum + mostOf(row), 0)
  const isExact = rows.every(row => row.isExact)
  const counted = { value: '', most, isOne: rows.length === 1, isExact, closedEvents }
  return (await distinctOf(reading, 'all', [counted])).get('') as Distinct
}

const mostOf = ({ people, visitors }: store.CountRow) => people ?? (visitors === null ? 0 : hashesIn(visitors))

function addedUp(rows: readonly store.CountRow[], visitors: Distinct): Totals {
  const totals = { visitors, events: 0, pageviews: 0, sessions: 0, bounces: 0, ms: 0 }
  for (const row of rows) {
    totals.events += row.events
    totals.pageviews += row.pageviews
    totals.sessions += row.sessions
    totals.bounces += row.bounces
    totals.ms += row.ms
  }
  return totals
}

/** A series for each of the values, or one of everything. */
export async function seriesOf(
  { db, built }: Lens,
  chosen: Chosen,
  times: Times,
  by: { dimension: Dimension; values: readonly string[] } | null,
): Promise<Map<string, Point[]>> {
  const isUsable = times.days !== null && times.days === built?.zone
  const parts = partsOf(chosen, isUsable ? built : null, times.isMonths ? LEVELS.month : LEVELS.day)
  const { dimension, values } = by ?? { dimension: 'all' as const, values: null }
  const rows = await store.selectEventCounts(db, chosen, [DIMENSIONS[dimension]], parts, values)
  const pointOf = openPoints(times.startsMs)
  const groupOf = ({ at, value }: { at: string; value: string }) => `${pointOf(at)} ${by ? value : ''}`
  const groups = Map.groupBy(rows, groupOf)
  const visitors = await visitorsOf(db, chosen, dimension, parts, groups, groupOf)
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

/** The visitors of each group of rows. Sets are read of groups with several rows, which are forgotten when their point is over. */
async function visitorsOf(
  db: Sql,
  of: Of,
  dimension: Dimension,
  { pieces }: store.Parts,
  groups: ReadonlyMap<string, readonly store.CountRow[]>,
  groupOf: (row: { at: string; value: string }) => string,
): Promise<Map<string, Distinct>> {
  const found = new Map<string, Distinct>()
  const open = new Map<string, { set: ReturnType<typeof openSet>; left: number }>()
  const several: store.CountRow[] = []
  for (const [group, rows] of groups) {
    const [{ people, isExact }] = rows as [store.CountRow]
    if (rows.length === 1 && people !== null) {
      found.set(group, { count: people, isExact })
      continue
    }
    const set = openSet()
    for (const { visitors } of rows) if (visitors !== null) set.add(visitors)
    const counted = rows.filter(row => row.people !== null)
    if (counted.length === 0) found.set(group, set.distinct())
    else open.set(group, { set, left: counted.length })
    several.push(...counted)
  }
  if (several.length === 0) return found
  const values = [...new Set(several.map(({ value }) => value))]
  await eachSet(db, of, dimension, around(pieces, several), values, 'exact', rows => {
    for (const row of rows) {
      const group = groupOf(row)
      const one = open.get(group)
      if (!one) continue
      one.set.add(row.visitors)
      if (--one.left > 0) continue
      found.set(group, one.set.distinct())
      open.delete(group)
    }
  })
  return found
}

/** The pieces from the first to the last of the rows. */
function around(pieces: readonly store.Piece[], rows: readonly store.CountRow[]): store.Piece[] {
  const times = rows.map(({ at }) => at).sort()
  const [first, last] = [times[0], times.at(-1)].map(at => Date.parse(at as string)) as [number, number]
  return pieces
    .filter(one => one.toMs > first && one.fromMs <= last)
    .map(one => ({ ...one, fromMs: Math.max(one.fromMs, first), toMs: Math.min(one.toMs, last + 1) }))
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

/** The values of the first page, of which each has four times as many as the one before, and of all of them. */
const CANDIDATES = 200
const CANDIDATES_MAX = 20_000

/** The values with the most visitors. Candidates are read in the order of the most visitors that each may have, until no further
 *  one can be among the first. */
export async function topOf(lens: Lens, chosen: Chosen, dimension: Dimension, limit: number): Promise<Top> {
  const reading = readingOf(lens, chosen)
  const { all } = DIMENSIONS
  const everybody = await everybodyOf(reading, await store.selectEventCounts(lens.db, chosen, [all], reading.parts))
  let best: TopValue[] = []
  let count = limit
  for (let page = { offset: 0, limit: CANDIDATES }; page.offset < CANDIDATES_MAX; ) {
    const found = await store.selectCandidates(lens.db, chosen, DIMENSIONS[dimension], reading.parts, 'most', page)
    for (let at = 0; at < found.length; at += count, count *= 2) {
      if (isDone(best, found[at] as store.Candidate, limit)) return { values: best, all: everybody }
      const values = await withDistinct(reading, dimension, found.slice(at, at + count))
      best = [...best, ...values].sort(byVisitors).slice(0, limit)
    }
    if (found.length < page.limit) break
    page = { offset: page.offset + page.limit, limit: page.limit * 4 }
  }
  return { values: best, all: everybody }
}

/** Whether neither the next candidate nor one after it can be among the best: they have at most as many visitors, and those with
 *  as many are in order. */
function isDone(best: readonly TopValue[], next: store.Candidate, limit: number): boolean {
  const last = best[limit - 1]
  return last !== undefined && byVisitors(last, { ...next, visitors: { count: next.most, isExact: true } }) < 0
}

const byVisitors = (a: TopValue, b: TopValue) =>
  b.visitors.count - a.visitors.count || b.events - a.events || (a.value < b.value ? -1 : 1)

async function withDistinct(
  reading: Reading,
  dimension: Dimension,
  candidates: readonly store.Candidate[],
): Promise<TopValue[]> {
  const distinct = await distinctOf(reading, dimension, candidates)
  return candidates.map(({ value, events, first, last }) => ({
    ...{ value, events, first, last },
    visitors: distinct.get(value) ?? NOBODY,
  }))
}

/** When the first event happened; null if there is none. */
export const firstOf = (db: Sql, of: Of): Promise<string | null> => store.selectFirst(db, of, DIMENSIONS.all)

/** Errors by fingerprint, those that happened last first, with their number from each of the times to the next. */
export async function errorsOf(lens: Lens, chosen: Chosen, startsMs: readonly number[], page: PageAt) {
  const found = await namedOf(lens, chosen, 'error', 'last', page)
  const values = found.map(({ value }) => value)
  const counts = await countsOf(lens, chosen, startsMs, values)
  return found.map(({ value, events, visitors }) => ({
    ...{ fingerprint: value, count: events, people: visitors },
    counts: counts.get(value) ?? [],
  }))
}

/** How many errors of each fingerprint there are from each of the times to the next. */
async function countsOf(
  { db, built }: Lens,
  chosen: Chosen,
  startsMs: readonly number[],
  fingerprints: readonly string[],
): Promise<Map<string, number[]>> {
  const pieces = startsMs.slice(0, -1).flatMap((fromMs, at) => {
    const span = { fromMs: Math.max(fromMs, chosen.fromMs), toMs: Math.min(startsMs[at + 1] as number, chosen.toMs) }
    return span.fromMs < span.toMs ? partsOf(span, built, LEVELS.day).pieces : []
  })
  const counts = new Map(fingerprints.map(one => [one, startsMs.slice(1).map(() => 0)]))
  const { fromMs, toMs } = chosen
  const parts = { fromMs, toMs, pieces, closed: null }
  const found = await store.selectEventsAt(db, chosen, DIMENSIONS.error, parts, startsMs, fingerprints)
  for (const { value, point, events } of found) (counts.get(value) as number[])[point - 1] = events
  return counts
}

/** The values of a dimension, the most frequent first, or those that occurred last. */
export async function namedOf(
  lens: Lens,
  chosen: Chosen,
  dimension: Dimension,
  sortBy: 'events' | 'last',
  page: PageAt,
): Promise<TopValue[]> {
  const reading = readingOf(lens, chosen)
  const found = await store.selectCandidates(lens.db, chosen, DIMENSIONS[dimension], reading.parts, sortBy, page)
  return withDistinct(reading, dimension, found)
}
