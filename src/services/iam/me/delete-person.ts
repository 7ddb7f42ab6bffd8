// The deletion of a person of the team, from all organisations that they belong to.
import type { Tx } from '../../../engines/engines.ts'
import type { Caller, OrgId } from '../../../kit/caller.ts'
import { conflict } from '../../../kit/fault.ts'
import type { memberRemoved } from '../events.ts'
import * as members from '../members/store.ts'
import { deleteChangesOf } from '../people/address-changes.store.ts'
import { endAccessOf } from '../people/end-access.ts'
import * as people from '../people/store.ts'
import { deleteEntriesOf } from '../sessions/oidc.store.ts'
import type { Keys } from '../state.ts'
import type { OwnEmitting } from './own-write.ts'

/** The organisations are locked in one order and before the person, as when somebody joins, so that these cannot deadlock. */
export async function deletePerson(
  { db, record, emit }: OwnEmitting<typeof memberRemoved>,
  keys: Pick<Keys, 'revokeOf'>,
  { org: appOrg, user, credential }: Caller,
  at: string,
): Promise<void> {
  const locked = new Set<OrgId>()
  for (const { org } of await members.selectMemberships(db, user)) {
    await members.lockMembers(db, org)
    locked.add(org)
  }
  const email = await people.lockForDeletion(db, user)
  if (email === null) return
  const memberships = await members.selectMemberships(db, user)
  if (memberships.some(({ org }) => !locked.has(org))) {
    throw conflict('You joined an organisation at the same moment. Delete your account again.')
  }
  // An app of one organisation, however trusted there, decides nothing in the others.
  if (credential.kind !== 'session' && memberships.some(({ org }) => org !== appOrg)) {
    throw conflict('You belong to other organisations too: delete your account in the console of Stoa, not in an app.')
  }
  await requireOtherOwners(db, user, memberships)
  for (const { org, role } of memberships) {
    await keys.revokeOf(db, org, user, email, at)
    record(user, { email: { from: email }, role: { from: role } }, org)
    emit('iam.member.removed', { user, email, role }, org)
  }
  await endAccessOf(db, user, null, at)
  await deleteEntriesOf(db, user)
  await deleteChangesOf(db, user)
  await people.deleteUser(db, user)
}

async function requireOtherOwners(db: Tx, user: string, memberships: readonly members.Membership[]): Promise<void> {
  const alone: string[] = []
  for (const { org, role } of memberships) {
    if (role === 'owner' && !(await members.hasOtherOwner(db, org, user))) alone.push(org)
  }
  if (alone.length === 0) return
  throw conflict(
    `You are the last owner of ${alone.join(', ')}. Make another member an owner, or delete the organisation, first.`,
  )
}
