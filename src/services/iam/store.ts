// All SQL on organisations, people, workspaces and the audit trail.
import type { Sql, Tx } from '../../engines/engines.ts'
import type { AuditRecord } from '../../kit/audit.ts'
import type { OrgId, Role } from '../../kit/caller.ts'
import type { Position } from '../../kit/page.ts'

/** Whether there is no organisation yet; while the transaction runs, no other process is told so. */
export async function lockWhileEmpty(db: Tx): Promise<boolean> {
  await db`lock table orgs in share row exclusive mode`
  const rows = await db<{ slug: string }>`select slug from orgs limit 1`
  return rows.length === 0
}

/** Answers the proof that is kept, which is the one given if there was none. */
export async function keepProof(db: Tx, proof: Uint8Array): Promise<Uint8Array> {
  await db`insert into root_key (proof) values (${proof}) on conflict do nothing`
  const [row] = await db<{ proof: Uint8Array }>`select proof from root_key`
  return row?.proof ?? proof
}

export type Org = { slug: string; name: string; created: string; updated: string }

/** All organisations, or the one that is given. */
export function selectOrgs(db: Sql, only: OrgId | null, after: string, count: number): Promise<Org[]> {
  return db<Org>`select slug, name, created, updated from orgs
    where (${only}::text is null or slug = ${only}) and slug collate "C" > ${after}
    order by slug collate "C" limit ${count}`
}

export async function selectOrg(db: Sql, org: OrgId): Promise<Org | null> {
  const [row] = await db<Org>`select slug, name, created, updated from orgs where slug = ${org}`
  return row ?? null
}

/** Answers null when the slug is taken. */
export async function insertOrganisation(db: Tx, org: OrgId, name: string, at: string): Promise<Org | null> {
  const [row] = await db<Org>`insert into orgs (slug, name, created, updated) values (${org}, ${name}, ${at}, ${at})
    on conflict do nothing returning slug, name, created, updated`
  return row ?? null
}

export async function updateOrg(db: Tx, org: OrgId, name: string, at: string): Promise<Org | null> {
  const [row] = await db<Org>`update orgs set name = ${name}, updated = ${at} where slug = ${org}
    returning slug, name, created, updated`
  return row ?? null
}

export async function deleteOrg(db: Tx, org: OrgId): Promise<boolean> {
  const rows = await db`delete from orgs where slug = ${org} returning slug`
  return rows.length > 0
}

/** `passwordBy` is the organisation that gave the password; null when nobody did, or the person themselves. */
export type NewUser = { id: string; email: string; password: string | null; passwordBy: string | null; created: string }

/** Answers false when the address has an account already. */
export async function insertUser(db: Tx, { id, email, password, passwordBy, created }: NewUser): Promise<boolean> {
  const rows = await db`insert into users (id, email, password, password_by, created)
    values (${id}, ${email}, ${password}, ${passwordBy}, ${created}) on conflict (email) do nothing returning id`
  return rows.length > 0
}

export async function selectUser(db: Sql, email: string): Promise<{ user: string; passwordBy: string | null }> {
  const [row] = await db<{ user: string; passwordBy: string | null }>`select id as user, password_by as "passwordBy"
    from users where email = ${email}`
  if (!row) throw new Error('the account went away in between')
  return row
}

export type Member = { user: string; email: string; role: Role; created: string }

/** Answers false when they are a member already. */
export async function insertMember(db: Tx, org: OrgId, user: string, role: Role, created: string): Promise<boolean> {
  const rows = await db`insert into members (org, user_id, role, created)
    values (${org}, ${user}, ${role}, ${created}) on conflict do nothing returning org`
  return rows.length > 0
}

export function selectMembers(db: Sql, org: OrgId, after: string, count: number): Promise<Member[]> {
  return db<Member>`select user_id as user, email, role, members.created from members join users on users.id = user_id
    where org = ${org} and email collate "C" > ${after} order by email collate "C" limit ${count}`
}

export async function selectMember(db: Sql, org: OrgId, user: string): Promise<Member | null> {
  const [row] = await db<Member>`select user_id as user, email, role, members.created
    from members join users on users.id = user_id where org = ${org} and user_id = ${user}`
  return row ?? null
}

/** The e-mail addresses of people, by their ids. */
export async function emailsOf(db: Sql, users: readonly string[]): Promise<Map<string, string>> {
  const rows = await db<{ id: string; email: string }>`select id, email from users where id = any(${users})`
  return new Map(rows.map(({ id, email }) => [id, email]))
}

export type Membership = { org: string; name: string; role: Role }

/** Everything one person belongs to. */
export function selectMemberships(db: Sql, user: string): Promise<Membership[]> {
  return db<Membership>`select org, name, role from members join orgs on orgs.slug = org
    where user_id = ${user} order by org collate "C"`
}

/** Until the transaction ends, nobody else changes who is in the organisation: two owners must not leave at once. */
export async function lockMembers(db: Tx, org: OrgId): Promise<void> {
  await db`select from orgs where slug = ${org} for no key update`
}

