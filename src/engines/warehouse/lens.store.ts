// The SQL of the lenses that read what was added up: rows of `event_counts` for the pieces of a time span, and what was appended
// since.
import { type Fragment, fragment, type Sql } from '../engines.ts'
import type { Of, PageAt } from './types.ts'

export type Span = { fromMs: number; toMs: number }
/** A part of a time span, and the level at which it is read. */
export type Piece = Span & { level: number }
/** A time span. `closed` is its part in whole days and months: visitors of that part hardly change. */
export type Parts = Span & { pieces: readonly Piece[]; closed: Span | null }

export type CountRow = {
  dimension: number
  at: string
  value: string
  events: number
  pageviews: number
  sessions: number
  bounces: number
  ms: number
  amount: number
  /** Null if it was appended since, so that `visitors` is there. An estimate, unless it is exact. */
  people: number | null
  isExact: boolean
  visitors: Buffer | null
}

const isoOf = (ms: number) => new Date(ms).toISOString()

function countedIn({ org, scopes }: Of, dimensions: readonly number[], pieces: readonly Piece[]): Fragment {
  const [levels, from, to] = [
    pieces.map(({ level }) => level),
    pieces.map(({ fromMs }) => isoOf(fromMs)),
    pieces.map(({ toMs }) => isoOf(toMs)),
  ]
  // Without the offset, all rows of a dimension would be read and compared with each piece.
  return fragment`unnest(${levels}::smallint[], ${from}::timestamptz[], ${to}::timestamptz[]) as piece (level, from_, to_)
    cross join lateral (select * from event_counts as c where org = ${org} and scope = any(${scopes})
      and dimension = any(${dimensions}::smallint[]) and c.level = piece.level and at >= from_ and at < to_ offset 0) as c`
}

const appendedIn = ({ org, scopes }: Of, dimensions: readonly number[], { fromMs, toMs }: Span) =>
  fragment`event_deltas where org = ${org} and scope = any(${scopes}) and dimension = any(${dimensions}::smallint[])
    and at >= ${isoOf(fromMs)} and at < ${isoOf(toMs)}`

const oneOf = (values: readonly string[] | null) =>
  values === null ? fragment`true` : fragment`value = any(${values}::text[])`

/** A former version accepted amounts whose sum is too large for a number. */
const NUMBERS = fragment`dimension, at, value, events, pageviews, sessions, bounces, ms,
  least(greatest(amount, -1e300), 1e300)::float8 as amount`

/** All rows of dimensions, or those of some values. */
export function selectEventCounts(
  db: Sql,
  of: Of,
  dimensions: readonly number[],
  parts: Parts,
  values: readonly string[] | null = null,
): Promise<CountRow[]> {
  return db<CountRow>`select ${NUMBERS}, people, visitors is not null as "isExact", null::bytea as visitors from ${countedIn(of, dimensions, parts.pieces)}
      where ${oneOf(values)}
    union all
    select ${NUMBERS}, null, true, visitors from ${appendedIn(of, dimensions, parts)} and ${oneOf(values)}`
}

/** How many events there are from each of the times to the next; the first of them is 1. */
export function selectEventsAt(
  db: Sql,
  of: Of,
  dimension: number,
  parts: Parts,
  startsMs: readonly number[],
  values: readonly string[],
): Promise<{ value: string; point: number; events: number }[]> {
  return db<{ value: string; point: number; events: number }>`
    select value, width_bucket(at, ${startsMs.map(isoOf)}::timestamptz[]) as point, sum(events)::bigint as events from (
      select value, at, events from ${countedIn(of, [dimension], parts.pieces)} where ${oneOf(values)}
      union all
      select value, at, events from ${appendedIn(of, [dimension], parts)} and ${oneOf(values)}
    ) as counted group by 1, 2`
}

export type SetRow = { at: string; value: string; events: number; visitors: Buffer }
/** Exact ones, as far as there are any, or those that are read fastest. */
export type SetKind = 'exact' | 'fast'

const SETS = { exact: fragment`coalesce(visitors, sketch)`, fast: fragment`coalesce(sketch, visitors)` }

/** The sets of visitors of what was added up. */
export function selectVisitorSets(
  db: Sql,
  of: Of,
  dimension: number,
  pieces: readonly Piece[],
  values: readonly string[],
  kind: SetKind,
): Promise<SetRow[]> {
  return db<SetRow>`select at, value, events, ${SETS[kind]} as visitors from ${countedIn(of, [dimension], pieces)}
    where ${oneOf(values)}`
}

/** The sets of what was appended since. */
export function selectAppendedSets(
  db: Sql,
  of: Of,
  dimension: number,
  span: Span,
  values: readonly string[],
): Promise<SetRow[]> {
  return db<SetRow>`select at, value, events, visitors from ${appendedIn(of, [dimension], span)} and ${oneOf(values)}`
}

/** How many visitors a value has: `most` is the sum of its rows. If there is only one row, it is their number; `isExact` unless that
 *  is an estimate. */
export type Counted = { value: string; most: number; isOne: boolean; isExact: boolean; closedEvents: number }
export type Candidate = Counted & { events: number; first: string; last: string }

/** The values of a dimension, those first that may have the most visitors, or that have the most events. */
export function selectCandidates(
  db: Sql,
  of: Of,
  dimension: number,
  parts: Parts,
  sortBy: 'most' | 'events' | 'last',
  { offset, limit }: PageAt,
): Promise<Candidate[]> {
  const order = {
    most: fragment`most desc, events desc, value collate "C"`,
    events: fragment`events desc, value collate "C"`,
    last: fragment`last desc, value collate "C"`,
  }[sortBy]
  const { fromMs, toMs } = parts.closed ?? { fromMs: 0, toMs: 0 }
  const isClosed = fragment`at >= ${isoOf(fromMs)} and at < ${isoOf(toMs)}`
  return db<Candidate>`select value, sum(events)::bigint as events, min(first) as first, max(last) as last,
      sum(people)::bigint as most, count(*) = 1 as "isOne", bool_and(is_exact) as "isExact", coalesce(sum(events) filter (where is_closed), 0)::bigint as "closedEvents"
    from (
      select value, events, people, visitors is not null as is_exact, first, last, ${isClosed} as is_closed from ${countedIn(of, [dimension], parts.pieces)}
      union all
      select value, events, (length(visitors) - 1) / 8, true, first, last, false from ${appendedIn(of, [dimension], parts)}
    ) as counted group by value order by ${order} limit ${limit} offset ${offset}`
}

/** When the first event happened. */
export async function selectFirst(db: Sql, { org, scopes }: Of, dimension: number): Promise<string | null> {
  const [row] = await db<{
    first: string | null
  }>`select min(first) as first from unnest(${scopes}::text[]) as of (name)
    cross join lateral (
      (select first from event_counts where org = ${org} and scope = of.name and dimension = ${dimension} and level = 0
        order by at limit 1)
      union all
      (select min(first) from event_deltas where org = ${org} and scope = of.name and dimension = ${dimension})) as firsts`
  return row?.first ?? null
}
