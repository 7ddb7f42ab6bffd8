// Adding people to an organisation.
import type { Clock, Random, Tx } from '../../../engines/engines.ts'
import type { OrgId } from '../../../kit/caller.ts'
import { conflict } from '../../../kit/fault.ts'
import * as members from '../members/store.ts'
import * as store from './store.ts'

/** `passwordBy` is the organisation whose admin set the password; null if there is none or a superadmin set it. */
export type NewPerson = { email: string; passwordDigest: string | null; passwordBy: OrgId | null }

/** Creates the account of a new member. People with an account are invited instead: joining needs their consent. */
export async function addPerson(engines: Adding, org: OrgId, person: NewPerson): Promise<members.Member> {
  const { user, email, isNew, created } = await accountFor(engines, person)
  if (!isNew) {
    const message = `${email} already has an account. Invite them instead (POST /v1/iam/invites): joining needs their consent.`
    throw conflict(message, 'email', 'already has an account; invite them')
  }
  const member = { user, email, role: 'member' as const, created }
  await members.insertMember(engines.db, org, member)
  return member
}

/** Adds the first owner of a new organisation, creating the account if there is none. An existing account keeps its
 *  password, because it may also give access to other organisations. */
export async function addFirstOwner(engines: Adding, org: OrgId, person: NewPerson): Promise<members.Member> {
  const { user, email, isNew, passwordBy, created } = await accountFor(engines, person)
  if (!isNew && passwordBy !== null) {
    // The admin who set the password knows it, and could sign in to this organisation with it.
    const message = `Another organisation set the password of ${email}. They must choose their own first.`
    throw conflict(message, 'owner.email', 'has a password that another organisation set')
  }
  if (!isNew && person.passwordDigest !== null) {
    const message = `${email} already has an account and keeps its password. Omit \`password\`.`
    throw conflict(message, 'owner.password', 'cannot be set for an existing account')
  }
  const member = { user, email, role: 'owner' as const, created }
  await members.insertMember(engines.db, org, member)
  return member
}

type Adding = { db: Tx; clock: Clock; random: Random }
type AccountFor = { user: string; email: string; isNew: boolean; passwordBy: string | null; created: string }

/** The account with that address; it is created if it does not exist. */
async function accountFor(
  { db, clock, random }: Adding,
  { email: address, passwordDigest: password, passwordBy }: NewPerson,
): Promise<AccountFor> {
  const created = clock.now().toISOString()
  const email = address.toLowerCase()
  const id = `usr_${random.token(24)}`
  const isNew = await store.insertUser(db, { id, email, password, passwordBy, created })
  const account = isNew ? { user: id, passwordBy } : await store.selectUser(db, email)
  return { ...account, email, isNew, created }
}
