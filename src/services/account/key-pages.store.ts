// The SQL that finds the keys of a page of the listing: newest first, after a position. Each combination of status and
// owner has its own statement, so that each reads the range of an index.
import type { Sql } from '../../engines/engines.ts'
import type { OrgId } from '../../kit/caller.ts'
import type { Position } from '../../kit/page.ts'

export type KeyPage = { org: OrgId; last: Position; count: number }

export function selectAll(db: Sql, { org, last, count }: KeyPage): Promise<Position[]> {
  return db<Position>`select created, id from (
      (select created, id from keys where org = ${org} and ended and (created, id) < (${last.created}, ${last.id})
        order by created desc, id desc limit ${count})
      union all
      (select created, id from keys where org = ${org} and not ended and (created, id) < (${last.created}, ${last.id})
        order by created desc, id desc limit ${count})
    ) as found order by created desc, id desc limit ${count}`
}

export function selectAllOf(db: Sql, user: string, { org, last, count }: KeyPage): Promise<Position[]> {
  return db<Position>`select created, id from (
      (select created, id from keys where user_id = ${user} and org = ${org} and ended
        and (created, id) < (${last.created}, ${last.id}) order by created desc, id desc limit ${count})
      union all
      (select created, id from keys where user_id = ${user} and org = ${org} and not ended
        and (created, id) < (${last.created}, ${last.id}) order by created desc, id desc limit ${count})
    ) as found order by created desc, id desc limit ${count}`
}

export function selectRevoked(db: Sql, { org, last, count }: KeyPage): Promise<Position[]> {
  return db<Position>`select created, id from keys
    where org = ${org} and ended and (created, id) < (${last.created}, ${last.id})
    order by created desc, id desc limit ${count}`
}

export function selectRevokedOf(db: Sql, user: string, { org, last, count }: KeyPage): Promise<Position[]> {
  return db<Position>`select created, id from keys
    where user_id = ${user} and org = ${org} and ended and (created, id) < (${last.created}, ${last.id})
    order by created desc, id desc limit ${count}`
}

// Of the keys that have not ended, all but a bounded number have expired.

export function selectExpired(db: Sql, at: string, { org, last, count }: KeyPage): Promise<Position[]> {
  return db<Position>`select created, id from keys
    where org = ${org} and not ended and expires <= ${at} and (created, id) < (${last.created}, ${last.id})
    order by created desc, id desc limit ${count}`
}

export function selectExpiredOf(db: Sql, user: string, at: string, { org, last, count }: KeyPage): Promise<Position[]> {
  return db<Position>`select created, id from keys
    where user_id = ${user} and org = ${org} and not ended and expires <= ${at}
      and (created, id) < (${last.created}, ${last.id})
    order by created desc, id desc limit ${count}`
}

// The number of active keys is bounded, so they are all read through the index on the expiry and then sorted. Without
// `materialized` the planner could walk through the expired ones in the order of the listing instead.

export function selectActive(db: Sql, at: string, { org, last, count }: KeyPage): Promise<Position[]> {
  return db<Position>`with live as materialized (
      select created, id from keys where org = ${org} and not ended and coalesce(expires, 'infinity') > ${at}
    ) select created, id from live where (created, id) < (${last.created}, ${last.id})
    order by created desc, id desc limit ${count}`
}

export function selectActiveOf(db: Sql, user: string, at: string, { org, last, count }: KeyPage): Promise<Position[]> {
  return db<Position>`with live as materialized (
      select created, id, user_id from keys where org = ${org} and not ended and coalesce(expires, 'infinity') > ${at}
    ) select created, id from live where user_id = ${user} and (created, id) < (${last.created}, ${last.id})
    order by created desc, id desc limit ${count}`
}
