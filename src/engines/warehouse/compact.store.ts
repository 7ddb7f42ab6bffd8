// The SQL of adding up what was appended.
import { columnsOf } from '../db/columns.ts'
import { fragment, type Sql, type Tx } from '../engines.ts'
import type { Delta } from './counts.ts'

export type Added = Delta
export type Sum = Omit<Added, 'visitors'> & { level: number; sets: Buffer[] }
/** One of them is there: `visitors` if they are few enough to be exact, `sketch` if there are many. */
type Sets = { visitors: Buffer | null; sketch: Buffer | null }
export type Count = Omit<Sum, 'sets'> & { people: number } & Sets

export type Position = Pick<Added, 'scope' | 'dimension' | 'at' | 'value'>
/** Up to when quarters of an hour were added to days and months of the zone; null while those of another zone are deleted. */
export type CountedZone = { zone: string; added: string | null }

export async function tryCountsLock(db: Tx, org: string): Promise<boolean> {
  const [row] = await db<{ isLocked: boolean }>`select
    pg_try_advisory_xact_lock(hashtext('event counts'), hashtext(${org})) as "isLocked"`
  return row?.isLocked === true
}

/** Organisations that have something to be added up. */
export async function selectOrgsWaiting(db: Sql, after: string, limit: number): Promise<string[]> {
  const rows = await db<{ org: string }>`with recursive found as (
      (select org from event_deltas where org > ${after} order by org limit 1)
      union all
      select (select d.org from event_deltas as d where d.org > found.org order by d.org limit 1) from found
      where found.org is not null)
    select org from found where org is not null limit ${limit}`
  return rows.map(({ org }) => org)
}

/** The oldest. */
export function selectDeltas(db: Tx, org: string, limit: number): Promise<(Added & { id: number })[]> {
  return db<
    Added & { id: number }
  >`select id, scope, dimension, at, value, events, pageviews, sessions, bounces, ms, amount::text, first, last,
    visitors from event_deltas where org = ${org} order by id limit ${limit}`
}

export async function deleteDeltas(db: Tx, org: string, ids: readonly number[]): Promise<void> {
  await db`delete from event_deltas where org = ${org} and id = any(${ids}::bigint[])`
}

export async function selectZone(db: Sql, org: string): Promise<CountedZone | null> {
  const [row] =
    await db<CountedZone>`select zone, nullif(added, '-infinity') as added from event_zones where org = ${org}`
  return row ?? null
}

export async function upsertZone(db: Tx, org: string, zone: string, added: string | null): Promise<void> {
  await db`insert into event_zones (org, zone, added) values (${org}, ${zone}, ${added ?? '-infinity'})
    on conflict (org) do update set zone = excluded.zone, added = excluded.added`
}

/** Days and months; returns how many were deleted. */
export async function deleteDays(db: Tx, org: string, limit: number): Promise<number> {
  const rows = await db`delete from event_counts where org = ${org} and ctid = any(array(
    select ctid from event_counts where org = ${org} and level > 0 limit ${limit})) returning 1`
  return rows.length
}

export async function selectFirstQuarter(db: Tx, org: string): Promise<string | null> {
  const [row] = await db<{
    at: string
  }>`select at from event_counts where org = ${org} and level = 0 order by at limit 1`
  return row?.at ?? null
}

/** The time after about that many rows of quarters of an hour, all of the last one's. */
export async function selectQuarterAfter(
  db: Tx,
  org: string,
  from: string,
  until: string,
  limit: number,
): Promise<string> {
  const [row] = await db<{
    at: string
  }>`select least(${until}::timestamptz, c.at + interval '15 min') as at from event_counts as c
    where org = ${org} and level = 0 and c.at >= ${from} and c.at < ${until} order by c.at offset ${limit} limit 1`
  return row?.at ?? until
}

/** By value, so that each day is written once for many of its quarters. Those of the time are found first, by their index: in the
 *  order of their values, all of the organisation would be read. */
export function selectQuarters(
  db: Tx,
  org: string,
  { from, until, last }: { from: string; until: string; last: Position | null },
  limit: number,
): Promise<Added[]> {
  const after =
    last === null
      ? fragment``
      : fragment`and (scope, dimension, value, at) > (${last.scope}, ${last.dimension}::smallint, ${last.value}, ${last.at})`
  return db<Added>`with quarters as materialized (
      select * from event_counts where org = ${org} and level = 0 and at >= ${from} and at < ${until})
    select scope, dimension, at, value, events, pageviews, sessions, bounces, ms, amount::text, first, last,
      coalesce(visitors, sketch) as visitors
    from quarters where true ${after} order by scope, dimension, value, at limit ${limit}`
}

