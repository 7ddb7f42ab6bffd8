// The lenses: from what was added up if there is no condition, and from rows otherwise.
import type { Database, Sql } from '../engines.ts'
import { DIMENSIONS, type Dimension } from './counts.ts'
import * as details from './details.store.ts'
import * as counted from './lens.ts'
import { type MergedSets, openMergedSets } from './merged-sets.ts'
import * as rows from './rows.store.ts'
import type { Chosen, Lenses, PageAt } from './types.ts'

/** Sets of visitors that are kept in memory, of all organisations together. */
const MERGED_BYTES_MAX = 64 * 1024 * 1024

const isCounted = (by: string): by is Dimension => by in DIMENSIONS
const usesCounts = ({ where }: Chosen, by = 'all') => where.length === 0 && isCounted(by)

export function openLenses(): Lenses {
  const merged = openMergedSets(MERGED_BYTES_MAX)
  return {
    first: counted.firstOf,
    figures: (db, chosen) =>
      usesCounts(chosen)
        ? inSnapshot(db, merged, chosen, lens => counted.figuresOf(lens, chosen))
        : rows.selectFigures(db, chosen),
    series: (db, chosen, times, asked) => {
      const { breakdown, hasSessions } = asked
      // Sessions are counted of everything, not of values.
      const needsRows = breakdown !== null && hasSessions
      if (needsRows || !usesCounts(chosen, breakdown?.by)) return rows.selectSeries(db, chosen, times.startsMs, asked)
      const by = breakdown && { dimension: breakdown.by as Dimension, values: breakdown.values }
      return inSnapshot(db, merged, chosen, lens => counted.seriesOf(lens, chosen, times, by))
    },
    top: (db, chosen, by, limit) =>
      usesCounts(chosen, by)
        ? inSnapshot(db, merged, chosen, lens => counted.topOf(lens, chosen, by as Dimension, limit))
        : rows.selectTop(db, chosen, by, limit),
    events: (db, chosen, page) =>
      usesCounts(chosen)
        ? inSnapshot(db, merged, chosen, lens => counted.namedOf(lens, chosen, 'event', 'events', page))
        : rows.selectNamed(db, chosen, 'event', 'events', page),
    errors: async (db, chosen, startsMs, page) => {
      const groups = usesCounts(chosen)
        ? await inSnapshot(db, merged, chosen, lens => counted.errorsOf(lens, chosen, startsMs, page))
        : await db.transaction(tx => errorsOfRows(tx, chosen, startsMs, page))
      const fingerprints = groups.map(({ fingerprint }) => fingerprint)
      const known = await details.selectErrorGroups(db, chosen, fingerprints)
      return groups.map(group => ({ ...(known.get(group.fingerprint) as details.KnownGroup), ...group }))
    },
    rows: details.selectRows,
  }
}

/** Transactions of the analytics profile are snapshots. */
const inSnapshot = <T>(
  db: Database,
  merged: MergedSets,
  { org }: Chosen,
  read: (lens: counted.Lens) => Promise<T>,
): Promise<T> => db.transaction(async tx => read(await counted.openLens(tx, merged, org)))

async function errorsOfRows(db: Sql, chosen: Chosen, startsMs: readonly number[], page: PageAt) {
  const where = [...chosen.where, { of: 'error', operator: 'set' as const, values: ['true'] }]
  const found = await rows.selectNamed(db, { ...chosen, where }, 'error', 'last', page)
  const breakdown = { by: 'error', values: found.map(({ value }) => value) }
  const series = await rows.selectSeries(db, chosen, startsMs, { breakdown, hasSessions: false })
  return found.map(({ value, events, visitors }) => ({
    ...{ fingerprint: value, count: events, people: visitors },
    counts: (series.get(value) ?? []).map(point => point.events),
  }))
}
