// All SQL on organisations, people and workspaces.
import { fragment } from '../../kit/sql.ts'
import type { Fragment, Sql, Tx } from '../../engines/engines.ts'
import type { OrgId, Role } from '../../kit/caller.ts'
import type { Position } from '../../kit/page.ts'

/** Whether there is no organisation yet. Locks the table, so that only one process can find it empty. */
export async function lockWhileEmpty(db: Tx): Promise<boolean> {
  await db`lock table orgs in share row exclusive mode`
  const rows = await db<{ slug: string }>`select slug from orgs limit 1`
  return rows.length === 0
}

/** Stores the proof if there is none yet; returns the stored one. */
export async function insertProof(db: Tx, proof: Uint8Array): Promise<Uint8Array> {
  await db`insert into root_key (proof) values (${proof}) on conflict do nothing`
  const [row] = await db<{ proof: Uint8Array }>`select proof from root_key`
  return row?.proof ?? proof
}

/** `deleted`: since then its rows are being deleted, and nobody has access to it. */
export type Org = { slug: string; name: string; created: string; updated: string; deleted: string | null }

const columns = fragment`slug, name, created, updated, deleted`

/** Whether an organisation has not been deleted; `slug` is a column. */
export const isLive = (slug: Fragment): Fragment =>
  fragment`exists (select from orgs as o where o.slug = ${slug} and o.deleted is null)`

export function selectOrgs(db: Sql, after: string, count: number): Promise<Org[]> {
  return db<Org>`select ${columns} from orgs
    where slug collate "C" > ${after} order by slug collate "C" limit ${count}`
}

/** Also one that is deleted. */
export async function selectOrg(db: Sql, org: OrgId): Promise<Org | null> {
  const [row] = await db<Org>`select ${columns} from orgs where slug = ${org}`
  return row ?? null
}

export async function selectLiveOrg(db: Sql, org: OrgId): Promise<Org | null> {
  const [row] = await db<Org>`select ${columns} from orgs where slug = ${org} and deleted is null`
  return row ?? null
}

/** Returns null if the slug is in use, or was. That is read after the insert, which waits for a deletion that runs. */
export async function insertOrganisation(db: Tx, org: OrgId, name: string, at: string): Promise<Org | null> {
  const [row] = await db<Org>`insert into orgs (slug, name, created, updated) values (${org}, ${name}, ${at}, ${at})
    on conflict do nothing returning ${columns}`
  const isFormer = (await db`select from former_orgs where slug = ${org}`).length > 0
  if (row && isFormer) await db`delete from orgs where slug = ${org}`
  return row && !isFormer ? row : null
}

export async function updateOrg(db: Tx, org: OrgId, name: string, at: string): Promise<Org | null> {
  const [row] = await db<Org>`update orgs set name = ${name}, updated = ${at} where slug = ${org}
    returning ${columns}`
  return row ?? null
}

/** Ends all access to it: every process is told. The slug is not used again. */
export async function markDeleted(db: Tx, org: OrgId, channel: string, at: string): Promise<boolean> {
  const rows = await db`update orgs set deleted = ${at} where slug = ${org} and deleted is null returning slug`
  if (rows.length === 0) return false
  await db`insert into former_orgs (slug, deleted) values (${org}, ${at})`
  await db`select pg_notify(${channel}, ${org})`
  return true
}

/** Those that are deleted and have rows. */
export async function selectDeleted(db: Sql): Promise<OrgId[]> {
  const rows = await db<{ slug: OrgId }>`select slug from orgs where deleted is not null order by slug`
  return rows.map(({ slug }) => slug)
}

/** When all its rows are gone. */
export async function deleteOrg(db: Tx, org: OrgId): Promise<void> {
  await db`delete from orgs where slug = ${org} and deleted is not null`
}

/** Ends the passwords that admins of the organisation set; returns whose they were. */
export async function endPasswordsSetBy(db: Tx, org: OrgId): Promise<string[]> {
  const rows = await db<{ id: string }>`update users set password = null, password_by = null
    where password_by = ${org} returning id`
  return rows.map(({ id }) => id)
}

/** `passwordBy` is the organisation whose admin set the password; null if a superadmin or the person did, or there is none. */
export type NewUser = { id: string; email: string; password: string | null; passwordBy: string | null; created: string }

/** Returns false if the address already has an account. */
export async function insertUser(db: Tx, { id, email, password, passwordBy, created }: NewUser): Promise<boolean> {
  const rows = await db`insert into users (id, email, password, password_by, created)
    values (${id}, ${email}, ${password}, ${passwordBy}, ${created}) on conflict (email) do nothing returning id`
  return rows.length > 0
}

