// The SQL that finds the keys of a page of the listing: newest first, after a position. Each combination of status and
// owner has its own statement, so that each reads the range of an index.
import type { Sql } from '../../engines/engines.ts'
import type { OrgId } from '../../kit/caller.ts'
import type { Position } from '../../kit/page.ts'
import { fragment } from '../../kit/sql.ts'

/** `user` is null for the keys of all members, `status` undefined for all of them. */
export type KeyFilter = { org: OrgId; user: string | null; status: 'active' | 'expired' | 'revoked' | undefined }

export function selectKeyPage(
  db: Sql,
  { org, user, status }: KeyFilter,
  at: string,
  last: Position,
  count: number,
): Promise<Position[]> {
  const own = user === null ? fragment`org = ${org}` : fragment`user_id = ${user} and org = ${org}`
  const next = fragment`(created, id) < (${last.created}, ${last.id}) order by created desc, id desc limit ${count}`
  if (status === 'revoked') return db<Position>`select created, id from keys where ${own} and ended and ${next}`
  // Of the keys that have not ended, all but a bounded number have expired.
  if (status === 'expired') {
    return db<Position>`select created, id from keys where ${own} and not ended and expires <= ${at} and ${next}`
  }
  // The number of active keys is bounded, so they are all read through the index on the expiry and then sorted. Without
  // `materialized` the planner could walk through the expired ones in the order of the listing instead.
  if (status === 'active') {
    return db<Position>`with live as materialized (
        select created, id, org, user_id from keys where org = ${org} and not ended and coalesce(expires, 'infinity') > ${at}
      ) select created, id from live where ${own} and ${next}`
  }
  return db<Position>`select created, id from (
      (select created, id from keys where ${own} and ended and ${next})
      union all
      (select created, id from keys where ${own} and not ended and ${next})
    ) as found order by created desc, id desc limit ${count}`
}
