// All SQL on invites.

import type { Fragment, Sql, Tx } from '../../../engines/engines.ts'
import type { OrgId, Role } from '../../../kit/caller.ts'
import type { Position } from '../../../kit/page.ts'
import { anyRow, fragment, oneRow } from '../../../kit/sql.ts'
import { isLiveOrg } from '../orgs/store.ts'

export type Invite = { id: string; email: string; role: Role; invitedBy: string; created: string; expires: string }

/** Invites that have not expired, newest first, after the position `last`. */
export function selectInvites(db: Sql, org: OrgId, at: string, last: Position, count: number): Promise<Invite[]> {
  return db<Invite>`select id, email, role, invited_by as "invitedBy", created, expires from invites
    where org = ${org} and expires > ${at} and (created, id) < (${last.created}, ${last.id})
    order by created desc, id desc limit ${count}`
}

/** Whether the address belongs to a member who has a password: members can be added without one. */
export function isMember(db: Sql, org: OrgId, email: string): Promise<boolean> {
  return anyRow(db`select from members join users on users.id = user_id
    where org = ${org} and members.email = ${email} and password is not null`)
}

/** Deletes the invites to that address and all expired ones. */
export async function deleteInvitesTo(db: Tx, org: OrgId, email: string, at: string): Promise<void> {
  await db`delete from invites where org = ${org} and (email = ${email} or expires <= ${at})`
}

/** The condition for invites whose link is valid at that time. */
export const isOpen = (at: string): Fragment => fragment`expires > ${at}`

export const isToOthers = (email: string): Fragment => fragment`email <> ${email}`

/** Records a mail to that address; returns false if too many were sent since `since`, to the address or in total. */
export async function recordMail(
  db: Tx,
  org: OrgId,
  email: string,
  at: string,
  { since, perAddress, total }: { since: string; perAddress: number; total: number },
): Promise<boolean> {
  await db`delete from invite_mails where org = ${org} and at <= ${since}`
  return anyRow(db`insert into invite_mails (org, email, at) select ${org}, ${email}, ${at}
    where (select count(*) from invite_mails where org = ${org}) < ${total}
      and (select count(*) from invite_mails where org = ${org} and email = ${email}) < ${perAddress}
    returning org`)
}

export async function insertInvite(db: Tx, org: OrgId, invite: Invite & { digest: Uint8Array }): Promise<void> {
  await db`insert into invites (id, org, email, role, digest, invited_by, created, expires)
    values (${invite.id}, ${org}, ${invite.email}, ${invite.role}, ${invite.digest}, ${invite.invitedBy},
      ${invite.created}, ${invite.expires})`
}

/** Returns the deleted invite. */
export function deleteInvite(db: Tx, org: OrgId, id: string): Promise<Pick<Invite, 'email' | 'role'> | null> {
  return oneRow(db<Invite>`delete from invites where org = ${org} and id = ${id} returning email, role`)
}

type FoundInvite = { id: string; org: OrgId }

/** The invite of a link, which may have expired. */
export function findInviteOf(db: Sql, digest: Uint8Array): Promise<FoundInvite | null> {
  return oneRow(db<FoundInvite>`select id, org from invites where digest = ${digest}`)
}

/** The invite with that id to that address, which may have expired. */
export function findInviteTo(db: Sql, id: string, email: string): Promise<FoundInvite | null> {
  return oneRow(db<FoundInvite>`select id, org from invites where id = ${id} and email = ${email}`)
}

/** The inviter may still add a member with that role. */
const INVITER_MAY = fragment`exists (
  select from members where members.org = invites.org and members.email = invites.invited_by
    and (members.role = 'owner' or (members.role = 'admin' and invites.role <> 'owner')))`

export type InvitationTo = Omit<Invite, 'email'> & { org: OrgId; name: string }

/** The valid invitations to an address, newest first, after the position `last`. */
export function selectInvitationsTo(
  db: Sql,
  email: string,
  at: string,
  last: Position,
  count: number,
): Promise<InvitationTo[]> {
  return db<InvitationTo>`select invites.id, invites.org, orgs.name, role, invited_by as "invitedBy", invites.created,
      expires
    from invites join orgs on orgs.slug = invites.org and orgs.deleted is null
    where email = ${email} and expires > ${at} and (invites.created, invites.id) < (${last.created}, ${last.id})
      and ${INVITER_MAY}
    order by invites.created desc, invites.id desc limit ${count}`
}

type AcceptedInvite = Pick<Invite, 'id' | 'email' | 'role' | 'invitedBy'> & { org: OrgId }
type InvitationRow = Omit<AcceptedInvite, 'id'> & { hasPassword: boolean }

/** The invitation with that digest, with the name of the organisation. It is valid only while the inviter may still add
 *  a member with that role. */
export function selectInvitation(db: Sql, digest: Uint8Array, at: string): Promise<InvitationRow | null> {
  return oneRow(db<InvitationRow>`select invites.email, role, invited_by as "invitedBy", orgs.name as org,
      exists (select from users where users.email = invites.email and password is not null and password_by is null)
        as "hasPassword"
    from invites join orgs on orgs.slug = invites.org and orgs.deleted is null
    where digest = ${digest} and expires > ${at} and ${INVITER_MAY}`)
}

/** Deletes and returns the invitation under the same conditions, with the slug of the organisation. */
export function acceptInvite(db: Tx, id: string, at: string): Promise<AcceptedInvite | null> {
  return oneRow(db<AcceptedInvite>`delete from invites
    where id = ${id} and expires > ${at} and ${isLiveOrg(fragment`invites.org`)} and ${INVITER_MAY}
    returning id, email, role, invited_by as "invitedBy", org`)
}