export async function selectUser(db: Sql, email: string): Promise<{ user: string; passwordBy: string | null }> {
  const [row] = await db<{ user: string; passwordBy: string | null }>`select id as user, password_by as "passwordBy"
    from users where email = ${email}`
  if (!row) throw new Error('the account was deleted in the meantime')
  return row
}

export type Member = { user: string; email: string; role: Role; created: string }

/** Adds a member, or gives an existing one the role if it is higher; returns the role they have. */
export async function insertMember(db: Tx, org: OrgId, { user, email, role, created }: Member): Promise<Role> {
  const [row] = await db<{ role: Role }>`insert into members as present (org, user_id, email, role, created)
    values (${org}, ${user}, ${email}, ${role}, ${created})
    on conflict (org, user_id) do update set role = case
      when 'owner' in (present.role, excluded.role) then 'owner'
      when 'admin' in (present.role, excluded.role) then 'admin' else 'member' end
    returning role`
  return row?.role ?? role
}

export function selectMembers(db: Sql, org: OrgId, after: string, count: number): Promise<Member[]> {
  return db<Member>`select user_id as user, email, role, created from members
    where org = ${org} and email > ${after} order by email limit ${count}`
}

export async function selectMember(db: Sql, org: OrgId, user: string): Promise<Member | null> {
  const [row] = await db<Member>`select user_id as user, email, role, created from members
    where org = ${org} and user_id = ${user}`
  return row ?? null
}

/** `isPlanted`: an admin set the password of the person, and could act as them. */
export type MemberAccess = { email: string; role: Role; isPlanted: boolean }

export async function selectAccess(db: Sql, org: OrgId, user: string): Promise<MemberAccess | null> {
  const [row] = await db<MemberAccess>`select members.email, role, password_by is not null as "isPlanted"
    from members join users on users.id = user_id
    where org = ${org} and user_id = ${user} and ${isLive(fragment`org`)}`
  return row ?? null
}

/** E-mail addresses by user id. */
export async function emailsOf(db: Sql, users: readonly string[]): Promise<Map<string, string>> {
  const rows = await db<{ id: string; email: string }>`select id, email from users where id = any(${users})`
  return new Map(rows.map(({ id, email }) => [id, email]))
}

/** E-mail addresses of the owners who joined first. */
export async function ownersOf(db: Sql, org: OrgId, count: number): Promise<string[]> {
  const rows = await db<{ email: string }>`select email from members where org = ${org} and role = 'owner'
    order by created, user_id limit ${count}`
  return rows.map(({ email }) => email)
}

export type Membership = { org: string; name: string; role: Role }

/** All memberships of a person. */
export function selectMemberships(db: Sql, user: string): Promise<Membership[]> {
  return db<Membership>`select org, name, role from members join orgs on orgs.slug = org and orgs.deleted is null
    where user_id = ${user} order by org collate "C"`
}

/** Serialises changes to the members of an organisation, so that its last two owners cannot both leave at once. */
export async function lockMembers(db: Tx, org: OrgId): Promise<void> {
  await db`select from orgs where slug = ${org} for no key update`
}

export async function hasOtherOwner(db: Sql, org: OrgId, user: string): Promise<boolean> {
  const rows = await db`select from members where org = ${org} and role = 'owner' and user_id <> ${user} limit 1`
  return rows.length > 0
}

/** Whether the person has a password that they chose themselves. */
export async function hasOwnPassword(db: Sql, user: string): Promise<boolean> {
  const rows = await db`select from users where id = ${user} and password is not null and password_by is null`
  return rows.length > 0
}

export async function updateRole(db: Tx, org: OrgId, user: string, role: Role): Promise<void> {
  await db`update members set role = ${role} where org = ${org} and user_id = ${user}`
}

export async function deleteMember(db: Tx, org: OrgId, user: string): Promise<void> {
  await db`delete from members where org = ${org} and user_id = ${user}`
}

export type Account = { user: string; password: string | null }

export async function selectAccount(db: Sql, email: string): Promise<Account | null> {
  const [row] = await db<Account>`select id as user, password from users where email = ${email}`
  return row ?? null
}

/** Locks an account until the transaction ends; returns false if the stored hash is no longer `verified`. */
export async function lockPassword(db: Tx, user: string, verified: string): Promise<boolean> {
  const rows = await db`select from users where id = ${user} and password = ${verified} for no key update`
  return rows.length > 0
}

