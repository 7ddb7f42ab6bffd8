// The SQL of the lenses that read rows: those with conditions, and by properties.
import { type Fragment, fragment, type Sql } from '../engines.ts'
import { ALL } from './counts.ts'
import type { Chosen, Condition, Point, TopValue, Totals } from './types.ts'

/** An event is at most this much later than its arrival by our clock, so that older partitions need not be read. */
const AHEAD_MS = 6 * 60_000
const VALUE_CHARACTERS_MAX = 400

const isoOf = (ms: number) => new Date(ms).toISOString()
const NAMES: Record<string, Fragment> = {
  path: fragment`path`,
  source: fragment`source`,
  campaign: fragment`campaign`,
  country: fragment`country`,
  device: fragment`device`,
  browser: fragment`browser`,
  system: fragment`system`,
  release: fragment`release`,
  event: fragment`event`,
  error: fragment`fingerprint`,
}

/** What of an event is compared and grouped: a column, or a property as text. */
function textOf(of: string): Fragment {
  const column = NAMES[of]
  if (column) return column
  const name = of.slice('properties.'.length)
  return fragment`case when jsonb_typeof(properties -> ${name}) in ('string', 'number', 'boolean') then properties ->> ${name} end`
}

function conditionOf({ of, operator, values }: Condition): Fragment {
  const [text, [value = '']] = [textOf(of), values]
  const number = fragment`case when ${text} ~ '^-?[0-9]{1,30}([.][0-9]{1,30})?$' then (${text})::numeric end`
  switch (operator) {
    case 'is':
      return fragment`${text} = ${value}`
    case 'not':
      return fragment`${text} is distinct from ${value}`
    case 'contains':
      return fragment`strpos(${text}, ${value}) > 0`
    case 'starts':
      return fragment`starts_with(${text}, ${value})`
    case 'in':
      return fragment`${text} = any(${values}::text[])`
    case 'gt':
      return fragment`${number} > ${value}::numeric`
    case 'lt':
      return fragment`${number} < ${value}::numeric`
    case 'set':
      return value === 'false' ? fragment`${text} is null` : fragment`${text} is not null`
  }
}

function scopeOf({ scopes }: Chosen): Fragment {
  const projects = scopes.filter(scope => scope.startsWith('p:')).map(scope => scope.slice(2))
  const workspaces = scopes.filter(scope => scope.startsWith('w:')).map(scope => scope.slice(2))
  if (scopes.includes(ALL)) return fragment``
  return fragment`and (project = any(${projects}) or workspace = any(${workspaces}))`
}

/** The events that are chosen. */
export const chosenIn = (chosen: Chosen): Fragment =>
  chosen.where.reduce(
    (all, one) => fragment`${all} and ${conditionOf(one)}`,
    fragment`org = ${chosen.org} and timestamp >= ${isoOf(chosen.fromMs)} and timestamp < ${isoOf(chosen.toMs)}
      and received >= ${isoOf(chosen.fromMs - AHEAD_MS)} and visitor is not null ${scopeOf(chosen)}`,
  )

type TotalsRow = Omit<Totals, 'visitors'> & { visitors: number }

const withExact = <T extends { visitors: number }>(row: T) => ({
  ...row,
  visitors: { count: row.visitors, isExact: true },
})

/** By point; the sessions are those that began then. `startsMs` has the end of the last point too. Sessions are looked up one by
 *  one: a plan made for few rows would compare each event with each session. */
export async function selectPoints(db: Sql, chosen: Chosen, startsMs: readonly number[]): Promise<Point[]> {
  const starts = startsMs.map(isoOf)
  const fromMs = Math.max(chosen.fromMs, startsMs[0] as number)
  const toMs = Math.min(chosen.toMs, startsMs.at(-1) as number)
  const rows = await db<TotalsRow & { point: number }>`with chosen as materialized (
      select visitor, session, event, timestamp from events where ${chosenIn({ ...chosen, fromMs, toMs })}),
    counted as (
      select width_bucket(timestamp, ${starts}::timestamptz[]) as point, count(*) as events,
        count(*) filter (where event = '$pageview') as pageviews, count(distinct visitor) as visitors
      from chosen group by 1),
    visits as (
      select width_bucket(s.first, ${starts}::timestamptz[]) as point, count(*) as sessions,
        count(*) filter (where s.pageviews = 1 and s.last - s.first < interval '10 s') as bounces,
        sum(extract(epoch from s.last - s.first) * 1000) as ms
      from (select distinct session from chosen) as found cross join lateral (
        select first, last, pageviews from event_sessions where org = ${chosen.org} and id = found.session offset 0) as s
      where s.first >= ${isoOf(fromMs)} and s.first < ${isoOf(toMs)} group by 1)
    select point, coalesce(events, 0)::bigint as events, coalesce(pageviews, 0)::bigint as pageviews,
      coalesce(visitors, 0)::bigint as visitors, coalesce(sessions, 0)::bigint as sessions,
      coalesce(bounces, 0)::bigint as bounces, coalesce(ms, 0)::float8 as ms
    from counted full join visits using (point)`
  const byPoint = new Map(rows.map(({ point, ...row }) => [point, row]))
  const none = { events: 0, pageviews: 0, visitors: 0, sessions: 0, bounces: 0, ms: 0 }
  return startsMs.slice(0, -1).map((atMs, at) => ({ atMs, ...withExact(byPoint.get(at + 1) ?? none) }))
}

export async function selectTotals(db: Sql, chosen: Chosen): Promise<Totals> {
  const [{ atMs: _, ...totals }] = (await selectPoints(db, chosen, [chosen.fromMs, chosen.toMs])) as [Point]
  return totals
}

export async function selectRevenue(db: Sql, chosen: Chosen): Promise<Record<string, number>> {
  const rows = await db<{
    currency: string
    amount: number
  }>`select coalesce(currency, '') as currency, sum(revenue) as amount
    from events where ${chosenIn(chosen)} and revenue is not null group by 1`
  return Object.fromEntries(rows.map(({ currency, amount }) => [currency, amount]))
}

/** The values with the most visitors, or the most events. */
export async function selectTop(
  db: Sql,
  chosen: Chosen,
  by: string,
  sortBy: 'visitors' | 'events' | 'last',
  page: { offset: number; limit: number },
): Promise<TopValue[]> {
  const order = {
    visitors: fragment`visitors desc, events desc, value`,
    events: fragment`events desc, value`,
    last: fragment`last desc, value`,
  }[sortBy]
  const rows = await db<
    Omit<TopValue, 'visitors'> & { visitors: number }
  >`select left(value, ${VALUE_CHARACTERS_MAX}) as value,
      count(distinct visitor) as visitors, count(*) as events, min(timestamp) as first, max(timestamp) as last
    from (select ${textOf(by)} as value, visitor, timestamp from events where ${chosenIn(chosen)}) as chosen
    where value is not null group by 1 order by ${order} limit ${page.limit} offset ${page.offset}`
  return rows.map(withExact)
}
