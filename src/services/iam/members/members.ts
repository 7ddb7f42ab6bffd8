// Operations under /v1/iam/members: the members of the organisation and their roles.

import { Type } from 'typebox'
import type { Tx } from '../../../engines/engines.ts'
import { nothing } from '../../../kit/answer.ts'
import { administers, type Caller } from '../../../kit/caller.ts'
import { conflict, Fault, orNotFound } from '../../../kit/fault.ts'
import { timestamp } from '../../../kit/fields.ts'
import { listing, page, paging } from '../../../kit/page.ts'
import { memberAdded, memberRemoved, memberUpdated } from '../events.ts'
import { Email, Role, UserId } from '../fields.ts'
import { Password, requireUncommon } from '../people/password-rules.ts'
import { addPerson } from '../people/people.ts'
import * as people from '../people/store.ts'
import { operation } from '../state.ts'
import * as tables from '../tables.ts'
import * as store from './store.ts'

const Member = Type.Object(
  { user: UserId, email: Email, role: Role, created: timestamp('When they joined') },
  { title: 'Member', description: 'A person who belongs to the organisation' },
)

export const listMembers = operation({
  route: 'GET /v1/iam/members',
  summary: "Lists the organisation's members, by e-mail address",
  access: 'bearer',
  input: paging,
  output: listing(Member),
  run: ({ db, caller }, query) =>
    page(query, (last, count) => store.selectMembers(db, caller.org, last, count), 'email'),
})

export const addMember = operation({
  route: 'POST /v1/iam/members',
  summary:
    'Creates an account for a new member; people who already have an account, or who become admin or owner, are invited instead',
  description:
    'Without a password, the person chooses one with `Forgot your password?` on the sign-in page. The maximum number of members is a setting.',
  access: 'admin',
  issuesCredential: true,
  input: { email: Email, role: Role, password: Type.Optional(Password) },
  output: Member,
  status: 201,
  faults: ['conflict'],
  audit: 'member.add',
  emits: memberAdded,
  run: async ({ bounds, caller, clock, passwords, random, request, write }, { email, role, password }) => {
    if (role !== 'member') throw passwordNotChosen(`Invite them as ${role} instead (POST /v1/iam/invites).`)
    await requireUncommon('password', password)
    const { org } = caller
    const passwordDigest = password === undefined ? null : await passwords.hash(org, password, request.signal)
    const person = { email, passwordDigest, passwordBy: passwordDigest === null ? null : org }
    return write({ serialize: true }, async ({ db, record, emit }) => {
      await lockMembersAs(db, caller)
      const member = await addPerson({ db, clock, random }, org, person)
      await bounds.require(db, tables.members, org)
      record(member.user, { email: { to: member.email }, role: { to: role } })
      emit('iam.member.added', { user: member.user, email: member.email, role })
      return member
    })
  },
})

export const updateMember = operation({
  route: 'PATCH /v1/iam/members/{user}',
  summary: "Changes a member's role",
  description:
    'Only an owner can make someone an owner, or change the role of an owner. A new owner or admin must have chosen their own password. The last owner cannot be demoted.',
  access: 'admin',
  owners: 'owners',
  issuesCredential: true,
  input: { user: UserId, role: Role },
  output: Member,
  faults: ['not_found', 'conflict'],
  audit: 'member.update',
  emits: memberUpdated,
  run: ({ caller, write }, { user, role }) =>
    write(async ({ db, record, emit }) => {
      const member = await lockedMember(db, caller, user)
      if (member.role === role) return member
      requireOwnerFor(caller, role)
      requireOwnerFor(caller, member.role)
      if (member.role === 'owner') await requireAnotherOwner(db, caller, user)
      if (role !== 'member' && !(await people.hasOwnPassword(db, user))) {
        throw passwordNotChosen('They can do so with `Forgot your password?` on the sign-in page.')
      }
      await store.updateRole(db, caller.org, user, role)
      record(user, { role: { from: member.role, to: role } })
      emit('iam.member.updated', { user, email: member.email, role, changed: ['role'] })
      return { ...member, role }
    }),
})

export const removeMember = operation({
  route: 'DELETE /v1/iam/members/{user}',
  summary: 'Removes a member and ends their keys and sessions immediately; members can remove themselves',
  description:
    'Only an owner or admin can remove others, and only an owner can remove owners. The last owner cannot be removed. The account of the person stays.',
  access: 'bearer',
  owners: 'owners',
  issuesCredential: true, // Memberships give access, so keys that may not manage credentials may not change them.
  input: { user: UserId },
  output: nothing,
  faults: ['not_found', 'conflict'],
  audit: 'member.remove',
  emits: memberRemoved,
  run: ({ caller, clock, state: { keys }, write }, { user }) =>
    write(async ({ db, record, emit }) => {
      const member = await lockedMember(db, caller, user)
      if (user !== caller.user) {
        if (!administers(caller)) {
          throw new Fault('forbidden', {
            message: 'Only an owner or admin of the organisation can remove other members.',
          })
        }
        requireOwnerFor(caller, member.role)
      }
      if (member.role === 'owner') await requireAnotherOwner(db, caller, user)
      await keys.revokeOf(db, caller.org, user, caller.email, clock.now().toISOString())
      await store.deleteMember(db, caller.org, user)
      record(user, { email: { from: member.email }, role: { from: member.role } })
      emit('iam.member.removed', { user, email: member.email, role: member.role })
    }),
})

/** Locks the members of the organisation. The caller may have been demoted or removed since the request was admitted. */
export async function lockMembersAs(db: Tx, { org, user, role }: Caller): Promise<void> {
  await store.lockMembers(db, org)
  const current = await store.selectMember(db, org, user)
  if (current && RANKS.indexOf(current.role) >= RANKS.indexOf(role)) return
  throw new Fault('forbidden', { message: 'Your role in the organisation was changed at the same moment.' })
}

const RANKS = ['member', 'admin', 'owner']

/** Returns the member after locking the members of the organisation. */
export async function lockedMember(db: Tx, caller: Caller, user: string): Promise<store.Member> {
  await lockMembersAs(db, caller)
  return orNotFound(await store.selectMember(db, caller.org, user), 'member')
}

/** Otherwise the admin who set the password of an owner or admin could act as them. */
const passwordNotChosen = (remedy: string) =>
  conflict(
    `An owner or admin must have chosen their own password. ${remedy}`,
    'role',
    'needs a password that the person chose',
  )

export function requireOwnerFor(caller: Caller, role: store.Member['role']): void {
  if (role !== 'owner' || caller.role === 'owner') return
  throw new Fault('forbidden', { message: 'Only an owner of the organisation can add, change or remove owners.' })
}

export async function requireAnotherOwner(db: Tx, { org }: Caller, user: string): Promise<void> {
  if (await store.hasOtherOwner(db, org, user)) return
  throw conflict('This is the last owner of the organisation. Make another member an owner first.')
}