const keysOf = (sums: readonly Sum[]) =>
  columnsOf({
    level: sums.map(({ level }) => level),
    at: sums.map(({ at }) => at),
    scope: sums.map(({ scope }) => scope),
    dimension: sums.map(({ dimension }) => dimension),
    value: sums.map(({ value }) => value),
  })

/** The set of each that exists already. */
export async function selectSets(db: Tx, org: string, sums: readonly Sum[]): Promise<(Buffer | null)[]> {
  const { separator, of } = keysOf(sums)
  const rows = await db<{
    number: number
    visitors: Buffer
  }>`select number, coalesce(c.visitors, c.sketch) as visitors from rows from (
      string_to_table(${of.level}, ${separator}, ''), string_to_table(${of.at}, ${separator}, ''),
      string_to_table(${of.scope}, ${separator}, ''), string_to_table(${of.dimension}, ${separator}, ''),
      string_to_table(${of.value}, ${separator}, '')
    ) with ordinality as sum (level, at, scope, dimension, value, number)
    join event_counts as c on c.org = ${org} and c.scope = coalesce(sum.scope, '') and c.dimension = sum.dimension::smallint
      and c.level = sum.level::smallint and c.at = sum.at::timestamptz and c.value = coalesce(sum.value, '')`
  const found: (Buffer | null)[] = sums.map(() => null)
  for (const { number, visitors } of rows) found[number - 1] = visitors
  return found
}

export async function upsertCounts(db: Tx, org: string, counts: readonly Count[]): Promise<void> {
  const keys = keysOf(counts.map(count => ({ ...count, sets: [] })))
  const { separator, of } = columnsOf({
    numbers: counts.map(
      one => `{${[one.events, one.pageviews, one.sessions, one.bounces, one.ms, one.people].join()}}`,
    ),
    amounts: counts.map(({ amount }) => `{${amount.replaceAll('+', ',')}}`),
    first: counts.map(({ first }) => first),
    last: counts.map(({ last }) => last),
    visitors: counts.map(({ visitors }) => visitors?.toString('hex') ?? null),
    sketch: counts.map(({ sketch }) => sketch?.toString('hex') ?? null),
  })
  await db`insert into event_counts as c (org, level, at, scope, dimension, value, events, pageviews, sessions, bounces, ms,
      people, amount, first, last, visitors, sketch)
    select ${org}, level::smallint, at::timestamptz, coalesce(scope, ''), dimension::smallint, coalesce(value, ''),
      n[1], n[2], n[3], n[4], n[5], n[6], (select sum(one) from unnest(amounts::numeric[]) as one),
      first::timestamptz, last::timestamptz, decode(visitors, 'hex'), decode(sketch, 'hex')
    from rows from (
      string_to_table(${keys.of.level}, ${keys.separator}, ''), string_to_table(${keys.of.at}, ${keys.separator}, ''),
      string_to_table(${keys.of.scope}, ${keys.separator}, ''), string_to_table(${keys.of.dimension}, ${keys.separator}, ''),
      string_to_table(${keys.of.value}, ${keys.separator}, ''), string_to_table(${of.numbers}, ${separator}, ''),
      string_to_table(${of.amounts}, ${separator}, ''), string_to_table(${of.first}, ${separator}, ''),
      string_to_table(${of.last}, ${separator}, ''), string_to_table(${of.visitors}, ${separator}, ''),
      string_to_table(${of.sketch}, ${separator}, '')
    ) as sent (level, at, scope, dimension, value, numbers, amounts, first, last, visitors, sketch)
    cross join lateral (select numbers::bigint[] as n offset 0) as parsed
    on conflict (org, scope, dimension, level, at, value) do update set events = c.events + excluded.events,
      pageviews = c.pageviews + excluded.pageviews, sessions = c.sessions + excluded.sessions,
      bounces = c.bounces + excluded.bounces, ms = c.ms + excluded.ms, amount = c.amount + excluded.amount,
      first = least(c.first, excluded.first), last = greatest(c.last, excluded.last), people = excluded.people,
      visitors = excluded.visitors, sketch = excluded.sketch`
}
