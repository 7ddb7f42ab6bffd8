// Operations at /v1/iam/me: the caller.
import { Type } from 'typebox'
import { isLimited, isSuperadmin } from '../../../kit/caller.ts'
import { displayName, string } from '../../../kit/fields.ts'
import { Email, Role, UserId } from '../fields.ts'
import * as members from '../members/store.ts'
import * as people from '../people/store.ts'
import { operation } from '../state.ts'
import type { OwnWrite } from './own-write.ts'

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
    user: UserId,
    email: Email,
    emailVerified: Type.Boolean({ description: 'Whether the person has proved access to the mailbox' }),
    name: string('The name that the person gave; empty if none', 'Ada Lovelace'),
    org: string('The slug of the organisation that the credential belongs to', 'web-shop'),
    role: Role,
    project: Type.Union([Type.String(), Type.Null()], {
      description: 'The project of this request; null without one',
      examples: [null],
    }),
    superadmin: Type.Boolean({ description: 'Whether the caller is a superadmin' }),
    credential: Credential,
    orgs: Type.Array(Membership, {
      description:
        'All organisations that the person is a member of; for the token of an app that is not trusted, only its own',
    }),
  },
  { title: 'Me', description: 'The caller' },
)

export const getMe = operation({
  route: 'GET /v1/iam/me',
  summary: 'Returns the caller, their organisation and the credential in use',
  access: 'bearer',
  project: 'chosen',
  output: Me,
  run: async ({ db, caller }) => {
    const { user, email, org, role, project, credential } = caller
    const { id } = credential
    const kind = credential.kind as 'secret' | 'session' | 'token' // The only kinds that belong to a person.
    const memberships = await members.selectMemberships(db, user)
    // An app learns nothing about other organisations, unless it is trusted.
    const orgs = credential.isRestricted
      ? memberships.filter(one => one.org === org).map(one => ({ ...one, role }))
      : memberships
    return {
      user,
      email,
      ...(await people.selectProfile(db, user)),
      org,
      role,
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
  input: { name: PersonName },
  output: Type.Object({ name: string('The new name', 'Ada Lovelace') }),
  audit: 'me.update',
  run: async ({ caller, write }, { name }) => {
    await write(scope => rename(scope, caller.user, name))
    return { name }
  },
})

export async function rename({ db, record }: OwnWrite, user: string, name: string): Promise<void> {
  const before = await people.selectProfile(db, user)
  if (before.name === name) return
  await people.updateName(db, user, name)
  record(user, { name: { from: before.name, to: name } })
}
