// Adds what was appended to the counts of its quarter of an hour, its day and its month. Until then, queries add it themselves:
// so appending only inserts rows, and a set of many visitors is not written again for each event.
import type { Sql, Tx } from '../engines.ts'
import { startOf } from './calendar.ts'
import * as store from './compact.store.ts'
import { openSet, SKETCHED_MIN } from './distinct.ts'

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
        if (await write(tx => compactOrg(tx, org, zone))) isMore = true
      }
      if (orgs.length < ORGS_AT_ONCE) break
      after = orgs.at(-1) as string
    }
  }
}

/** Returns whether there is more to add up. If another process is adding up, there is not. */
async function compactOrg(db: Tx, org: string, zone: string): Promise<boolean> {
  if (!(await store.tryCountsLock(db, org))) return false
  const counted = await store.selectZone(db, org)
  if (counted === null) await store.insertZone(db, org, zone)
  else if (counted.zone !== zone) return isMoreAfter(store.changeZone(db, org, zone))
  else if (counted.state === 'deleting') return isMoreAfter(deleteDays(db, org))
  else if (counted.state === 'adding') return isMoreAfter(addDays(db, org, counted))
  const deltas = await store.selectDeltas(db, org, DELTAS_MAX)
  if (deltas.length === 0) return false
  const ids = deltas.map(({ id }) => id)
  await Promise.all([addTo(db, org, sumsOf(deltas, timesIn(zone))), store.deleteDeltas(db, org, ids)])
  return deltas.length === DELTAS_MAX
}

async function isMoreAfter(work: Promise<void>): Promise<true> {
  await work
  return true
}

async function deleteDays(db: Tx, org: string): Promise<void> {
  if ((await store.deleteDays(db, org, DELTAS_MAX)) < DELTAS_MAX) await store.setZoneState(db, org, 'adding', null)
}

/** Adds quarters of an hour to the days and months of a new zone. What was appended since waits, so that it is not added twice. */
async function addDays(db: Tx, org: string, { zone, ...added }: store.CountedZone): Promise<void> {
  const { rows, isLast } = await store.selectQuarters(db, org, added, DELTAS_MAX)
  const inZone = timesIn(zone)
  const daysOf = (quarter: string) => inZone(quarter).filter(([level]) => level !== LEVELS.quarter)
  await addTo(db, org, sumsOf(rows, daysOf))
  await (isLast
    ? store.setZoneState(db, org, 'built', null)
    : store.setZoneState(db, org, 'adding', rows.at(-1) ?? null))
}

async function addTo(db: Tx, org: string, sums: readonly store.Sum[]): Promise<void> {
  const existing = await store.selectSets(db, org, sums)
  await store.upsertCounts(
    db,
    org,
    sums.map((sum, at) => withVisitors(sum, existing[at] ?? null)),
  )
}

/** By level, time, scope, dimension and value. */
function sumsOf(deltas: readonly store.Added[], timesOf: TimesOf): store.Sum[] {
  const sums = new Map<string, store.Sum>()
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

function add(sum: store.Sum, delta: store.Added): void {
  for (const name of ['events', 'pageviews', 'sessions', 'bounces', 'ms'] as const) sum[name] += delta[name]
  sum.amount = `${sum.amount}+${delta.amount}`
  if (delta.first < sum.first) sum.first = delta.first
  if (delta.last > sum.last) sum.last = delta.last
  sum.sets.push(delta.visitors)
}

/** The levels at which something of a quarter of an hour is counted, and the beginnings there. */
type TimesOf = (quarter: string) => [level: number, at: string][]

function timesIn(zone: string): TimesOf {
  const known = new Map<string, [level: number, at: string][]>()
  return quarter => {
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
  const { count, isExact } = all.distinct()
  const sketch = count > SKETCHED_MIN ? all.sketch() : null
  return { ...sum, people: count, visitors: isExact ? all.bytes() : null, sketch }
}
