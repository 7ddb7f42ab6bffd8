// An invitation: what is mailed, and how whoever got it joins.
import { createHash } from 'node:crypto'
import type { Clock, Database, Random } from '../../../engines/engines.ts'
import type { OrgId } from '../../../kit/caller.ts'
import { endSignInsOf } from '../oidc/store.ts'
import { digestOf } from '../people.ts'
import * as people from '../store.ts'
import * as store from './store.ts'

const LASTS_MS = 7 * 24 * 60 * 60_000

type Engines = { db: Database; clock: Clock; random: Random }
type Asked = Pick<store.Invite, 'email' | 'role' | 'invitedBy'>

const linkDigest = (token: string) => createHash('sha256').update(token).digest()

export function newInvitation({ clock, random }: Pick<Engines, 'clock' | 'random'>, asked: Asked) {
  const token = random.token(43)
  const now = clock.now()
  const expires = new Date(now.getTime() + LASTS_MS).toISOString()
  const id = `inv_${random.token(24)}`
  return { ...asked, id, token, digest: linkDigest(token), created: now.toISOString(), expires }
}

export const invitationMail = (
  { email, role, invitedBy, org, expires }: Asked & { org: string; expires: string },
  link: string,
) => ({
  to: email,
  subject: `Join ${org}`,
  text: `${invitedBy} asks you to join ${org} as ${role}.

To do so, open this link by ${expires.slice(0, 10)}:

${link}

If you do not know what this is about, there is nothing for you to do.
`,
})

/** What the page behind a link says; null when it leads nowhere. */
export type Invitation = Asked & {
  org: string
  /** They have a password of their own and say it; all others choose one. */
  hasPassword: boolean
}

export function findInvitation({ db, clock }: Engines, token: string): Promise<Invitation | null> {
  return store.selectInvitation(db, linkDigest(token), clock.now().toISOString())
}

/** Rolls back: the account got a password of its own while one was chosen, or lost it while it was said. */
class Changed extends Error {}

/** `changed` asks for another try: the link is still good. */
export type Joined = 'joined' | 'ended' | 'changed'

/** Makes whoever has the link a member, with that password if they are to choose one. It is good once. A password that
 *  others know, or none, gives way: what was signed in with it ends. */
export async function join(engines: Engines, token: string, password: string | null, ip: string): Promise<Joined> {
  const digest = password === null ? null : await digestOf(password)
  const { clock, random } = engines
  const created = clock.now().toISOString()
  const joined = engines.db.transaction(async db => {
    const invite = await store.acceptInvite(db, linkDigest(token), created)
    if (!invite) return 'ended'
    const { id, email, role } = invite
    const org = invite.org as OrgId
    const newUser = { id: `usr_${random.token(24)}`, email, password: digest, passwordBy: null, created }
    const isNew = await people.insertUser(db, newUser)
    const { user, hasPassword } = isNew ? { user: newUser.id, hasPassword: false } : await people.lockUser(db, email)
    if (hasPassword !== (digest === null)) throw new Changed()
    if (!isNew && digest !== null) {
      await people.ownPassword(db, user, digest)
      await endSignInsOf(db, user, null)
    }
    await people.insertMember(db, org, user, role, created)
    const caller = { user, email, credential: { id } }
    const about = { what: 'invite.accept', on: user, changes: { role: { to: role } } }
    await people.insertAudit(db, { org, caller, ...about, at: created, ip, requestId: id })
    return 'joined'
  })
  return joined.catch(error => {
    if (error instanceof Changed) return 'changed'
    throw error
  })
}
