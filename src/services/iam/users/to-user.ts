// Operations under /v1/iam/members/{user}/to-user: someone who became a member by mistake is turned into a customer.
import { conflict } from '../../../kit/fault.ts'
import { memberRemoved, userCreated } from '../events.ts'
import { UserId } from '../fields.ts'
import { lockedMember, requireAnotherOwner, requireOwnerFor } from '../members/members.ts'
import { deleteMember } from '../members/store.ts'
import * as people from '../people/store.ts'
import { operation } from '../state.ts'
import * as tables from '../tables.ts'
import * as store from './store.ts'
import { User } from './users.ts'

export const makeMemberUser = operation({
  route: 'POST /v1/iam/members/{user}/to-user',
  summary: 'Removes a member from the team and creates a customer account with the same address',
  description:
    'Their keys and sign-ins in the organisation end immediately. The password stays with the team account, which may belong to other organisations too; the customer signs in with a mailed code, or uses one to choose a password. Only an owner can move an owner, and the last owner cannot be moved.',
  access: 'admin',
  owners: 'owners',
  issuesCredential: true, // Memberships give access, so keys that may not manage credentials may not change them.
  input: { user: UserId },
  output: User,
  status: 201,
  faults: ['not_found', 'conflict'],
  audit: 'member.to_user',
  emits: { ...memberRemoved, ...userCreated },
  run: ({ bounds, caller, clock, random, state: { keys }, write }, { user }) =>
    write(async ({ db, record, emit }) => {
      const { org } = caller
      const member = await lockedMember(db, caller, user)
      requireOwnerFor(caller, member.role)
      if (member.role === 'owner') await requireAnotherOwner(db, caller, user)
      const { name, emailVerified } = await people.selectProfile(db, user)
      const { email, role } = member
      const created = clock.now().toISOString()
      const customer = { user: `cus_${random.token(24)}`, email, name, metadata: {}, created }
      const verified = emailVerified ? created : null
      if (!(await store.insertCustomer(db, org, { ...customer, password: null, verified }))) {
        throw conflict(`${email} already is a customer. Remove the member instead (DELETE /v1/iam/members/{user}).`)
      }
      await bounds.require(db, tables.customers, org)
      await keys.revokeOf(db, org, user, caller.email, created)
      await deleteMember(db, org, user)
      record(user, { role: { from: role, to: 'user' }, user: { to: customer.user } })
      emit('iam.member.removed', { user, email, role })
      emit('iam.user.created', { user: customer.user, email })
      return { ...customer, emailVerified, blocked: false, updated: created }
    }),
})
