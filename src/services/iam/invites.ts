// Operations under /v1/iam/invites: people who were asked to join, by a link in a mail. Whoever opens it has that mailbox,
// so the password they choose is theirs alone.
import { Type } from 'typebox'
import { Fault, notFound } from '../../kit/fault.ts'
import { timestamp } from '../../kit/fields.ts'
import { nothing, operation } from '../../kit/operation.ts'
import { listing, page, paging, placeFrom, placeKey } from '../../kit/page.ts'
import { Email, Role } from './fields.ts'
import { invitationMail, newInvitation } from './invitations/invitation.ts'
import * as store from './invitations/store.ts'
import { requireOwnerFor } from './members.ts'

/** Each one is a mail to somebody who may not want it. */
const INVITES_MAX = 500

const Id = Type.String({
  pattern: '^inv_[0-9A-Za-z]{1,40}$',
  description: "An invite's id, `inv_…`",
  examples: ['inv_4vJ9mWcX2bQeT7yLrK0sZp1n'],
})
const Invite = Type.Object({
  id: Id,
  email: Email,
  role: Role,
  invitedBy: Type.String({ description: 'The address of who asked them' }),
  created: timestamp('When they were asked'),
  expires: timestamp('Until when they can join'),
})

export const listInvites = operation({
  route: 'GET /v1/iam/invites',
  summary: 'Who was asked to join and has not yet, newest first',
  access: 'admin',
  input: paging,
  output: listing(Invite),
  run: ({ db, caller, clock }, asked) =>
    page(
      asked,
      (last, count) => store.selectInvites(db, caller.org, clock.now().toISOString(), placeFrom(last), count),
      placeKey,
    ),
})

export const createInvite = operation({
  route: 'POST /v1/iam/invites',
  summary: 'Asks somebody by mail to join, with a link that is good for a week; an earlier one to that address ends',
  access: 'admin',
  mints: true,
  inTurns: true, // Each waits for the mail server with a transaction open.
  input: { email: Email, role: Role },
  output: Invite,
  status: 201,
  faults: ['conflict', 'mail_unreachable'],
  audit: { what: 'invite.create', on: (_input, { email, role }) => `${email} ${role}` },
  run: async (context, { email, role }) => {
    const { db, caller, mail, signIn } = context
    requireOwnerFor(caller, role)
    const { token, ...invite } = newInvitation(context, { email: email.toLowerCase(), role, invitedBy: caller.email })
    if (await store.isMember(db, caller.org, invite.email)) {
      throw new Fault('conflict', {
        message: `${invite.email} is a member already.`,
        fields: [{ path: 'email', says: 'is a member already' }],
      })
    }
    await store.deleteInvitesTo(db, caller.org, invite.email, invite.created)
    if ((await store.insertInvite(db, caller.org, invite)) > INVITES_MAX) {
      throw new Fault('conflict', {
        message: `There are ${INVITES_MAX} open invites already; withdraw some, or wait until they end.`,
      })
    }
    const org = await store.selectOrgName(db, caller.org)
    await mail.send(invitationMail({ ...invite, org }, signIn().invitationUrl(token)))
    const { digest: _, ...shown } = invite
    return shown
  },
})

export const deleteInvite = operation({
  route: 'DELETE /v1/iam/invites/{id}',
  summary: 'Withdraws an invite: its link leads nowhere any more',
  access: 'admin',
  input: { id: Id },
  output: nothing,
  faults: ['not_found'],
  audit: { what: 'invite.delete', on: ({ id }) => id },
  run: async ({ db, caller }, { id }) => {
    if (!(await store.deleteInvite(db, caller.org, id))) throw notFound('invite')
  },
})
