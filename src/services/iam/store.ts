// All SQL on organisations, people and the audit trail.
import type { Sql } from '../../engines/engines.ts'
import type { AuditRecord } from '../../kit/audit.ts'
import type { OrgId, Role } from '../../kit/caller.ts'

/** Whether there is no organisation yet; while the transaction runs, no other process is told so. */
export async function lockWhileEmpty(db: Sql): Promise<boolean> {
  await db`lock table orgs in share row exclusive mode`
  const rows = await db<{ slug: string }>`select slug from orgs limit 1`
  return rows.length === 0
}

export async function insertOrganisation(db: Sql, org: OrgId, name: string, created: string): Promise<void> {
  await db`insert into orgs (slug, name, created) values (${org}, ${name}, ${created})`
}

export type NewUser = { id: string; email: string; password: string; created: string }

export async function insertUser(db: Sql, { id, email, password, created }: NewUser): Promise<void> {
  await db`insert into users (id, email, password, created) values (${id}, ${email}, ${password}, ${created})`
}

export async function insertMember(db: Sql, org: OrgId, user: string, role: Role, created: string): Promise<void> {
  await db`insert into members (org, user_id, role, created) values (${org}, ${user}, ${role}, ${created})`
}

export async function insertAudit(db: Sql, { caller, what, on, at, ip, requestId }: AuditRecord): Promise<void> {
  await db`insert into audit (org, at, user_id, email, credential, what, on_what, ip, request_id)
    values (${caller.org}, ${at}, ${caller.user}, ${caller.email}, ${caller.credential.id}, ${what}, ${on}, ${ip},
      ${requestId})`
}

export type AuditRow = Pick<AuditRecord, 'at' | 'what' | 'on' | 'ip' | 'requestId'> & {
  id: string
  user: string
  email: string
  credential: string
}

/** Newest first, those written before the one with that id, if one is given. */
export function selectAudit(db: Sql, org: OrgId, before: number | null, count: number): Promise<AuditRow[]> {
  return db<AuditRow>`select id::text, at, user_id as user, email, credential, what, on_what as on, ip,
      request_id as "requestId"
    from audit where org = ${org} and (${before}::bigint is null or id < ${before}) order by audit.id desc limit ${count}`
}
