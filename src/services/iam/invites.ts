// Operations under /v1/iam/invites: people who were asked to join, by a link in a mail. Whoever opens it has that mailbox,
// so the password they choose is theirs alone.
import { Type } from 'typebox'
import type { Tx } from '../../engines/engines.ts'
import { nothing } from '../../kit/answer.ts'
import type { OrgId } from '../../kit/caller.ts'
import { Fault, notFound } from '../../kit/fault.ts'
import { timestamp } from '../../kit/fields.ts'
import { listing, page, paging, positionFrom, positionKey } from '../../kit/page.ts'
import { Email, Role } from './fields.ts'
import { invitationMail, newInvitation } from './invitations/invitation.ts'
import * as store from './invitations/store.ts'
import { requireOwnerFor } from './members.ts'
import { operation } from './state.ts'

const INVITES_MAX = 500
const MAILS_WINDOW_MS = 60 * 60_000
const MAILS_MAX = 100
const MAILS_PER_ADDRESS = 5

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
      (last, count) => store.selectInvites(db, caller.org, clock.now().toISOString(), positionFrom(last), count),
      positionKey,
    ),
})

export const createInvite = operation({
  route: 'POST /v1/iam/invites',
  summary: 'Asks somebody by mail to join, with a link that is good for a week; an earlier one to that address ends',
  access: 'admin',
  issuesCredential: true,
  input: { email: Email, role: Role },
  output: Invite,
  status: 201,
  faults: ['conflict', 'too_many_tries', 'mail_unreachable'],
  audit: 'invite.create',
  run: async (context, { email, role }) => {
    const { caller, mail, state, write } = context
    requireOwnerFor(caller, role)
    const { token, ...invite } = newInvitation(context, { email: email.toLowerCase(), role, invitedBy: caller.email })
    const org = await write(async ({ db }) => {
      await store.lockInvites(db, caller.org)
      await requireQuota(db, caller.org, invite)
      return store.selectOrgName(db, caller.org)
    })
    // The mail goes out between two transactions. What fails afterwards leaves a link that leads nowhere.
    await mail.send(invitationMail({ ...invite, org }, state.invitationUrl(token)))
    return write(async ({ db, record }) => {
      await store.lockInvites(db, caller.org)
      await store.deleteInvitesTo(db, caller.org, invite.email, invite.created)
      await requireSpace(db, caller.org, invite.created) // Others may have been asked while the mail was on its way.
      await store.insertInvite(db, caller.org, invite)
      record(invite.email, { role: { to: role } })
      const { digest: _, ...shown } = invite
      return shown
    })
  },
})

async function requireSpace(db: Tx, org: OrgId, created: string): Promise<void> {
  if ((await store.countInvites(db, org, created)) < INVITES_MAX) return
  throw new Fault('conflict', {
    message: `There are ${INVITES_MAX} open invites already; withdraw some, or wait until they end.`,
  })
}

/** Each one is a mail to somebody who may not want it. */
async function requireQuota(db: Tx, org: OrgId, { email, created }: Pick<store.Invite, 'email' | 'created'>) {
  if (await store.isMember(db, org, email)) {
    throw new Fault('conflict', {
      message: `${email} is a member already.`,
      fields: [{ path: 'email', says: 'is a member already' }],
    })
  }
  await requireSpace(db, org, created)
  const since = new Date(Date.parse(created) - MAILS_WINDOW_MS).toISOString()
  const bounds = { since, perAddress: MAILS_PER_ADDRESS, inAll: MAILS_MAX }
  if (await store.noteMail(db, org, email, created, bounds)) return
  throw new Fault('too_many_tries', {
    message: `An organisation sends at most ${MAILS_MAX} invites an hour, and ${MAILS_PER_ADDRESS} to one address. Wait and try again.`,
    retryAfterS: MAILS_WINDOW_MS / 1000,
  })
}

export const deleteInvite = operation({
  route: 'DELETE /v1/iam/invites/{id}',
  summary: 'Withdraws an invite: its link leads nowhere any more',
  access: 'admin',
  input: { id: Id },
  output: nothing,
  faults: ['not_found'],
  audit: 'invite.delete',
  run: ({ caller, write }, { id }) =>
    write(async ({ db, record }) => {
      if (!(await store.deleteInvite(db, caller.org, id))) throw notFound('invite')
      record(id)
    }),
})
