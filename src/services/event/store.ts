// The SQL of event ingest.
import type { Sql, Tx } from '../../engines/engines.ts'
import type { OrgId } from '../../kit/caller.ts'
import { rowsAs } from '../../kit/sql.ts'

export type EventId = { org: string; id: string }
const sent = rowsAs<EventId>('sent', { org: 'text', id: 'uuid' })

/** Violates a constraint if one of them is not new. In one order, like `insertIds`. */
export async function insertNewIds(db: Tx, ids: readonly EventId[], at: string): Promise<void> {
  await db`insert into event_ids (org, id, at)
    select org, id, ${at}::timestamptz from ${sent(ids)} order by org, id`
}

/** Those of the ids that are new. In one order, because two transactions that insert the same ids wait for each other
 *  otherwise. */
export async function insertIds(db: Tx, ids: readonly EventId[], at: string): Promise<EventId[]> {
  return db<EventId>`insert into event_ids (org, id, at)
    select org, id, ${at}::timestamptz from ${sent(ids)} order by org, id
    on conflict do nothing returning org, id`
}

export type EventSettings = { storeAddresses: boolean; scrub: boolean; retentionDays: number | null }

export async function selectSettings(db: Sql, org: OrgId): Promise<EventSettings | null> {
  const [row] =
    await db<EventSettings>`select store_addresses as "storeAddresses", scrub, retention_days as "retentionDays"
    from event_settings where org = ${org}`
  return row ?? null
}

/** Holds the lock on the row until the end of the transaction. */
export async function lockSettings(db: Tx, org: OrgId): Promise<EventSettings | null> {
  const [row] =
    await db<EventSettings>`select store_addresses as "storeAddresses", scrub, retention_days as "retentionDays"
    from event_settings where org = ${org} for update`
  return row ?? null
}

export async function saveSettings(db: Tx, org: OrgId, channel: string, settings: EventSettings): Promise<void> {
  const { storeAddresses, scrub, retentionDays } = settings
  await db`insert into event_settings (org, store_addresses, scrub, retention_days)
    values (${org}, ${storeAddresses}, ${scrub}, ${retentionDays})
    on conflict (org) do update set store_addresses = excluded.store_addresses, scrub = excluded.scrub,
      retention_days = excluded.retention_days`
  await db`select pg_notify(${channel}, ${org})`
}

/** The organisations whose events are not kept for ever. */
export async function selectRetentions(db: Sql, after: string, limit: number): Promise<{ org: OrgId; days: number }[]> {
  return db<{ org: OrgId; days: number }>`select org, retention_days as days from event_settings
    where retention_days is not null and org > ${after} order by org limit ${limit}`
}

/** The salt of a day. The first that asks makes it. */
export async function saltOf(db: Tx, day: string, fresh: Uint8Array): Promise<Uint8Array> {
  await db`insert into event_salts (day, salt) values (${day}, ${fresh}) on conflict do nothing`
  const [row] = await db<{ salt: Uint8Array }>`select salt from event_salts where day = ${day}`
  return row?.salt ?? fresh
}
