// Adds what was appended to the counts of its quarter of an hour, and every hour those of the last hour to the days and months. Until
// then, queries add it themselves: so appending only inserts rows, and a set of many visitors is not written again for each event.
import type { Sql, Tx } from '../engines.ts'
import { startOf } from './calendar.ts'
import * as store from './compact.store.ts'
import { openSet, SKETCHED_MIN } from './distinct.ts'

/** The rows of one transaction, and of one query in it. */
const DELTAS_MAX = 4_000
const QUARTERS_MAX = 20_000
const HOUR_MS = 3_600_000

export const LEVELS = { quarter: 0, day: 1, month: 2 } as const

const ORGS_AT_ONCE = 100

type Write = <T>(work: (db: Tx) => Promise<T>) => Promise<T>

/** An organisation with much to add up gets its turn again after all others. */
export async function addUp(
  db: Sql,
  write: Write,
  zoneOf: (org: string) => Promise<string>,
  now: Date,
  signal: AbortSignal,
): Promise<void> {
  const hourMs = now.getTime() - (now.getTime() % HOUR_MS)
  let unfinished: string[] = []
  do {
    const turn = new Set([...unfinished, ...(await allWaiting(db))])
    unfinished = []
    for (const org of turn) {
      if (signal.aborted) return
      const zone = await zoneOf(org)
      const isBehind = await write(tx => addDays(tx, org, zone, hourMs))
      const isMore = await write(tx => compactOrg(tx, org))
      if (isBehind || isMore) unfinished.push(org)
    }
  } while (unfinished.length > 0)
}

async function allWaiting(db: Sql): Promise<string[]> {
  const all: string[] = []
  for (;;) {
    const orgs = await store.selectOrgsWaiting(db, all.at(-1) ?? '', ORGS_AT_ONCE)
    all.push(...orgs)
    if (orgs.length < ORGS_AT_ONCE) return all
  }
}

/** Returns whether there is more to add up. If another process is adding up, there is not. */
async function compactOrg(db: Tx, org: string): Promise<boolean> {
  if (!(await store.tryCountsLock(db, org))) return false
  const [counted, deltas] = await Promise.all([store.selectZone(db, org), store.selectDeltas(db, org, DELTAS_MAX)])
  if (counted === null) return false // Another process was adding its zone, and failed.
  const ids = deltas.map(({ id }) => id)
  await Promise.all([addTo(db, org, sumsOf(deltas, timesIn(counted))), store.deleteDeltas(db, org, ids)])
  return deltas.length === DELTAS_MAX
}

/** Adds quarters of an hour to their days and months, up to the present hour. Returns whether there is more to add. */
async function addDays(db: Tx, org: string, zone: string, hourMs: number): Promise<boolean> {
  if (!(await store.tryCountsLock(db, org))) return false
  const counted = await store.selectZone(db, org)
  const hour = new Date(hourMs).toISOString()
  if (counted?.zone !== zone) {
    await store.upsertZone(db, org, zone, counted === null ? hour : null)
    return counted !== null
  }
  if (counted.added === null) {
    if ((await store.deleteDays(db, org, DELTAS_MAX)) === DELTAS_MAX) return true
    await store.upsertZone(db, org, zone, (await store.selectFirstQuarter(db, org)) ?? hour)
    return true
  }
  if (counted.added >= hour) return false
  const until = await store.selectQuarterAfter(db, org, counted.added, hour, QUARTERS_MAX)
  const inZone = timesIn({ zone, added: until })
  const daysOf = (quarter: string) => inZone(quarter).filter(([level]) => level !== LEVELS.quarter)
  for (let last: store.Position | null = null; ; ) {
    const quarters: store.Added[] = await store.selectQuarters(
      db,
      org,
      { from: counted.added, until, last },
      DELTAS_MAX,
    )
    await addTo(db, org, sumsOf(quarters, daysOf))
    if (quarters.length < DELTAS_MAX) break
    last = quarters.at(-1) ?? null
  }
  await store.upsertZone(db, org, zone, until)
  return until < hour
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

/** Days and months count what happened before `added`. */
function timesIn({ zone, added }: store.CountedZone): TimesOf {
  const known = new Map<string, [level: number, at: string][]>()
  return quarter => {
    const found = known.get(quarter)
    if (found) return found
    const times: [number, string][] = [[LEVELS.quarter, quarter]]
    if (added !== null && quarter < added) {
      const begun = (unit: 'day' | 'month') => new Date(startOf(zone, unit, Date.parse(quarter))).toISOString()
      times.push([LEVELS.day, begun('day')], [LEVELS.month, begun('month')])
    }
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
