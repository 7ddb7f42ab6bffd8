// Operations under /v1/iam/invites: invitations by mail. Opening the link proves access to the mailbox, so only its
// owner knows the password that is chosen there.

import { Type } from 'typebox'
import type { Tx } from '../../../engines/engines.ts'
import { nothing } from '../../../kit/answer.ts'
import type { OrgId } from '../../../kit/caller.ts'
import { conflict, Fault, orNotFound } from '../../../kit/fault.ts'
import { string, timestamp } from '../../../kit/fields.ts'
import { listing, pageByTime, paging } from '../../../kit/page.ts'
import type { Bounds } from '../../../kit/table.ts'
import { inviteCreated, inviteRevoked } from '../events.ts'
import { Email, InviteId, Role } from '../fields.ts'
import { lockMembersAs, requireOwnerFor } from '../members/members.ts'
import { selectOrgName } from '../orgs/store.ts'
import { operation } from '../state.ts'
import * as tables from '../tables.ts'
import { invitationMail, newInvitation } from './invitation.ts'
import * as store from './store.ts'

const MAILS_WINDOW_MS = 60 * 60_000
const MAILS_MAX = 100
const MAILS_PER_ADDRESS = 5

const Invite = Type.Object(
  {
    id: InviteId,
    email: Email,
    role: Role,
    invitedBy: string('The e-mail address of the person who sent the invite', 'grace@example.com'),
    created: timestamp('When the invite was sent'),
    expires: timestamp('When the link expires'),
  },
  { title: 'Invite', description: 'An invitation that the organisation has sent and that is still open' },
)

export const listInvites = operation({
  route: 'GET /v1/iam/invites',
  summary: 'Lists the open invites, newest first',
  access: 'admin',
  input: paging,
  output: listing(Invite),
  run: ({ db, caller, clock }, query) => {
    const at = clock.now().toISOString()
    return pageByTime(query, (last, count) => store.selectInvites(db, caller.org, at, last, count))
  },
})

export const createInvite = operation({
  route: 'POST /v1/iam/invites',
  summary: 'Invites a person by mail, with a link that is valid for a week; an earlier invite to the same address ends',
  description: `Membership begins when the person accepts. Only an owner invites owners. An organisation can send ${MAILS_MAX} invites an hour, and ${MAILS_PER_ADDRESS} to the same address. Only the mail contains the link.`,
  access: 'admin',
  owners: 'owners',
  issuesCredential: true,
  input: { email: { ...Email, examples: ['alan@example.com'] }, role: Role },
  output: Invite,
  status: 201,
  faults: ['conflict', 'too_many_tries', 'mail_unreachable'],
  audit: 'invite.create',
  emits: inviteCreated,
  run: async (context, { email, role }) => {
    const { bounds, caller, mail, state, write } = context
    requireOwnerFor(caller, role)
    const { token, ...invite } = newInvitation(context, { email: email.toLowerCase(), role, invitedBy: caller.email })
    const org = await write(async ({ db }) => {
      await lockMembersAs(db, caller)
      await requireQuota(db, bounds, caller.org, invite)
      return selectOrgName(db, caller.org)
    })
    // The mail is sent between two transactions. If the second one fails, the mailed link is invalid.
    await mail.send(invitationMail({ ...invite, org }, state.invitationUrl(token)))
    return write(async ({ db, record, emit }) => {
      await lockMembersAs(db, caller)
      await store.deleteInvitesTo(db, caller.org, invite.email, invite.created)
      await store.insertInvite(db, caller.org, invite)
      await bounds.require(db, tables.invites, caller.org) // Others may have been invited while the mail was sent.
      record(invite.email, { role: { to: role }, expires: { to: invite.expires } })
      emit('iam.invite.created', { id: invite.id, email: invite.email, role, expires: invite.expires })
      const { digest: _, ...shown } = invite
      return shown
    })
  },
})

type NewInvite = Pick<store.Invite, 'email' | 'created'>

/** Limits the mails, because recipients may not want them. */
async function requireQuota(db: Tx, bounds: Bounds, org: OrgId, { email, created }: NewInvite): Promise<void> {
  if (await store.isMember(db, org, email))
    throw conflict(`${email} is already a member.`, 'email', 'is already a member')
  await bounds.require(db, tables.invites, org, { adding: 1, among: store.isToOthers(email) })
  const since = new Date(Date.parse(created) - MAILS_WINDOW_MS).toISOString()
  const limits = { since, perAddress: MAILS_PER_ADDRESS, total: MAILS_MAX }
  if (await store.recordMail(db, org, email, created, limits)) return
  throw new Fault('too_many_tries', {
    message: `An organisation can send ${MAILS_MAX} invites per hour, and ${MAILS_PER_ADDRESS} to the same address. Try again later.`,
    retryAfterS: MAILS_WINDOW_MS / 1000,
  })
}

export const deleteInvite = operation({
  route: 'DELETE /v1/iam/invites/{id}',
  summary: 'Withdraws an invite: its link is no longer valid',
  access: 'admin',
  input: { id: InviteId },
  output: nothing,
  faults: ['not_found'],
  audit: 'invite.delete',
  emits: inviteRevoked,
  run: ({ caller, write }, { id }) =>
    write(async ({ db, record, emit }) => {
      const { email, role } = orNotFound(await store.deleteInvite(db, caller.org, id), 'invite')
      record(id, { email: { from: email }, role: { from: role } })
      emit('iam.invite.revoked', { id, email, role })
    }),
})
