// The SQL that comes from the declarations of tables. Rows are found by their place (`ctid`), so that one statement serves all
// tables, and those that others hold are left for the next time: waiting for several of them could be a deadlock.
import type { Fragment, Sql, Tx } from '../../engines/engines.ts'
import { fragment, nameOf } from '../sql.ts'
import type { Retention, Table } from '../table.ts'
import { lowestUuid } from '../uuid.ts'

const ALL = fragment`true`

/** Each way in which rows of the table `t` belong to an organisation: by a column, or by a row of another table. */
export function waysOf({ org: column, through }: Table, org: string): Fragment[] {
  const byColumn = column === null ? [] : [fragment`t.${nameOf(column)} = ${org}`]
  const byOthers = through.map(
    ({ table, columns, keys, org: owner = 'org' }) =>
      fragment`(${listOf(columns, 't')}) in (
        select ${listOf(keys, 'o')} from ${nameOf(table)} as o where o.${nameOf(owner)} = ${org})`,
  )
  return [...byColumn, ...byOthers]
}

const listOf = (columns: readonly string[], of: string): Fragment =>
  columns.map(column => fragment`${nameOf(of)}.${nameOf(column)}`).reduce((all, one) => fragment`${all}, ${one}`)

/** How many rows there are, but at most `max`. */
export async function countRows(db: Sql, { name }: Table, way: Fragment, max: number, among = ALL): Promise<number> {
  const [row] = await db<{ count: number }>`select count(*) from (
    select from ${nameOf(name)} as t where ${way} and ${among} limit ${max}::int) as counted`
  return row?.count ?? 0
}

/** Where rows are: so many batches at most, each as the text of an array. */
export async function selectPlaces(db: Sql, { name }: Table, way: Fragment, batches: number, rows: number) {
  const found = await db<{ places: string }>`select array_agg(place)::text as places from (
      select t.ctid as place, (row_number() over () - 1) / ${rows}::int as batch
      from (select t.ctid from ${nameOf(name)} as t where ${way} limit ${batches}::int * ${rows}::int) as t) as placed
    group by batch order by batch`
  return found.map(({ places }) => places)
}

/** Deletes the rows at these places; returns how many. Another row may be at one of them by now. */
export async function deleteRows(db: Tx, { name }: Table, way: Fragment, places: string): Promise<number> {
  const rows = await db`delete from ${nameOf(name)} where ctid = any(array(
    select t.ctid from ${nameOf(name)} as t where t.ctid = any(${places}::text::tid[]) and ${way}
    for update of t skip locked)) returning 1`
  return rows.length
}

/** Deletes rows whose time is over, the oldest first, at most so many; returns how many. */
export async function deleteOld(db: Tx, { name }: Table, rule: Retention, before: Date, max: number): Promise<number> {
  const { column, where = ALL } = rule
  const rows = await db`delete from ${nameOf(name)} where ctid = any(array(
    select t.ctid from ${nameOf(name)} as t where ${isOver(rule, before)} and ${where}
    order by t.${nameOf(column)} limit ${max}::int for update skip locked)) returning 1`
  return rows.length
}

/** Those in these blocks. The whole table is read once in this way and needs no index by age: in one by ranges of blocks, old
 *  rows would soon be everywhere, because new ones take the places of deleted ones. */
export async function deleteOldInBlocks(
  db: Tx,
  { name }: Table,
  rule: Retention,
  before: Date,
  { from, to }: { from: number; to: number },
): Promise<void> {
  await db`delete from ${nameOf(name)} as t where ${isOver(rule, before)} and ${rule.where ?? ALL}
    and t.ctid >= ${`(${from},0)`}::tid and t.ctid < ${`(${to},0)`}::tid`
}

/** In how many blocks the rows are. */
export async function countBlocks(db: Sql, { name }: Table): Promise<number> {
  const [row] = await db<{ count: number }>`select
    ceil(pg_relation_size(${name}::regclass) / current_setting('block_size')::numeric)::int as count`
  return row?.count ?? 0
}

function isOver({ column, type = 'time' }: Retention, before: Date): Fragment {
  const name = nameOf(column)
  if (type === 'id') return fragment`t.${name} < ${lowestUuid(before)}::uuid`
  const text = before.toISOString()
  return type === 'day' ? fragment`t.${name} < ${text.slice(0, 10)}::date` : fragment`t.${name} <= ${text}::timestamptz`
}

/** Which tables refer to which. */
export async function selectReferences(db: Sql): Promise<{ from: string; to: string }[]> {
  return db<{
    from: string
    to: string
  }>`select distinct conrelid::regclass::text as from, confrelid::regclass::text as to
    from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace and conrelid <> confrelid`
}

export type TableSize = { name: string; rows: number; bytes: number }

/** Of each table, with its indexes and partitions. Rows are those of the last statistics. */
export async function selectSizes(db: Sql): Promise<TableSize[]> {
  return db<TableSize>`select coalesce(whole.relname, t.relname)::text as name,
      sum(greatest(t.reltuples, 0))::bigint as rows, sum(pg_total_relation_size(t.oid))::bigint as bytes
    from pg_class as t left join pg_inherits on inhrelid = t.oid left join pg_class as whole on whole.oid = inhparent
    where t.relkind = 'r' and t.relnamespace = 'public'::regnamespace group by 1 order by 1`
}

export type OrgRows = { table: string; org: string; rows: number }

/** The organisations with the most rows in each table, by the last statistics; `columns` are those of their slugs. */
export async function selectLargest(db: Sql, columns: readonly string[], count: number): Promise<OrgRows[]> {
  return db<OrgRows>`with found as (
      select coalesce(whole.relname, t.relname)::text as "table", org, sum(t.reltuples * frequency)::bigint as rows
      from pg_class as t left join pg_inherits on inhrelid = t.oid left join pg_class as whole on whole.oid = inhparent
      join pg_stats as s on s.schemaname = 'public' and s.tablename = t.relname and s.attname = any(${columns})
      cross join lateral unnest(s.most_common_vals::text::text[], s.most_common_freqs) as v (org, frequency)
      where t.relkind = 'r' and t.relnamespace = 'public'::regnamespace group by 1, 2)
    select "table", org, rows from (
      select *, row_number() over (partition by "table" order by rows desc, org) as place from found) as placed
    where place <= ${count} order by "table", place`
}
