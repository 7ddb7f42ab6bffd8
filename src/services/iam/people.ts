// Adding people to an organisation.
import type { Clock, Random, Tx } from '../../engines/engines.ts'
import type { OrgId, Role } from '../../kit/caller.ts'
import { Fault } from '../../kit/fault.ts'
import * as store from './store.ts'

/** `passwordBy` is the organisation whose admin set the password; null if there is none or a superadmin set it. */
export type NewPerson = { email: string; passwordDigest: string | null; passwordBy: OrgId | null }

/** Adds a member, creating the account if there is none. An existing account keeps its password, because it may also
 *  give access to other organisations. */
export async function admitMember(
  { db, clock, random }: { db: Tx; clock: Clock; random: Random },
  org: OrgId,
  { email, passwordDigest, passwordBy }: NewPerson,
  role: Role,
): Promise<store.Member> {
  const created = clock.now().toISOString()
  const address = email.toLowerCase()
  const id = `usr_${random.token(24)}`
  const isNew = await store.insertUser(db, { id, email: address, password: passwordDigest, passwordBy, created })
  const { user, passwordBy: setBy } = isNew ? { user: id, passwordBy } : await store.selectUser(db, address)
  if (setBy !== null && setBy !== org) {
    // The admin who set the password knows it, and could sign in to this organisation with it.
    throw new Fault('conflict', {
      message: `Another organisation set the password of ${address}. Invite them instead, so that they choose their own password.`,
      fields: [{ path: 'email', says: 'has a password that another organisation set' }],
    })
  }
  if (!isNew && passwordDigest !== null) {
    throw new Fault('conflict', {
      message: `${address} already has an account and keeps its password. Omit \`password\`.`,
      fields: [{ path: 'password', says: 'cannot be set for an existing account' }],
    })
  }
  const member = { user, email: address, role, created }
  if (!(await store.insertMember(db, org, member))) {
    throw new Fault('conflict', {
      message: `${address} is already a member.`,
      fields: [{ path: 'email', says: 'is already a member' }],
    })
  }
  return member
}
