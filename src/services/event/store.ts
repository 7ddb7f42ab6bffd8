// The SQL of event ingest.
import type { Sql, Tx } from '../../engines/engines.ts'

export type EventId = { org: string; id: string }

/** Violates a constraint if one of them is not new. In one order, like `insertIds`. */
export async function insertNewIds(db: Tx, ids: readonly EventId[], at: string): Promise<void> {
  await db`insert into event_ids (org, id, at)
    select org, id, ${at}::timestamptz
    from unnest(${ids.map(({ org }) => org)}::text[], ${ids.map(({ id }) => id)}::uuid[]) as sent (org, id)
    order by org, id`
}

/** Those of the ids that are new. In one order, because two transactions that insert the same ids wait for each other
 *  otherwise. */
export async function insertIds(db: Tx, ids: readonly EventId[], at: string): Promise<EventId[]> {
  return db<EventId>`insert into event_ids (org, id, at)
    select org, id, ${at}::timestamptz
    from unnest(${ids.map(({ org }) => org)}::text[], ${ids.map(({ id }) => id)}::uuid[]) as sent (org, id)
    order by org, id
    on conflict do nothing returning org, id`
}

/** In how many blocks the ids are. */
export async function countIdBlocks(db: Sql): Promise<number> {
  const [row] = await db<{ count: number }>`select
    ceil(pg_relation_size('event_ids') / current_setting('block_size')::numeric)::int as count`
  return row?.count ?? 0
}

/** Those in these blocks. By blocks, the whole table is read once and needs no index by age: in one by ranges of blocks, old
 *  ids would soon be everywhere, because new ones take the places of deleted ones. */
export async function deleteIds(db: Tx, before: string, fromBlock: number, toBlock: number): Promise<void> {
  await db`delete from event_ids where at < ${before}
    and ctid >= ${`(${fromBlock},0)`}::tid and ctid < ${`(${toBlock},0)`}::tid`
}

/** The salt of a day. The first that asks makes it. */
export async function saltOf(db: Tx, day: string, fresh: Uint8Array): Promise<Uint8Array> {
  await db`insert into event_salts (day, salt) values (${day}, ${fresh}) on conflict do nothing`
  const [row] = await db<{ salt: Uint8Array }>`select salt from event_salts where day = ${day}`
  return row?.salt ?? fresh
}

export async function deleteSalts(db: Tx, before: string): Promise<void> {
  await db`delete from event_salts where day < ${before}`
}

export async function insertDeletions(db: Tx, orgs: readonly string[]): Promise<void> {
  await db`insert into event_deletions (org) select * from unnest(${orgs}::text[]) on conflict do nothing`
}

export async function selectDeletions(db: Sql): Promise<string[]> {
  const rows = await db<{ org: string }>`select org from event_deletions order by org`
  return rows.map(({ org }) => org)
}

/** How many were deleted. */
export async function deleteIdsOf(db: Tx, org: string, limit: number): Promise<number> {
  const rows = await db`delete from event_ids where ctid = any(array(
    select ctid from event_ids where org = ${org} order by id limit ${limit})) returning 1`
  return rows.length
}

export async function deleteDeletion(db: Tx, org: string): Promise<void> {
  await db`delete from event_deletions where org = ${org}`
}
