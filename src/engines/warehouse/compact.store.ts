// The SQL of adding up what was appended.
import { columnsOf } from '../db/columns.ts'
import { fragment, type Sql, type Tx } from '../engines.ts'
import type { Delta } from './counts.ts'

/** `amount` is a decimal number. */
export type Added = Omit<Delta, 'amount' | 'visitors'> & { amount: string; visitors: Buffer }
/** `amount` is a sum of decimal numbers. */
export type Sum = Omit<Added, 'visitors'> & { level: number; sets: Buffer[] }
/** One of them is there: `visitors` if they are few enough to be exact, `sketch` if there are many. */
type Sets = { visitors: Buffer | null; sketch: Buffer | null }
export type Count = Omit<Sum, 'sets'> & { people: number } & Sets

type ZoneState = 'built' | 'deleting' | 'adding'
type Position = Pick<Added, 'scope' | 'dimension' | 'at' | 'value'>
/** With the last row that was added, if it is being built. */
export type CountedZone = { zone: string; state: ZoneState } & { [name in keyof Position]: Position[name] | null }

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
    await db<CountedZone>`select zone, state, scope, dimension, at, value from event_zones where org = ${org}`
  return row ?? null
}

export async function insertZone(db: Tx, org: string, zone: string): Promise<void> {
  await db`insert into event_zones (org, zone, state) values (${org}, ${zone}, 'built')`
}

export async function changeZone(db: Tx, org: string, zone: string): Promise<void> {
  await db`update event_zones set zone = ${zone}, state = 'deleting' where org = ${org}`
}

export async function setZoneState(db: Tx, org: string, state: ZoneState, added: Position | null): Promise<void> {
  const { scope, dimension, at, value } = added ?? { scope: null, dimension: null, at: null, value: null }
  await db`update event_zones set state = ${state}, scope = ${scope}, dimension = ${dimension}, at = ${at}, value = ${value}
    where org = ${org}`
}

/** Days and months; returns how many were deleted. */
export async function deleteDays(db: Tx, org: string, limit: number): Promise<number> {
  const rows = await db`delete from event_counts where org = ${org} and ctid = any(array(
    select ctid from event_counts where org = ${org} and level > 0 limit ${limit})) returning 1`
  return rows.length
}

/** Their sets are in memory together. */
const SETS_BYTES_MAX = 16 * 1024 * 1024

/** Quarters of an hour after that one, in the order of their key. */
export async function selectQuarters(
  db: Tx,
  org: string,
  { scope, dimension, at, value }: Pick<CountedZone, keyof Position>,
  limit: number,
): Promise<{ rows: Added[]; isLast: boolean }> {
  const after =
    scope === null
      ? fragment``
      : fragment`and (scope, dimension, level, at, value) > (${scope}, ${dimension}::smallint, 0, ${at}, ${value})`
  const rows = await db<Added & { found: number }>`with found as materialized (
      select *, octet_length(coalesce(visitors, sketch)) as size from event_counts where org = ${org} and level = 0 ${after}
      order by scope, dimension, level, at, value limit ${limit}),
    sized as (
      select *, sum(size) over (order by scope, dimension, at, value) - size as bytes,
        count(*) over () as found from found)
    select scope, dimension, at, value, events, pageviews, sessions, bounces, ms, amount::text, first, last, coalesce(visitors, sketch) as visitors, found
    from sized where bytes < ${SETS_BYTES_MAX} order by scope, dimension, at, value`
  return { rows, isLast: rows.length < limit && rows.length === (rows[0]?.found ?? 0) }
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
