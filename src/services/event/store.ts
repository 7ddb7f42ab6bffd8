// The SQL of event ingest.

import type { Tx } from '../../engines/engines.ts'
import type { OrgId } from '../../kit/caller.ts'
import { rowsAs } from '../../kit/sql.ts'

export type EventId = { org: OrgId; id: string }
const sent = rowsAs<EventId>('sent', { org: 'text', id: 'uuid' })

/** Violates a constraint if one of them is not new. In one order, like `insertIds`. */
export async function insertNewIds(db: Tx, ids: readonly EventId[], at: string): Promise<void> {
  await db`insert into event_ids (org, id, at)
    select org, id, ${at}::timestamptz from ${sent(ids)} order by org, id`
}

/** Those of the ids that are new. In one order, so that two transactions that insert the same ids cannot
 *  deadlock. */
export async function insertIds(db: Tx, ids: readonly EventId[], at: string): Promise<EventId[]> {
  return db<EventId>`insert into event_ids (org, id, at)
    select org, id, ${at}::timestamptz from ${sent(ids)} order by org, id
    on conflict do nothing returning org, id`
}

/** The salt of a day. The first caller creates it. */
export async function saltOf(db: Tx, day: string, fresh: Uint8Array): Promise<Uint8Array> {
  await db`insert into event_salts (day, salt) values (${day}, ${fresh}) on conflict do nothing`
  const [row] = await db<{ salt: Uint8Array }>`select salt from event_salts where day = ${day}`
  return row?.salt ?? fresh
}
