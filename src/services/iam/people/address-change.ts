// Changing the address of an account: a link proves the new mailbox, and the old one is notified.
import { createHash } from 'node:crypto'
import { ConstraintViolated, type Engines, type Tx } from '../../../engines/engines.ts'
import type { OrgId } from '../../../kit/caller.ts'
import { emitting, type Publishing } from '../../../kit/events.ts'
import type { CustomerMails } from '../../../kit/host/sign-in.ts'
import { insertAudit } from '../audit/store.ts'
import { memberUpdated } from '../events.ts'
import * as members from '../members/store.ts'
import { addNotice } from '../notices.ts'
import { moveCustomer } from '../users/move.ts'
import { isCustomerId } from './accounts.ts'
import * as store from './address-changes.store.ts'
import { endResetsOf } from './resets.store.ts'

const LIFETIME_MS = 60 * 60_000
/** Links that one person can send within the lifetime of a link. */
const MAILS_MAX = 3

const linkDigest = (token: string) => createHash('sha256').update(token).digest()

type Requesting = Pick<Engines, 'clock' | 'random'> & { db: Tx }

/** Stores the change; returns the token of its link, or null if the person was sent too many. */
export async function requestChange(
  { db, clock, random }: Requesting,
  user: string,
  email: string,
): Promise<string | null> {
  const token = random.token(43)
  const now = clock.now().getTime()
  const at = (ms: number) => new Date(now + ms).toISOString()
  const change = { digest: linkDigest(token), user, email, created: at(0), expires: at(LIFETIME_MS) }
  return (await store.insertChange(db, change, at(-LIFETIME_MS), MAILS_MAX)) ? token : null
}

/** A link that could not be mailed does not count as sent. */
export const forgetChange = (db: Tx, token: string): Promise<void> => store.deleteChange(db, linkDigest(token))

export const confirmMail = (to: string, link: string) => ({
  to,
  subject: 'Confirm your new address',
  text: `Someone wants to use this address for their account.

If that was you, open this link within an hour, in a browser in which you are signed in to that account:

${link}

If it was not, you can ignore this e-mail.
`,
})

/** To the owner of an existing account with that address. */
export const takenMail = (to: string) => ({
  to,
  subject: 'You already have an account',
  text: `Someone tried to use this address for their account, but an account with this address already exists.

If that was you, sign in with this address instead. If it was not, you can ignore this e-mail.
`,
})

const movedMail = ({ from, to }: store.UsedChange) => ({
  to: from,
  subject: 'The address of your account was changed',
  text: `Your account now has the address ${to} instead of ${from}.

If that was not you, contact the operator of the app, or an owner or admin of your organisation, immediately.
`,
})

type Finding = Pick<Engines, 'db' | 'clock'>

/** What a link changes; null if it is not valid. */
export const findChange = ({ db, clock }: Finding, token: string): Promise<store.PendingChange | null> =>
  store.selectChange(db, linkDigest(token), clock.now().toISOString())

/** Changes the address, once. Null if the link is no longer valid, or another account has the address by now. */
export async function finishChange(
  engines: Finding & Publishing,
  token: string,
  ip: string,
  mails: CustomerMails | null,
): Promise<store.UsedChange | null> {
  const { db, clock, random } = engines
  const at = clock.now().toISOString()
  const id = `address_${random.token(12)}`
  const changed = db.transaction(async tx => {
    const change = await store.useChange(tx, linkDigest(token), at)
    if (!change) return null
    const { user, from, to } = change
    if (isCustomerId(user)) {
      const org = await moveCustomer(engines, tx, change, at)
      if (org !== null) await addNotice({ db: tx, clock, random }, org, mails?.moved(from, to) ?? movedMail(change))
      return org === null ? null : change
    }
    if (!(await store.updateAddress(tx, change, at))) return null
    await endResetsOf(tx, user, at) // They were sent to the old mailbox.
    await addNotice({ db: tx, clock, random }, '', movedMail(change))
    const entry = { caller: { user, email: to, credential: { id } }, what: 'email.change', on: user }
    const memberships = await members.selectMemberships(tx, user)
    for (const { org } of memberships) {
      const changes = { email: { from, to } }
      await insertAudit(tx, { org: org as OrgId, ...entry, changes, at, ip, requestId: id })
    }
    await emitting(engines, tx, memberUpdated, emit => {
      for (const { org, role } of memberships) {
        emit('iam.member.updated', { user, email: to, role, changed: ['email'] }, org as OrgId)
      }
    })
    return change
  })
  return changed.catch(error => {
    if (error instanceof ConstraintViolated) return null // Another account got the address at the same moment.
    throw error
  })
}
