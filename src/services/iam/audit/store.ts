// All SQL on the audit trail.
import type { Sql, Tx } from '../../../engines/engines.ts'
import type { AuditRecord } from '../../../kit/audit.ts'
import type { OrgId } from '../../../kit/caller.ts'
import { fragment } from '../../../kit/sql.ts'
import { isCustomerId } from '../people/accounts.ts'

export async function insertAudit(db: Tx, record: AuditRecord): Promise<void> {
  const { org, caller, what, on, changes, at, ip, requestId } = record
  await db`insert into audit (org, at, user_id, email, credential, what, on_what, changes, ip, request_id)
    values (${org}, ${at}, ${caller.user}, ${isCustomerId(caller.user) ? null : caller.email}, ${caller.credential.id}, ${what}, ${on},
      ${changes && JSON.stringify(changes)}::text::jsonb, ${ip}, ${requestId})`
}

export type AuditRow = Pick<AuditRecord, 'at' | 'what' | 'on' | 'changes' | 'ip' | 'requestId'> & {
  id: string
  user: string | null
  email: string | null
  credential: string
}

/** The entries with ids between `after` and `before`, both exclusive, whose time is `since` or later. */
export type AuditRange = { after: number; before: number; since: string }

/** A lower bound of the ids of the entries at or after `since`: the id of an entry more than a minute older. Times are
 *  not in the order of ids, but the time of an entry is read less than a minute before its id is drawn. */
export async function selectIdBefore(db: Sql, org: OrgId, since: string): Promise<number> {
  const [row] = await db<{ id: number }>`select id from audit
    where org = ${org} and at < ${since}::timestamptz - interval '1 minute' order by at desc limit 1`
  return row?.id ?? 0
}

export type AuditFilter = { user: string | undefined; what: string | undefined }

/** Newest first. `at + interval '0'` keeps the planner from reading and sorting everything after `since` by the index on the
 *  time. Each filter has its own statement, so that each reads the range of an index. */
export function selectAudit(
  db: Sql,
  org: OrgId,
  { user, what }: AuditFilter,
  { after, before, since }: AuditRange,
  count: number,
): Promise<AuditRow[]> {
  const ofUser = user === undefined ? fragment`` : fragment`and user_id = ${user}`
  const ofAction = what === undefined ? fragment`` : fragment`and what = ${what}`
  return db<AuditRow>`select id::text, at, user_id as user, email, credential, what, on_what as on, changes, ip,
      request_id as "requestId"
    from audit where org = ${org} ${ofUser} ${ofAction} and id > ${after} and id < ${before}
      and at + interval '0' >= ${since} order by audit.id desc limit ${count}`
}
