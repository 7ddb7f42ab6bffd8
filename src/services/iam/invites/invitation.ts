// Invitations: creating one, its mail, and joining by its link.

import { createHash } from 'node:crypto'
import type { Clock, Database, Random } from '../../../engines/engines.ts'
import type { OrgId } from '../../../kit/caller.ts'
import { emitting, type Publishing } from '../../../kit/events.ts'
import { Fault } from '../../../kit/fault.ts'
import type { Bounds } from '../../../kit/table.ts'
import { insertAudit } from '../audit/store.ts'
import { emitJoined, joining } from '../events.ts'
import * as members from '../members/store.ts'
import { endAccessOf } from '../people/end-access.ts'
import * as people from '../people/store.ts'
import * as tables from '../tables.ts'
import * as store from './store.ts'

const LIFETIME_MS = 7 * 24 * 60 * 60_000

type Engines = { db: Database; clock: Clock; random: Random }
type InviteFields = Pick<store.Invite, 'email' | 'role' | 'invitedBy'>

const linkDigest = (token: string) => createHash('sha256').update(token).digest()

export function newInvitation({ clock, random }: Pick<Engines, 'clock' | 'random'>, fields: InviteFields) {
  const token = random.token(43)
  const now = clock.now()
  const expires = new Date(now.getTime() + LIFETIME_MS).toISOString()
  const id = `inv_${random.token(24)}`
  return { ...fields, id, token, digest: linkDigest(token), created: now.toISOString(), expires }
}

export const invitationMail = (
  { email, role, invitedBy, org, expires }: InviteFields & { org: string; expires: string },
  link: string,
) => ({
  to: email,
  subject: `Join ${org}`,
  text: `${invitedBy} invited you to join ${org} as ${role}.

To accept, open this link by ${expires.slice(0, 10)}:

${link}

If you did not expect this invitation, you can ignore this e-mail.
`,
})

/** Shown on the page that the link opens. */
export type Invitation = InviteFields & {
  org: string
  /** Whether the person has a password of their own and must enter it; otherwise they choose one. */
  hasPassword: boolean
}

export function findInvitation({ db, clock }: Engines, token: string): Promise<Invitation | null> {
  return store.selectInvitation(db, linkDigest(token), clock.now().toISOString())
}

/** After `changed` or `full` the link is still valid, and the person can try again. `changed`: the account got a password
 *  while a new one was submitted, or lost the one submitted. `full`: the organisation has its maximum of members. */
export type Joined = 'joined' | 'ended' | 'changed' | 'full'

/** Rolls back the transaction. */
class Refused extends Error {
  readonly reason: 'changed' | 'full'
  constructor(reason: 'changed' | 'full') {
    super(reason)
    this.reason = reason
  }
}

/** Accepts an invitation, once. `digest`, of a new password, is set if the person has not chosen a password yet: it replaces
 *  a password that an admin set, and ends the sign-ins made with that. */
export async function join(
  engines: Engines & Publishing & { bounds: Bounds },
  token: string,
  digest: string | null,
  ip: string,
): Promise<Joined> {
  const { clock, random, bounds } = engines
  const created = clock.now().toISOString()
  const joined = engines.db.transaction(async db => {
    // Locked first, as in the other operations that add members, so that they cannot deadlock.
    const found = await store.findInviteOf(db, linkDigest(token))
    if (found) await members.lockMembers(db, found.org)
    const invite = found && (await store.acceptInvite(db, found.id, created))
    if (!invite) return 'ended'
    const { id, email } = invite
    const org = invite.org as OrgId
    const newUser = { id: `usr_${random.token(24)}`, email, password: digest, passwordBy: null, created }
    const isNew = await people.insertUser(db, newUser)
    const { user, hasPassword } = isNew ? { user: newUser.id, hasPassword: false } : await people.lockUser(db, email)
    if (hasPassword !== (digest === null)) throw new Refused('changed')
    if (!isNew && digest !== null) {
      await people.setOwnPassword(db, user, digest, created)
      await endAccessOf(db, user, null, created)
    } else await people.verifyAddress(db, user, created)
    const before = await members.selectMember(db, org, user)
    const role = await members.insertMember(db, org, { user, email, role: invite.role, created })
    await bounds.require(db, tables.members, org).catch(error => {
      throw error instanceof Fault ? new Refused('full') : error
    })
    const caller = { user, email, credential: { id } }
    const entry = { what: 'invite.accept', on: user, changes: { role: { to: role } } }
    await insertAudit(db, { org, caller, ...entry, at: created, ip, requestId: id })
    await emitting(engines, db, joining, emit => emitJoined(emit, org, id, before, { user, email, role }))
    return 'joined'
  })
  return joined.catch(error => {
    if (error instanceof Refused) return error.reason
    throw error
  })
}
