// Operations under /v1/iam/me/invitations: the invitations to the caller's address, from all organisations. The mailed
// link opens the same invitation.

import { Type } from 'typebox'
import type { Tx } from '../../../engines/engines.ts'
import { nothing } from '../../../kit/answer.ts'
import type { OrgId, Role as RoleName } from '../../../kit/caller.ts'
import { orNotFound } from '../../../kit/fault.ts'
import { string, timestamp } from '../../../kit/fields.ts'
import { listing, pageByTime, paging } from '../../../kit/page.ts'
import type { Bounds } from '../../../kit/table.ts'
import { emitJoined, inviteDeclined, joining } from '../events.ts'
import { InviteId, Role } from '../fields.ts'
import * as store from '../invites/store.ts'
import * as members from '../members/store.ts'
import { operation } from '../state.ts'
import * as tables from '../tables.ts'
import type { OwnEmitting, Person } from './own-write.ts'

const OrgSlug = string('The slug of the organisation', 'web-shop')
const Invitation = Type.Object(
  {
    id: InviteId,
    org: OrgSlug,
    name: string('Its name', 'Web shop'),
    role: Role,
    invitedBy: string('The e-mail address of the person who sent the invite', 'grace@example.com'),
    created: timestamp('When the invite was sent'),
    expires: timestamp('When it expires'),
  },
  { title: 'Invitation', description: 'An open invitation to the caller, from any organisation' },
)

export const listMyInvitations = operation({
  route: 'GET /v1/iam/me/invitations',
  summary: "Lists the open invitations to the caller's address, newest first",
  access: 'person',
  input: paging,
  output: listing(Invitation),
  run: ({ db, caller, clock }, query) => {
    const at = clock.now().toISOString()
    return pageByTime(query, (last, count) => store.selectInvitationsTo(db, caller.email, at, last, count))
  },
})

export const acceptInvitation = operation({
  route: 'POST /v1/iam/me/invitations/{id}/accept',
  summary: 'Accepts an invitation: the caller becomes a member of the organisation',
  description: 'The session stays in its organisation; sign in again to choose the other one.',
  access: 'person',
  input: { id: InviteId },
  output: Type.Object({ org: OrgSlug, role: Role }),
  faults: ['not_found', 'conflict'],
  audit: 'invite.accept',
  emits: joining,
  run: ({ bounds, caller, clock, write }, { id }) =>
    write(scope => joinByInvitation(scope, caller, id, clock.now().toISOString(), bounds)),
})

export async function joinByInvitation(
  { db, record, emit }: OwnEmitting<typeof joining>,
  { user, email }: Person,
  id: string,
  created: string,
  bounds: Bounds,
): Promise<{ org: OrgId; role: RoleName }> {
  const { org } = await lockedInvitation(db, id, email)
  const invite = orNotFound(await store.acceptInvite(db, id, created), 'invitation')
  const before = await members.selectMember(db, org, user)
  const role = await members.insertMember(db, org, { user, email, role: invite.role, created })
  await bounds.require(db, tables.members, org, { remedy: 'Ask an admin to remove one first.' })
  record(user, { email: { to: email }, role: { to: role } }, org)
  emitJoined(emit, org, id, before, { user, email, role })
  return { org, role }
}

export const declineInvitation = operation({
  route: 'POST /v1/iam/me/invitations/{id}/decline',
  summary: 'Declines an invitation: it ends, and its link is no longer valid',
  description: 'The audit trail of the organisation records it. The organisation may invite the person again.',
  access: 'person',
  input: { id: InviteId },
  output: nothing,
  faults: ['not_found'],
  audit: 'invite.decline',
  emits: inviteDeclined,
  run: ({ caller, write }, { id }) => write(scope => decline(scope, caller, id)),
})

export async function decline(
  { db, record, emit }: OwnEmitting<typeof inviteDeclined>,
  { email }: Person,
  id: string,
): Promise<void> {
  const { org } = await lockedInvitation(db, id, email)
  const invite = orNotFound(await store.deleteInvite(db, org, id), 'invitation')
  record(id, { email: { from: email } }, org)
  emit('iam.invite.declined', { id, email, role: invite.role }, org)
}

/** The members are locked first, as in the other operations that add some, so that they cannot deadlock. */
async function lockedInvitation(db: Tx, id: string, email: string) {
  const found = orNotFound(await store.findInviteTo(db, id, email), 'invitation')
  await members.lockMembers(db, found.org)
  return found
}