/** Returns false if the stored hash is no longer `verified`. */
export async function updatePassword(db: Tx, user: string, verified: string, digest: string): Promise<boolean> {
  const rows = await db`update users set password = ${digest}, wrong_count = 0
    where id = ${user} and password = ${verified} returning id`
  return rows.length > 0
}

/** Sets a password that only the person knows, after they proved access to the mailbox. `updatePassword` keeps
 *  `password_by`, because the admin who set the password may be the one who changed it. */
export async function setOwnPassword(db: Tx, user: string, digest: string, at: string): Promise<void> {
  await db`update users set password = ${digest}, password_by = null, wrong_count = 0, email_verified = ${at}
    where id = ${user}`
}

/** Records that the person has proved access to the mailbox. */
export async function verifyAddress(db: Tx, user: string, at: string): Promise<void> {
  await db`update users set email_verified = ${at} where id = ${user}`
}

export type Profile = { name: string; emailVerified: boolean }

export async function selectProfile(db: Sql, user: string): Promise<Profile> {
  const [row] =
    await db<Profile>`select name, email_verified is not null as "emailVerified" from users where id = ${user}`
  return row ?? { name: '', emailVerified: false }
}

export type OwnAccount = Profile & { email: string; isPlanted: boolean }

/** `isPlanted`: an admin chose the password. */
export async function selectOwnAccount(db: Sql, user: string): Promise<OwnAccount | null> {
  const [row] = await db<OwnAccount>`select email, name, email_verified is not null as "emailVerified",
      password_by is not null as "isPlanted"
    from users where id = ${user}`
  return row ?? null
}

/** Locks an account until the transaction ends, so that its password does not change meanwhile. */
export async function lockOwnAccount(db: Tx, user: string): Promise<OwnAccount | null> {
  await db`select from users where id = ${user} for no key update`
  return selectOwnAccount(db, user)
}

export async function updateName(db: Tx, user: string, name: string): Promise<void> {
  await db`update users set name = ${name} where id = ${user}`
}

/** Locks an account until the transaction ends. `hasPassword`: the person chose the password themselves. */
export async function lockUser(db: Tx, email: string): Promise<{ user: string; hasPassword: boolean }> {
  const [row] = await db<{ user: string; hasPassword: boolean }>`select id as user,
      password is not null and password_by is null as "hasPassword"
    from users where email = ${email} for update`
  if (!row) throw new Error('the account was deleted in the meantime')
  return row
}

/** Counts an attempt at a password; returns the number of attempts since `since`. */
export async function countTry(db: Tx, user: string, at: string, since: string): Promise<number> {
  const [row] = await db<{ count: number }>`update users set
      wrong_count = case when wrong_since > ${since} then wrong_count + 1 else 1 end,
      wrong_since = case when wrong_since > ${since} then wrong_since else ${at} end
    where id = ${user} returning wrong_count as count`
  return row?.count ?? 0
}

export type Workspace = { id: string; name: string; created: string }

/** Newest first, after the position `last`. */
export function selectWorkspaces(db: Sql, org: OrgId, last: Position, count: number): Promise<Workspace[]> {
  return db<Workspace>`select id, name, created from workspaces
    where org = ${org} and (created, id) < (${last.created}, ${last.id}) order by created desc, id desc limit ${count}`
}

export async function insertWorkspace(
  db: Tx,
  org: OrgId,
  { id, name, secret, created }: Workspace & { secret: Uint8Array },
): Promise<void> {
  await db`insert into workspaces (id, org, name, secret, created)
    values (${id}, ${org}, ${name}, ${secret}, ${created})`
}

/** Returns the name of the deleted workspace. */
export async function deleteWorkspace(db: Tx, org: OrgId, id: string): Promise<string | null> {
  const [row] = await db<{ name: string }>`delete from workspaces where org = ${org} and id = ${id} returning name`
  return row?.name ?? null
}

/** A workspace of any organisation. */
export async function selectWorkspace(
  db: Sql,
  id: string,
): Promise<{ org: OrgId; workspace: string; secret: Uint8Array } | null> {
  const [row] = await db<{ org: OrgId; workspace: string; secret: Uint8Array }>`select org, id as workspace, secret
    from workspaces where id = ${id} and ${isLive(fragment`org`)}`
  return row ?? null
}

export async function selectWorkspaceSecret(db: Sql, org: OrgId, id: string): Promise<Uint8Array | null> {
  const [row] = await db<{ secret: Uint8Array }>`select secret from workspaces where org = ${org} and id = ${id}`
  return row?.secret ?? null
}
