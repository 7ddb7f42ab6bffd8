// The SQL of the lenses that read what was added up: rows of `event_counts` for the pieces of a time span, and what was appended
// since.
import { fragment, type Sql } from '../engines.ts'
import type { Of, PageAt } from './types.ts'

/** A part of a time span, and the level at which it is read. */
export type Piece = { level: number; fromMs: number; toMs: number }

export type CountRow = {
  at: string
  value: string
  events: number
  pageviews: number
  sessions: number
  bounces: number
  ms: number
  amount: number
  first: string
  last: string
  /** Null if it was appended since, so that `visitors` is there. */
  people: number | null
  visitors: Buffer | null
}

const columns = (pieces: readonly Piece[]) =>
  [
    pieces.map(({ level }) => level),
    pieces.map(({ fromMs }) => new Date(fromMs).toISOString()),
    pieces.map(({ toMs }) => new Date(toMs).toISOString()),
  ] as const

/** All rows of a dimension, or those of some values. */
export function selectEventCounts(
  db: Sql,
  { org, scopes }: Of,
  dimension: number,
  pieces: readonly Piece[],
  values: readonly string[] | null = null,
): Promise<CountRow[]> {
  const [levels, from, to] = columns(pieces)
  return db<CountRow>`with piece as materialized (
      select * from unnest(${levels}::smallint[], ${from}::timestamptz[], ${to}::timestamptz[]) as p (level, from_, to_))
    select at, value, events, pageviews, sessions, bounces, ms, amount::float8 as amount, first, last, people, null as visitors
      from piece cross join lateral (select * from event_counts as c where c.org = ${org} and c.scope = any(${scopes})
        and c.dimension = ${dimension} and c.level = piece.level and c.at >= from_ and c.at < to_) as c
      where ${values}::text[] is null or value = any(${values}::text[])
    union all
    select at, value, events, pageviews, sessions, bounces, ms, amount::float8, first, last, null, visitors
      from piece cross join lateral (select * from event_deltas as d where d.org = ${org} and d.scope = any(${scopes})
        and d.dimension = ${dimension} and d.at >= from_ and d.at < to_) as d
      where ${values}::text[] is null or value = any(${values}::text[])`
}

export type SetRow = { at: string; value: string; visitors: Buffer }

/** The sets of visitors of what was added up: exact ones, of few visitors, or those that are read fastest. */
export function selectVisitors(
  db: Sql,
  { org, scopes }: Of,
  dimension: number,
  pieces: readonly Piece[],
  values: readonly string[],
  kind: 'exact' | 'fast',
): Promise<SetRow[]> {
  const [levels, from, to] = columns(pieces)
  const set = kind === 'exact' ? fragment`visitors` : fragment`coalesce(sketch, visitors)`
  return db<SetRow>`select at, value, ${set} as visitors
    from unnest(${levels}::smallint[], ${from}::timestamptz[], ${to}::timestamptz[]) as piece (level, from_, to_)
    cross join lateral (select * from event_counts as c where c.org = ${org} and c.scope = any(${scopes})
      and c.dimension = ${dimension} and c.level = piece.level and c.at >= from_ and c.at < to_) as c
    where value = any(${values}::text[])`
}

export type Candidate = {
  value: string
  events: number
  first: string
  last: string
  /** More visitors it cannot have. */
  most: number
  /** Whether it has exactly those, because there is one row of it. */
  isExact: boolean
}

/** The values of a dimension, those first that may have the most visitors, or that have the most events. */
export function selectCandidates(
  db: Sql,
  { org, scopes }: Of,
  dimension: number,
  pieces: readonly Piece[],
  sortBy: 'most' | 'events' | 'last',
  { offset, limit }: PageAt,
): Promise<Candidate[]> {
  const order = {
    most: fragment`most desc, events desc, value`,
    events: fragment`events desc, value`,
    last: fragment`last desc, value`,
  }[sortBy]
  const [levels, from, to] = columns(pieces)
  return db<Candidate>`with piece as materialized (
      select * from unnest(${levels}::smallint[], ${from}::timestamptz[], ${to}::timestamptz[]) as p (level, from_, to_)),
    counted as (
      select value, events, people, first, last from piece cross join lateral (
        select value, events, people, first, last from event_counts as c where c.org = ${org} and c.scope = any(${scopes})
          and c.dimension = ${dimension} and c.level = piece.level and c.at >= from_ and c.at < to_) as c
      union all
      select value, events, (length(visitors) - 1) / 8, first, last from piece cross join lateral (
        select * from event_deltas as d where d.org = ${org} and d.scope = any(${scopes})
          and d.dimension = ${dimension} and d.at >= from_ and d.at < to_) as d)
    select value, sum(events)::bigint as events, min(first) as first, max(last) as last, sum(people)::bigint as most,
      count(*) = 1 as "isExact"
    from counted group by value order by ${order} limit ${limit} offset ${offset}`
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
