// All SQL on members of organisations.

import type { Sql, Tx } from '../../../engines/engines.ts'
import type { OrgId, Role } from '../../../kit/caller.ts'
import { anyRow, fragment, oneRow } from '../../../kit/sql.ts'
import { isLiveOrg } from '../orgs/store.ts'

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

export function selectMember(db: Sql, org: OrgId, user: string): Promise<Member | null> {
  return oneRow(db<Member>`select user_id as user, email, role, created from members
    where org = ${org} and user_id = ${user}`)
}

/** `isPlanted`: an admin set the password of the person, and could act as them. */
export type MemberAccess = { email: string; role: Role; isPlanted: boolean }

export function selectAccess(db: Sql, org: OrgId, user: string): Promise<MemberAccess | null> {
  return oneRow(db<MemberAccess>`select members.email, role, password_by is not null as "isPlanted"
    from members join users on users.id = user_id
    where org = ${org} and user_id = ${user} and ${isLiveOrg(fragment`org`)}`)
}

/** E-mail addresses of the owners who joined first. */
export async function ownersOf(db: Sql, org: OrgId, count: number): Promise<string[]> {
  const rows = await db<{ email: string }>`select email from members where org = ${org} and role = 'owner'
    order by created, user_id limit ${count}`
  return rows.map(({ email }) => email)
}

export type Membership = { org: OrgId; name: string; role: Role }

/** All memberships of a person. */
export function selectMemberships(db: Sql, user: string): Promise<Membership[]> {
  return db<Membership>`select org, name, role from members join orgs on orgs.slug = org and orgs.deleted is null
    where user_id = ${user} order by org collate "C"`
}

/** Serialises changes to the members of an organisation, so that its last two owners cannot both leave at once. */
export async function lockMembers(db: Tx, org: OrgId): Promise<void> {
  await db`select from orgs where slug = ${org} for no key update`
}

export function hasOtherOwner(db: Sql, org: OrgId, user: string): Promise<boolean> {
  return anyRow(db`select from members where org = ${org} and role = 'owner' and user_id <> ${user} limit 1`)
}

export async function updateRole(db: Tx, org: OrgId, user: string, role: Role): Promise<void> {
  await db`update members set role = ${role} where org = ${org} and user_id = ${user}`
}

export async function deleteMember(db: Tx, org: OrgId, user: string): Promise<void> {
  await db`delete from members where org = ${org} and user_id = ${user}`
}
