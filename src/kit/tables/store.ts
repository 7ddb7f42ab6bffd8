// The SQL derived from the declarations of tables. Rows are found by `ctid`, so that one statement serves all tables. Rows
// locked by others are left for the next time: waiting for several of them could deadlock.

import type { Fragment, Sql, Tx } from '../../engines/engines.ts'
import type { OrgId } from '../caller.ts'
import { fragment, nameOf, rowsAs } from '../sql.ts'
import type { Retention, Table } from '../table.ts'
import { lowestUuid } from '../uuid.ts'

const ALL = fragment`true`

/** Each way in which rows of the table `t` belong to an organisation: by a column, or by a row of another table. */
export function waysOf({ org: column, through }: Table, org: OrgId): Fragment[] {
  const byColumn = column === null ? [] : [fragment`t.${nameOf(column)} = ${org}`]
  const byOthers = through.map(
    ({ table, columns, keys, org: owner = 'org' }) =>
      fragment`(${listOf(columns, 't')}) in (
        select ${listOf(keys, 'o')} from ${nameOf(table)} as o where o.${nameOf(owner)} = ${org})`,
  )
  return [...byColumn, ...byOthers]
}

const joined = (all: Fragment, one: Fragment): Fragment => fragment`${all}, ${one}`

const listOf = (columns: readonly string[], of: string): Fragment =>
  columns.map(column => fragment`${nameOf(of)}.${nameOf(column)}`).reduce(joined)

/** The number of rows, counted up to `max`. */
export async function countRows(db: Sql, { name }: Table, way: Fragment, max: number, among = ALL): Promise<number> {
  const [row] = await db<{ count: number }>`select count(*) from (
    select from ${nameOf(name)} as t where ${way} and ${among} limit ${max}::int) as counted`
  return row?.count ?? 0
}

/** The number of an organisation's rows, counted up to `max`. Each way has its own index; a row counts once. */
export async function countOf(db: Sql, table: Table, org: OrgId, max: number): Promise<number> {
  let count = 0
  let among = ALL
  for (const way of waysOf(table, org)) {
    count += await countRows(db, table, way, max - count, among)
    among = fragment`${among} and (${way}) is not true`
  }
  return count
}

/** The columns of an index after the first one, with their types. */
export type Order = { table: string; first: string; columns: string[]; types: string[] }

/** The indexes in whose order all rows of a table can be read, the best one of each table first. */
export async function selectOrders(db: Sql): Promise<Order[]> {
  return db<Order>`select indrelid::regclass::text as table, (array_agg(attname::text order by at))[1] as first,
      (array_agg(attname::text order by at))[2:] as columns, (array_agg(typname::text order by at))[2:] as types
    from pg_index join pg_class as c on c.oid = indexrelid join pg_am on pg_am.oid = relam and amname = 'btree'
    cross join unnest(indkey, indcollation, indoption) with ordinality as k (number, collated, option, at)
    join pg_attribute on attrelid = indrelid and attnum = k.number join pg_type on pg_type.oid = atttypid
    where relnamespace = 'public'::regnamespace and indisvalid and indpred is null and indexprs is null
    group by indexrelid, indrelid, indisprimary, indisunique
    having count(*) > 1 and bool_and(attnotnull and collated = attcollation and option = 0)
    order by indisprimary desc, indisunique desc, indexrelid`
}

/** `last` is the key of the last row in the order, as the text of an array. */
export type Deleted = { count: number; last: string | null }

/** Deletes up to `max` rows. Deleted rows stay in an index for a while, and without an order all of them are scanned
 *  again each time. With an order, whose first column is that of the way, the scan continues after the rows deleted
 *  before. */
export async function deleteRows(
  db: Tx,
  { name }: Table,
  way: Fragment,
  max: number,
  { order, last }: { order: Order | undefined; last: string | null },
): Promise<Deleted> {
  const { key, rest, sorted } = order ? positionIn(order, last) : UNSORTED
  const [row] = await db<Deleted>`with found as (
      select t.ctid as place, ${key}::text as key from ${nameOf(name)} as t where ${way} and ${rest} ${sorted}
      limit ${max}::int for update of t skip locked),
    deleted as (delete from ${nameOf(name)} where ctid = any(array(select place from found)))
    select count(*) as count, (array_agg(key))[count(*)] as last from found`
  return row as Deleted
}

const UNSORTED = { key: fragment`null`, rest: ALL, sorted: fragment`` }

function positionIn({ columns, types }: Order, last: string | null) {
  const list = listOf(columns, 't')
  const values = types.map((type, at) => fragment`(${last}::text::text[])[${at + 1}::int]::${nameOf(type)}`)
  return {
    key: fragment`array[${columns.map(column => fragment`t.${nameOf(column)}::text`).reduce(joined)}]`,
    rest: last === null ? ALL : fragment`(${list}) >= (${values.reduce(joined)})`,
    sorted: fragment`order by ${list}`,
  }
}

/** Deletes up to `max` expired rows, oldest first; returns how many. */
export async function deleteOld(db: Tx, { name }: Table, rule: Retention, before: Date, max: number): Promise<number> {
  const { column, where = ALL } = rule
  const rows = await db`delete from ${nameOf(name)} where ctid = any(array(
    select t.ctid from ${nameOf(name)} as t where ${isOver(rule, before)} and ${where}
    order by t.${nameOf(column)} limit ${max}::int for update skip locked)) returning 1`
  return rows.length
}

/** Deletes the expired rows in these blocks. The whole table is read once this way, and no index by age is needed. A
 *  block-range index would not help for long, because new rows reuse the space of deleted ones. */
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

/** The number of blocks of the table. */
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

/** The size of each table with its indexes and partitions. Row counts are those of the last statistics. */
export async function selectSizes(db: Sql): Promise<TableSize[]> {
  return db<TableSize>`select coalesce(whole.relname, t.relname)::text as name,
      sum(greatest(t.reltuples, 0))::bigint as rows, sum(pg_total_relation_size(t.oid))::bigint as bytes
    from pg_class as t left join pg_inherits on inhrelid = t.oid left join pg_class as whole on whole.oid = inhparent
    where t.relkind = 'r' and t.relnamespace = 'public'::regnamespace group by 1 order by 1`
}

const orgColumns = rowsAs<{ name: string; column: string }>('d', { name: 'text', column: 'text' })

export type OrgRows = { table: string; org: OrgId; rows: number }

/** The organisations with the most rows in each table, by the last statistics. */
export async function selectLargest(db: Sql, tables: readonly Table[], count: number): Promise<OrgRows[]> {
  const owned = tables.flatMap(({ name, org }) => (org === null ? [] : [{ name, column: org }]))
  return db<OrgRows>`with found as (
      select coalesce(whole.relname, t.relname)::text as "table", org, sum(t.reltuples * frequency)::bigint as rows
      from pg_class as t left join pg_inherits on inhrelid = t.oid left join pg_class as whole on whole.oid = inhparent
      join ${orgColumns(owned)} on d.name = coalesce(whole.relname, t.relname)
      join pg_stats as s on s.schemaname = 'public' and s.tablename = t.relname and s.attname = d.column
      cross join lateral unnest(s.most_common_vals::text::text[], s.most_common_freqs) as v (org, frequency)
      where t.relkind = 'r' and t.relnamespace = 'public'::regnamespace group by 1, 2)
    select "table", org, rows from (
      select *, row_number() over (partition by "table" order by rows desc, org) as place from found) as placed
    where place <= ${count} order by "table", place`
}
