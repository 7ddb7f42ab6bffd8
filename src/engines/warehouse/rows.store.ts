// The SQL of the lenses that read rows: those with conditions, and by properties.
import { type Fragment, fragment, type Sql } from '../engines.ts'
import { ALL } from './counts.ts'
import type { Breakdown, Chosen, Condition, Figures, PageAt, Point, Top, TopValue, Totals } from './types.ts'

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

const NAMED_PROPERTY = 'properties.'
const nameIn = (of: string) => of.slice(NAMED_PROPERTY.length)
const isText = (name: string) => fragment`jsonb_typeof(properties -> ${name}) in ('string', 'number', 'boolean')`

/** A number in JSON has any number of digits; a text that is one is bounded. */
const isNumber = (of: string) =>
  of in NAMES ? fragment`false` : fragment`jsonb_typeof(properties -> ${nameIn(of)}) = 'number'`

/** What of an event is compared and grouped: a column, or a property as text. */
function textOf(of: string): Fragment {
  const name = nameIn(of)
  return NAMES[of] ?? fragment`case when ${isText(name)} then properties ->> ${name} end`
}

/** The type of a property is looked up only if its text is equal. */
function isAnyOf(of: string, values: readonly string[]): Fragment {
  const [column, name] = [NAMES[of], nameIn(of)]
  if (column) return fragment`${column} = any(${values}::text[])`
  return fragment`properties ->> ${name} = any(${values}::text[]) and ${isText(name)}`
}

