// All SQL on who was asked to join.
import type { Sql } from '../../../engines/engines.ts'
import type { OrgId, Role } from '../../../kit/caller.ts'
import type { Place } from '../../../kit/page.ts'

export type Invite = { id: string; email: string; role: Role; invitedBy: string; created: string; expires: string }

/** Those that are still good, newest first, after the one at `last`. */
export function selectInvites(db: Sql, org: OrgId, at: string, last: Place | null, count: number): Promise<Invite[]> {
  return db<Invite>`select id, email, role, invited_by as "invitedBy", created, expires from invites
    where org = ${org} and expires > ${at} and (${last?.id ?? null}::text is null
      or (created, id) < (${last?.created ?? null}, ${last?.id ?? null}))
    order by created desc, id desc limit ${count}`
}

export async function isMember(db: Sql, org: OrgId, email: string): Promise<boolean> {
  const rows = await db`select from members join users on users.id = user_id where org = ${org} and email = ${email}`
  return rows.length > 0
}

export async function selectOrgName(db: Sql, org: OrgId): Promise<string> {
  const [row] = await db<{ name: string }>`select name from orgs where slug = ${org}`
  return row?.name ?? org
}

/** Those to that address, and those that have ended. */
export async function deleteInvitesTo(db: Sql, org: OrgId, email: string, at: string): Promise<void> {
  await db`delete from invites where org = ${org} and (email = ${email} or expires <= ${at})`
}

/** Answers how many there are with it. */
export async function insertInvite(db: Sql, org: OrgId, invite: Invite & { digest: Uint8Array }): Promise<number> {
  await db`select from orgs where slug = ${org} for no key update`
  await db`insert into invites (id, org, email, role, digest, invited_by, created, expires)
    values (${invite.id}, ${org}, ${invite.email}, ${invite.role}, ${invite.digest}, ${invite.invitedBy},
      ${invite.created}, ${invite.expires})`
  const [row] = await db<{ count: number }>`select count(*) from invites where org = ${org}`
  return row?.count ?? 0
}

export async function deleteInvite(db: Sql, org: OrgId, id: string): Promise<boolean> {
  const rows = await db`delete from invites where org = ${org} and id = ${id} returning id`
  return rows.length > 0
}

type Linked = Pick<Invite, 'email' | 'role' | 'invitedBy'> & { org: string; hasPassword: boolean }

/** What the link with that digest leads to: the organisation by its name. */
export async function selectInvitation(db: Sql, digest: Uint8Array, at: string): Promise<Linked | null> {
  const [row] = await db<Linked>`select invites.email, role, invited_by as "invitedBy", orgs.name as org,
      exists (select from users where users.email = invites.email and password is not null and password_by is null)
        as "hasPassword"
    from invites join orgs on orgs.slug = invites.org
    where digest = ${digest} and expires > ${at}`
  return row ?? null
}

/** The same with the organisation by its slug, for the first who asks; then it is gone. */
export async function takeInvite(db: Sql, digest: Uint8Array, at: string): Promise<(Linked & { id: string }) | null> {
  const [row] = await db<Linked & { id: string }>`delete from invites
    where digest = ${digest} and expires > ${at}
    returning id, email, role, invited_by as "invitedBy", org,
      exists (select from users where users.email = invites.email and password is not null and password_by is null)
        as "hasPassword"`
  return row ?? null
}
