// Adds what was appended to the counts of its quarter of an hour, its day and its month. Until then, queries add it themselves:
// so appending only inserts rows, and a set of many visitors is not written again for each event.
import type { Sql, Tx } from '../engines.ts'
import { startOf } from './calendar.ts'
import * as store from './compact.store.ts'
import { openSet } from './distinct.ts'

/** The rows of one transaction. */
const DELTAS_MAX = 4_000

export const LEVELS = { quarter: 0, day: 1, month: 2 } as const

const ORGS_AT_ONCE = 100

/** An organisation with much to add up gets its turn again after all others. */
export async function addUp(
  db: Sql,
  write: <T>(work: (db: Tx) => Promise<T>) => Promise<T>,
  zoneOf: (org: string) => Promise<string>,
  signal: AbortSignal,
): Promise<void> {
  let isMore = true
  while (isMore && !signal.aborted) {
    isMore = false
    for (let after = ''; !signal.aborted; ) {
      const orgs = await store.selectOrgsWaiting(db, after, ORGS_AT_ONCE)
      for (const org of orgs) {
        if (signal.aborted) return
        const zone = await zoneOf(org)
        if ((await write(tx => compactOrg(tx, org, zone))) === DELTAS_MAX) isMore = true
      }
      if (orgs.length < ORGS_AT_ONCE) break
      after = orgs.at(-1) as string
    }
  }
}

/** Returns how many appended rows were added up; 0 if there are none, or if another process is adding them up. */
async function compactOrg(db: Tx, org: string, zone: string): Promise<number> {
  if (!(await store.tryCountsLock(db, org))) return 0
  const [deltas, built] = await Promise.all([store.selectDeltas(db, org, DELTAS_MAX), store.selectZone(db, org)])
  if (deltas.length === 0) return 0
  if (built === null) await store.insertZone(db, org, zone)
  const sums = sumsOf(deltas, built?.zone ?? zone)
  const existing = await store.selectSets(db, org, sums)
  await Promise.all([
    store.upsertCounts(
      db,
      org,
      sums.map((sum, at) => withVisitors(sum, existing[at] ?? null)),
    ),
    store.deleteDeltas(
      db,
      org,
      deltas.map(({ id }) => id),
    ),
  ])
  return deltas.length
}

/** By level, time, scope, dimension and value. */
function sumsOf(deltas: readonly store.DeltaRow[], zone: string): store.Sum[] {
  const sums = new Map<string, store.Sum>()
  const timesOf = openTimes(zone)
  for (const delta of deltas) {
    const { scope, dimension, value } = delta
    for (const [level, at] of timesOf(delta.at)) {
      const key = `${level}\0${at}\0${scope}\0${dimension}\0${value}`
      const sum = sums.get(key)
      if (sum) add(sum, delta)
      else sums.set(key, { ...delta, level, at, sets: [delta.visitors] })
    }
  }
  return [...sums.values()]
}

function add(sum: store.Sum, delta: store.DeltaRow): void {
  for (const name of ['events', 'pageviews', 'sessions', 'bounces', 'ms'] as const) sum[name] += delta[name]
  sum.amount = `${sum.amount}+${delta.amount}`
  if (delta.first < sum.first) sum.first = delta.first
  if (delta.last > sum.last) sum.last = delta.last
  sum.sets.push(delta.visitors)
}

function openTimes(zone: string) {
  const known = new Map<string, [level: number, at: string][]>()
  return (quarter: string) => {
    const found = known.get(quarter)
    if (found) return found
    const begun = (unit: 'day' | 'month') => new Date(startOf(zone, unit, Date.parse(quarter))).toISOString()
    const times: [number, string][] = [
      [LEVELS.quarter, quarter],
      [LEVELS.day, begun('day')],
      [LEVELS.month, begun('month')],
    ]
    known.set(quarter, times)
    return times
  }
}

function withVisitors(sum: store.Sum, existing: Buffer | null): store.Count {
  const all = openSet()
  if (existing) all.add(existing)
  for (const one of sum.sets) all.add(one)
  return { ...sum, people: all.distinct().count, visitors: all.bytes() }
}
