// Choosing a new password by a mailed link, which proves access to the mailbox.
import { createHash } from 'node:crypto'
import type { Engines } from '../../../engines/engines.ts'
import type { OrgId } from '../../../kit/caller.ts'
import { insertAudit } from '../audit/store.ts'
import * as members from '../members/store.ts'
import { addNotice } from '../notices.ts'
import { endAccessOf } from './end-access.ts'
import * as store from './resets.store.ts'
import * as people from './store.ts'

const LIFETIME_MS = 60 * 60_000
/** Links that are sent to one person within the lifetime of a link. */
const MAILS_MAX = 3

type Mailing = Pick<Engines, 'db' | 'clock' | 'random' | 'mail'>

const linkDigest = (token: string) => createHash('sha256').update(token).digest()

/** Mails a link if there is such an account and it has not been sent too many. */
export async function sendReset(engines: Mailing, email: string, linkOf: (token: string) => string): Promise<void> {
  const { db, clock, random, mail } = engines
  const account = await people.selectAccount(db, email)
  if (!account) return
  const now = clock.now()
  const at = (ms: number) => new Date(now.getTime() + ms).toISOString()
  const token = random.token(43)
  const reset = { digest: linkDigest(token), user: account.user, email, created: at(0), expires: at(LIFETIME_MS) }
  const isSent = await db.transaction(tx => store.insertReset(tx, reset, at(-LIFETIME_MS), MAILS_MAX))
  if (isSent) await mail.send(resetMail(email, linkOf(token)))
}

const resetMail = (to: string, link: string) => ({
  to,
  subject: 'Choose a new password',
  text: `Someone asked for a new password for your account ${to}.

To choose one, open this link within an hour:

${link}

If that was not you, you can ignore this e-mail: your password stays the same.
`,
})

export const changedMail = (to: string) => ({
  to,
  subject: 'Your password was changed',
  text: `The password of your account ${to} was changed, and all other sessions were signed out.

If that was not you, choose a new password immediately: follow "Forgot your password?" on the sign-in page.
`,
})

/** The address of the account for which the link is valid; null if it is not. */
export const findReset = ({ db, clock }: Mailing, token: string): Promise<string | null> =>
  store.selectReset(db, linkDigest(token), clock.now().toISOString())

/** Sets the password, once, and ends all sign-ins. Returns the address of the account, or null if the link is no longer
 *  valid. */
export async function finishReset(
  { db, clock, random }: Mailing,
  token: string,
  passwordDigest: string,
  ip: string,
): Promise<string | null> {
  const at = clock.now().toISOString()
  return db.transaction(async tx => {
    const found = await store.lockReset(tx, linkDigest(token), at)
    if (!found) return null
    const { user, email } = found
    await people.setOwnPassword(tx, user, passwordDigest, at)
    await endAccessOf(tx, user, null, at)
    await addNotice({ db: tx, clock, random }, '', changedMail(email))
    const id = `reset_${random.token(12)}`
    const entry = { caller: { user, email, credential: { id } }, what: 'password.reset', on: 'password', changes: null }
    for (const { org } of await members.selectMemberships(tx, user)) {
      await insertAudit(tx, { org: org as OrgId, ...entry, at, ip, requestId: id })
    }
    return email
  })
}
