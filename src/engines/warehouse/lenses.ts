// The lenses: from what was added up if there is no condition, and from rows otherwise.
import type { Sql } from '../engines.ts'
import { DIMENSIONS, type Dimension } from './counts.ts'
import * as details from './details.store.ts'
import * as lens from './lens.ts'
import type { Built } from './pieces.ts'
import * as rows from './rows.store.ts'
import type { Chosen, Lenses, Of, PageAt, Point } from './types.ts'

const isCounted = (by: string): by is Dimension => by in DIMENSIONS
const usesCounts = ({ where }: Chosen, by = 'all') => where.length === 0 && isCounted(by)

type CountLens<C extends Of, More extends unknown[], T> = (
  db: Sql,
  built: Built | null,
  of: C,
  ...more: More
) => Promise<T>

const counted = <C extends Of, More extends unknown[], T>(db: Sql, of: C, read: CountLens<C, More, T>, ...more: More) =>
  lens.readingBuilt(db, of.org, built => read(db, built, of, ...more))

export const lenses: Lenses = {
  first: lens.firstOf,
  totals: (db, chosen) => (usesCounts(chosen) ? counted(db, chosen, lens.totalsOf) : rows.selectTotals(db, chosen)),
  revenue: (db, chosen) => (usesCounts(chosen) ? counted(db, chosen, lens.revenueOf) : rows.selectRevenue(db, chosen)),
  series: async (db, chosen, times) => {
    if (!usesCounts(chosen)) return rows.selectPoints(db, chosen, times.startsMs)
    return (await counted(db, chosen, lens.seriesOf, times, null)).get('') as Point[]
  },
  seriesBy: async (db, chosen, times, by, values) => {
    if (usesCounts(chosen, by)) return counted(db, chosen, lens.seriesOf, times, { dimension: by as Dimension, values })
    return seriesOfRows(db, chosen, times.startsMs, by, values)
  },
  top: (db, chosen, by, limit) =>
    usesCounts(chosen, by)
      ? counted(db, chosen, lens.topOf, by as Dimension, limit)
      : rows.selectTop(db, chosen, by, 'visitors', { offset: 0, limit }),
  events: (db, chosen, page) =>
    usesCounts(chosen)
      ? counted(db, chosen, lens.namedEventsOf, page)
      : rows.selectTop(db, chosen, 'event', 'events', page),
  usage: (db, chosen) => counted(db, chosen, lens.modelUsageOf),
  errors: async (db, chosen, startsMs, page) => {
    const groups = usesCounts(chosen)
      ? await counted(db, chosen, lens.errorsOf, startsMs, page)
      : await errorsOfRows(db, chosen, startsMs, page)
    const known = await details.selectErrorGroups(
      db,
      chosen,
      groups.map(({ fingerprint }) => fingerprint),
    )
    return groups.map(group => ({ ...(known.get(group.fingerprint) as details.KnownGroup), ...group }))
  },
  rows: details.selectRows,
}

async function errorsOfRows(db: Sql, chosen: Chosen, startsMs: readonly number[], page: PageAt) {
  const where = [...chosen.where, { of: 'error', operator: 'set' as const, values: ['true'] }]
  const found = await rows.selectTop(db, { ...chosen, where }, 'error', 'last', page)
  const values = found.map(({ value }) => value)
  const series = await seriesOfRows(db, chosen, startsMs, 'error', values)
  return found.map(({ value, events, visitors }) => ({
    ...{ fingerprint: value, count: events, people: visitors },
    counts: (series.get(value) ?? []).map(point => point.events),
  }))
}

async function seriesOfRows(
  db: Sql,
  chosen: Chosen,
  startsMs: readonly number[],
  by: string,
  values: readonly string[],
): Promise<Map<string, Point[]>> {
  const series = new Map<string, Point[]>()
  for (const value of values) {
    const where = [...chosen.where, { of: by, operator: 'is' as const, values: [value] }]
    series.set(value, await rows.selectPoints(db, { ...chosen, where }, startsMs))
  }
  return series
}
