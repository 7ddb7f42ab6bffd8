// All SQL on who was asked to join.
import type { Sql, Tx } from '../../../engines/engines.ts'
import type { OrgId, Role } from '../../../kit/caller.ts'
import type { Position } from '../../../kit/page.ts'

export type Invite = { id: string; email: string; role: Role; invitedBy: string; created: string; expires: string }

/** Those that are still good, newest first, after the one at `last`. */
export function selectInvites(
  db: Sql,
  org: OrgId,
  at: string,
  last: Position | null,
  count: number,
): Promise<Invite[]> {
  return db<Invite>`select id, email, role, invited_by as "invitedBy", created, expires from invites
    where org = ${org} and expires > ${at} and (${last?.id ?? null}::text is null
      or (created, id) < (${last?.created ?? null}, ${last?.id ?? null}))
    order by created desc, id desc limit ${count}`
}

/** Whether they are a member who can sign in: an account may have been made without a password. */
export async function isMember(db: Sql, org: OrgId, email: string): Promise<boolean> {
  const rows = await db`select from members join users on users.id = user_id
    where org = ${org} and email = ${email} and password is not null`
  return rows.length > 0
}

export async function selectOrgName(db: Sql, org: OrgId): Promise<string> {
  const [row] = await db<{ name: string }>`select name from orgs where slug = ${org}`
  return row?.name ?? org
}

/** Those to that address, and those that have ended. */
export async function deleteInvitesTo(db: Tx, org: OrgId, email: string, at: string): Promise<void> {
  await db`delete from invites where org = ${org} and (email = ${email} or expires <= ${at})`
}

/** Until the transaction ends, nobody else of the organisation invites. */
export async function lockInvites(db: Tx, org: OrgId): Promise<void> {
  await db`select from orgs where slug = ${org} for no key update`
}

export async function countInvites(db: Sql, org: OrgId, at: string): Promise<number> {
  const [row] = await db<{ count: number }>`select count(*) from invites where org = ${org} and expires > ${at}`
  return row?.count ?? 0
}

/** Notes a mail to that address, unless too many were sent since `since`, to it or in all. */
export async function noteMail(
  db: Tx,
  org: OrgId,
  email: string,
  at: string,
  { since, perAddress, inAll }: { since: string; perAddress: number; inAll: number },
): Promise<boolean> {
  await db`delete from invite_mails where org = ${org} and at <= ${since}`
  const rows = await db`insert into invite_mails (org, email, at) select ${org}, ${email}, ${at}
    where (select count(*) from invite_mails where org = ${org}) < ${inAll}
      and (select count(*) from invite_mails where org = ${org} and email = ${email}) < ${perAddress}
    returning org`
  return rows.length > 0
}

export async function insertInvite(db: Tx, org: OrgId, invite: Invite & { digest: Uint8Array }): Promise<void> {
  await db`insert into invites (id, org, email, role, digest, invited_by, created, expires)
    values (${invite.id}, ${org}, ${invite.email}, ${invite.role}, ${invite.digest}, ${invite.invitedBy},
      ${invite.created}, ${invite.expires})`
}

export async function deleteInvite(db: Tx, org: OrgId, id: string): Promise<boolean> {
  const rows = await db`delete from invites where org = ${org} and id = ${id} returning id`
  return rows.length > 0
}

type AcceptedInvite = Pick<Invite, 'id' | 'email' | 'role' | 'invitedBy'> & { org: string }
type Linked = Omit<AcceptedInvite, 'id'> & { hasPassword: boolean }

/** What the link with that digest leads to: the organisation by its name. Nobody gives what they no longer have: whoever
 *  asked them may still make such a member. */
export async function selectInvitation(db: Sql, digest: Uint8Array, at: string): Promise<Linked | null> {
  const [row] = await db<Linked>`select invites.email, role, invited_by as "invitedBy", orgs.name as org,
      exists (select from users where users.email = invites.email and password is not null and password_by is null)
        as "hasPassword"
    from invites join orgs on orgs.slug = invites.org
    where digest = ${digest} and expires > ${at} and exists (
      select from members join users on users.id = members.user_id
      where members.org = invites.org and users.email = invites.invited_by
        and (members.role = 'owner' or (members.role = 'admin' and invites.role <> 'owner')))`
  return row ?? null
}

/** The same with the organisation by its slug, for the first who asks; then it is gone. */
export async function acceptInvite(db: Tx, digest: Uint8Array, at: string): Promise<AcceptedInvite | null> {
  const [row] = await db<AcceptedInvite>`delete from invites
    where digest = ${digest} and expires > ${at} and exists (
      select from members join users on users.id = members.user_id
      where members.org = invites.org and users.email = invites.invited_by
        and (members.role = 'owner' or (members.role = 'admin' and invites.role <> 'owner')))
    returning id, email, role, invited_by as "invitedBy", org`
  return row ?? null
}