function conditionOf({ of, operator, values }: Condition): Fragment {
  const [text, [value = '']] = [textOf(of), values]
  const number = fragment`case when ${isNumber(of)} or ${text} ~ '^-?[0-9]{1,30}([.][0-9]{1,30})?$' then (${text})::numeric end`
  switch (operator) {
    case 'is':
    case 'in':
      return isAnyOf(of, values)
    case 'not':
      return fragment`${text} is distinct from ${value}`
    case 'contains':
      return fragment`strpos(${text}, ${value}) > 0`
    case 'starts':
      return fragment`starts_with(${text}, ${value})`
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

/** In groups, and equal to those of a breakdown. Columns are short. */
const shortOf = (by: string) => NAMES[by] ?? fragment`left(${textOf(by)}, ${VALUE_CHARACTERS_MAX})`

const exact = (count: number) => ({ count, isExact: true })

type PointRow = Omit<Totals, 'visitors'> & { value: string; point: number; visitors: number; revenue: string | null }
type Asked = { breakdown: Breakdown | null; hasSessions: boolean; hasRevenue?: boolean }

/** By value and point, from one reading of the events. Sessions are those that began then; they are looked up one by one: a plan
 *  made for few rows would compare each event with each session. */
async function selectPoints(
  db: Sql,
  chosen: Chosen,
  startsMs: readonly number[],
  { breakdown, hasSessions, hasRevenue = false }: Asked,
): Promise<PointRow[]> {
  const starts = startsMs.map(isoOf)
  const fromMs = Math.max(chosen.fromMs, startsMs[0] as number)
  const toMs = Math.min(chosen.toMs, startsMs.at(-1) as number)
  const value = breakdown ? shortOf(breakdown.by) : fragment`''`
  const wanted = breakdown ? fragment`and ${value} = any(${breakdown.values}::text[])` : fragment``
  const visits = hasSessions
    ? fragment`select value, width_bucket(s.first, ${starts}::timestamptz[]) as point, count(*) as sessions,
          count(*) filter (where s.pageviews = 1 and s.last - s.first < interval '10 s') as bounces,
          sum(extract(epoch from s.last - s.first) * 1000) as ms
        from (select value, session from chosen group by 1, 2) as found cross join lateral (
          select first, last, pageviews from event_sessions where org = ${chosen.org} and id = found.session offset 0) as s
        where s.first >= ${isoOf(fromMs)} and s.first < ${isoOf(toMs)} group by 1, 2`
    : fragment`select '' as value, 0 as point, 0 as sessions, 0 as bounces, 0 as ms where false`
  const revenue = hasRevenue
    ? fragment`(select json_object_agg(currency, amount)::text from (select coalesce(currency, '') as currency,
          sum(revenue::text::numeric) as amount from chosen where revenue is not null group by 1) as paid)`
    : fragment`null`
  const isRepeated = hasSessions || hasRevenue ? fragment`materialized` : fragment`not materialized`
  return db<PointRow>`with chosen as ${isRepeated} (
      select width_bucket(timestamp, ${starts}::timestamptz[]) as point, ${value} as value, visitor, session,
        event = '$pageview' as is_pageview, revenue, currency
      from events where ${chosenIn({ ...chosen, fromMs, toMs })} ${wanted}),
    people as (
      select value, point, visitor, count(*) as events, count(*) filter (where is_pageview) as pageviews
      from chosen group by 1, 2, 3),
    counted as (
      select value, point, sum(events) as events, sum(pageviews) as pageviews, count(*) as visitors from people group by 1, 2),
    visits as (${visits})
    select value, point, coalesce(events, 0)::bigint as events, coalesce(pageviews, 0)::bigint as pageviews,
      coalesce(visitors, 0)::bigint as visitors, coalesce(sessions, 0)::bigint as sessions,
      coalesce(bounces, 0)::bigint as bounces, coalesce(ms, 0)::float8 as ms, ${revenue} as revenue
    from counted full join visits using (value, point)`
}

const NOTHING = { events: 0, pageviews: 0, visitors: exact(0), sessions: 0, bounces: 0, ms: 0 }

export async function selectSeries(
  db: Sql,
  chosen: Chosen,
  startsMs: readonly number[],
  asked: Asked,
): Promise<Map<string, Point[]>> {
  const values = asked.breakdown?.values ?? ['']
  const series = new Map(
    values.map(value => [value, startsMs.slice(0, -1).map((atMs): Point => ({ atMs, ...NOTHING }))]),
  )
  for (const { value, point, visitors, revenue: _, ...totals } of await selectPoints(db, chosen, startsMs, asked)) {
    const points = series.get(value) as Point[]
    points[point - 1] = { atMs: startsMs[point - 1] as number, ...totals, visitors: exact(visitors) }
  }
  return series
}

export async function selectFigures(db: Sql, chosen: Chosen): Promise<Figures> {
  const startsMs = [chosen.fromMs, chosen.toMs]
  const [row] = await selectPoints(db, chosen, startsMs, { breakdown: null, hasSessions: true, hasRevenue: true })
  if (!row) return { ...NOTHING, revenue: {}, usage: null }
  const { value: _, point: __, visitors, revenue, ...totals } = row
  return { ...totals, visitors: exact(visitors), revenue: JSON.parse(revenue ?? '{}'), usage: null }
}

type TopRow = Omit<TopValue, 'visitors'> & { visitors: number; all: number }

/** The values with the most visitors, or the most events, or that occurred last. */
function selectValues(
  db: Sql,
  chosen: Chosen,
  by: string,
  sortBy: 'visitors' | 'events' | 'last',
  page: PageAt,
): Promise<TopRow[]> {
  const order = {
    visitors: fragment`visitors desc, events desc, value collate "C"`,
    events: fragment`events desc, value collate "C"`,
    last: fragment`last desc, value collate "C"`,
  }[sortBy]
  const all = sortBy === 'visitors' ? fragment`(select count(distinct visitor) from people)` : fragment`0`
  return db<TopRow>`with people as (
      select ${shortOf(by)} as value, visitor, count(*) as events, min(timestamp) as first, max(timestamp) as last
      from events where ${chosenIn(chosen)} group by 1, 2)
    select value, count(*) as visitors, sum(events)::bigint as events, min(first) as first, max(last) as last, ${all} as all
    from people where value is not null group by 1 order by ${order} limit ${page.limit} offset ${page.offset}`
}

export async function selectTop(db: Sql, chosen: Chosen, by: string, limit: number): Promise<Top> {
  const rows = await selectValues(db, chosen, by, 'visitors', { offset: 0, limit })
  const values = rows.map(({ all: _, visitors, ...one }) => ({ ...one, visitors: exact(visitors) }))
  return { values, all: exact(rows[0]?.all ?? 0) }
}

export async function selectNamed(
  db: Sql,
  chosen: Chosen,
  by: string,
  sortBy: 'events' | 'last',
  page: PageAt,
): Promise<TopValue[]> {
  const rows = await selectValues(db, chosen, by, sortBy, page)
  return rows.map(({ all: _, visitors, ...one }) => ({ ...one, visitors: exact(visitors) }))
}