export async function hasOtherOwner(db: Sql, org: OrgId, user: string): Promise<boolean> {
  const rows = await db`select from members where org = ${org} and role = 'owner' and user_id <> ${user} limit 1`
  return rows.length > 0
}

export async function updateRole(db: Tx, org: OrgId, user: string, role: Role): Promise<void> {
  await db`update members set role = ${role} where org = ${org} and user_id = ${user}`
}

export async function deleteMember(db: Tx, org: OrgId, user: string): Promise<void> {
  await db`delete from members where org = ${org} and user_id = ${user}`
}

export async function insertAudit(db: Tx, record: AuditRecord): Promise<void> {
  const { org, caller, what, on, changes, at, ip, requestId } = record
  await db`insert into audit (org, at, user_id, email, credential, what, on_what, changes, ip, request_id)
    values (${org}, ${at}, ${caller.user}, ${caller.email}, ${caller.credential.id}, ${what}, ${on},
      ${changes && JSON.stringify(changes)}::text::jsonb, ${ip}, ${requestId})`
}

export type AuditRow = Pick<AuditRecord, 'at' | 'what' | 'on' | 'changes' | 'ip' | 'requestId'> & {
  id: string
  user: string | null
  email: string | null
  credential: string
}

/** Newest first, those written before the one with that id, if one is given. */
export function selectAudit(db: Sql, org: OrgId, before: number | null, count: number): Promise<AuditRow[]> {
  return db<AuditRow>`select id::text, at, user_id as user, email, credential, what, on_what as on, changes, ip,
      request_id as "requestId"
    from audit where org = ${org} and (${before}::bigint is null or id < ${before}) order by audit.id desc limit ${count}`
}

export type Account = { user: string; password: string | null }

export async function selectAccount(db: Sql, email: string): Promise<Account | null> {
  const [row] = await db<Account>`select id as user, password from users where email = ${email}`
  return row ?? null
}

/** Answers false when the password is not any more the one that was proved. */
export async function updatePassword(db: Tx, user: string, proved: string, digest: string): Promise<boolean> {
  const rows = await db`update users set password = ${digest}, wrong_count = 0
    where id = ${user} and password = ${proved} returning id`
  return rows.length > 0
}

/** Whoever has the mailbox of an account is its person, and the password theirs from now on. Who only changed the one that
 *  an admin gave may still be that admin. */
export async function ownPassword(db: Tx, user: string, digest: string): Promise<void> {
  await db`update users set password = ${digest}, password_by = null, wrong_count = 0 where id = ${user}`
}

/** An account, and whether its person has a password that is their own, until the transaction ends. */
export async function lockUser(db: Tx, email: string): Promise<{ user: string; hasPassword: boolean }> {
  const [row] = await db<{ user: string; hasPassword: boolean }>`select id as user,
      password is not null and password_by is null as "hasPassword"
    from users where email = ${email} for update`
  if (!row) throw new Error('the account went away in between')
  return row
}

/** Counts a try at a password, and answers how many there were since `since`. */
export async function countTry(db: Tx, user: string, at: string, since: string): Promise<number> {
  const [row] = await db<{ count: number }>`update users set
      wrong_count = case when wrong_since > ${since} then wrong_count + 1 else 1 end,
      wrong_since = case when wrong_since > ${since} then wrong_since else ${at} end
    where id = ${user} returning wrong_count as count`
  return row?.count ?? 0
}

export type Workspace = { id: string; name: string; created: string }

/** Newest first, those that come after the one at `last`. */
export function selectWorkspaces(db: Sql, org: OrgId, last: Position | null, count: number): Promise<Workspace[]> {
  return db<Workspace>`select id, name, created from workspaces
    where org = ${org} and (${last?.id ?? null}::text is null
      or (created, id) < (${last?.created ?? null}, ${last?.id ?? null}))
    order by created desc, id desc limit ${count}`
}

/** Answers how many there are with it. */
export async function insertWorkspace(
  db: Tx,
  org: OrgId,
  { id, name, secret, created }: Workspace & { secret: Uint8Array },
): Promise<number> {
  await db`select from orgs where slug = ${org} for no key update`
  await db`insert into workspaces (id, org, name, secret, created)
    values (${id}, ${org}, ${name}, ${secret}, ${created})`
  const [row] = await db<{ count: number }>`select count(*) from workspaces where org = ${org}`
  return row?.count ?? 0
}

export async function deleteWorkspace(db: Tx, org: OrgId, id: string): Promise<boolean> {
  const rows = await db`delete from workspaces where org = ${org} and id = ${id} returning id`
  return rows.length > 0
}

/** A workspace of whichever organisation, as its tokens name it. */
export async function selectWorkspace(
  db: Sql,
  id: string,
): Promise<{ org: OrgId; workspace: string; secret: Uint8Array } | null> {
  const [row] = await db<{ org: OrgId; workspace: string; secret: Uint8Array }>`select org, id as workspace, secret
    from workspaces where id = ${id}`
  return row ?? null
}

export async function selectWorkspaceSecret(db: Sql, org: OrgId, id: string): Promise<Uint8Array | null> {
  const [row] = await db<{ secret: Uint8Array }>`select secret from workspaces where org = ${org} and id = ${id}`
  return row?.secret ?? null
}
