// Operations at /v1/iam/me: the caller.
import { Type } from 'typebox'
import { nothing } from '../../../kit/answer.ts'
import { isCustomer, isLimited, isSuperadmin, type OrgId, type Role as TeamRole } from '../../../kit/caller.ts'
import { conflict } from '../../../kit/fault.ts'
import { displayName, string } from '../../../kit/fields.ts'
import { memberRemoved, userDeleted, userUpdated } from '../events.ts'
import { AccountId, CallerRole, Email, Role } from '../fields.ts'
import * as members from '../members/store.ts'
import * as people from '../people/store.ts'
import { operation } from '../state.ts'
import * as customers from '../users/store.ts'
import { removeCustomer, renameCustomer } from '../users/users.ts'
import { deletePerson } from './delete-person.ts'
import type { OwnEmitting, OwnWrite } from './own-write.ts'
import { isRecent } from './proof.ts'

const Membership = Type.Object(
  {
    org: string('The slug of the organisation', 'web-shop'),
    name: string('Its name', 'Web shop'),
    role: Role,
  },
  { title: 'Membership', description: 'An organisation that a person belongs to' },
)

const Credential = Type.Object(
  {
    kind: Type.Enum(['secret', 'session', 'token'], {
      description: 'A secret key, the session of a browser, or an access token',
    }),
    id: string('Its id, as in the audit trail', 'key_4vJ9mWcX2bQeT7yLrK0sZp1n'),
    limited: Type.Boolean({ description: 'Whether the credential has a limit, a budget or a rate' }),
  },
  { title: 'Credential', description: 'The credential that a request was made with' },
)

const Me = Type.Object(
  {
    user: AccountId,
    email: Email,
    emailVerified: Type.Boolean({ description: 'Whether the person has proved access to the mailbox' }),
    name: string('The name of the person; empty if none', 'Ada Lovelace'),
    org: string('The slug of the organisation that the credential belongs to', 'web-shop'),
    role: CallerRole,
    metadata: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: 'For a customer: what the organisation stores about them',
        examples: [{ plan: 'pro' }],
      }),
    ),
    project: Type.Union([Type.String(), Type.Null()], {
      description: 'The project of this request; null without one',
      examples: [null],
    }),
    superadmin: Type.Boolean({ description: 'Whether the caller is a superadmin' }),
    credential: Credential,
    orgs: Type.Array(Membership, {
      description:
        'All organisations that the person is a member of; for the token of an untrusted app, only that of the token; empty for a customer',
    }),
  },
  { title: 'Me', description: 'The caller' },
)

export const getMe = operation({
  route: 'GET /v1/iam/me',
  summary: 'Returns who the caller is: the person, their organisation and the credential in use',
  access: 'bearer',
  admits: ['users'],
  project: 'chosen',
  output: Me,
  run: async ({ db, caller }) => {
    const { user, email, org, role, project, credential } = caller
    const { id } = credential
    const kind = credential.kind as 'secret' | 'session' | 'token' // The only kinds that belong to a person.
    const memberships = await members.selectMemberships(db, user)
    const customer = isCustomer(caller) ? await customers.selectCustomer(db, org, user) : null
    // An app learns nothing about other organisations, unless it is trusted.
    const orgs = credential.isRestricted
      ? memberships.filter(one => one.org === org).map(one => ({ ...one, role: role as TeamRole }))
      : memberships
    return {
      user,
      email,
      ...(await people.selectProfile(db, user)),
      org,
      role,
      ...(customer && { metadata: customer.metadata }),
      project,
      superadmin: isSuperadmin(caller),
      credential: { kind, id, limited: isLimited(credential) },
      orgs,
    }
  },
})

export const PersonName = { ...displayName("The person's name"), examples: ['Ada Lovelace'] }

export const updateMe = operation({
  route: 'PATCH /v1/iam/me',
  summary: "Changes the caller's name, which apps see with the scope `profile`",
  access: 'person',
  admits: ['users'],
  input: { name: PersonName },
  output: Type.Object({ name: string('The new name', 'Ada Lovelace') }),
  audit: 'me.update',
  emits: userUpdated,
  run: async ({ caller, clock, write }, { name }) => {
    await write(scope =>
      isCustomer(caller)
        ? renameCustomer(scope, caller, name, clock.now().toISOString())
        : rename(scope, caller.user, name),
    )
    return { name }
  },
})

export const deleteMe = operation({
  route: 'DELETE /v1/iam/me',
  summary: "Deletes the caller's account, within 15 minutes of signing in",
  description:
    'It ends all their sessions and cannot be undone. A member of the team leaves all organisations, where their keys are deleted; what they created stays. The last owner of an organisation must make another member an owner, or delete the organisation, first. An app can delete only an account that belongs to no other organisation.',
  access: 'person',
  admits: ['users'],
  output: nothing,
  faults: ['conflict'],
  audit: 'user.delete',
  emits: { ...userDeleted, ...memberRemoved },
  run: async ({ caller, clock, write, state: { keys } }) => {
    const { org, user } = caller
    const { signIn } = caller.credential
    await write(async scope => {
      const { db } = scope
      const at = clock.now().toISOString()
      const customer = isCustomer(caller) ? await customers.lockCustomer(db, org, user) : null
      if (isCustomer(caller) && !customer) return
      if (!(await isRecent({ db, clock }, { user, signIn })))
        throw conflict('Sign in again first, then delete your account.')
      if (customer) await deleteOwn(scope, org, customer, at)
      else await deletePerson(scope, keys, caller, at)
    })
  },
})

/** A deletion by the customer. The account must be locked. */
export async function deleteOwn(
  { db, record, emit }: OwnEmitting<typeof userDeleted>,
  org: OrgId,
  customer: customers.Customer,
  at: string,
): Promise<void> {
  await removeCustomer(db, org, customer, at)
  record(customer.user)
  emit('iam.user.deleted', { user: customer.user }, org)
}

export async function rename({ db, record }: OwnWrite, user: string, name: string): Promise<void> {
  const before = await people.selectProfile(db, user)
  if (before.name === name) return
  await people.updateName(db, user, name)
  record(user, { name: { from: before.name, to: name } })
}
