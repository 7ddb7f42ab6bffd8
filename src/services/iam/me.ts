// Operations under /v1/iam/me: the caller, as the host knows them.
import { Type } from 'typebox'
import { isLimited, isSuperadmin } from '../../kit/caller.ts'
import { Email, Role, UserId } from './fields.ts'
import { operation } from './state.ts'
import * as store from './store.ts'

export const getMe = operation({
  route: 'GET /v1/iam/me',
  summary: 'Who the caller is, in which organisation, and by which credential',
  access: 'bearer',
  project: 'chosen',
  output: Type.Object({
    user: UserId,
    email: Email,
    org: Type.String({ description: 'The organisation the credential belongs to, by its slug' }),
    role: Role,
    project: Type.Union([Type.String(), Type.Null()], { description: 'The project this request acts in' }),
    superadmin: Type.Boolean({ description: 'Whether they run the platform itself' }),
    credential: Type.Object({
      kind: Type.Enum(['secret', 'session', 'token']),
      id: Type.String(),
      limited: Type.Boolean({ description: 'Whether it has a limit, a budget or a rate' }),
    }),
    orgs: Type.Array(Type.Object({ org: Type.String(), name: Type.String(), role: Role }), {
      description: 'Every organisation this person belongs to',
    }),
  }),
  run: async ({ db, caller }) => {
    const { user, email, org, role, project, credential } = caller
    const { id } = credential
    const kind = credential.kind as 'secret' | 'session' | 'token' // The only ones a person can hold.
    const about = { kind, id, limited: isLimited(credential) }
    const orgs = await store.selectMemberships(db, user)
    return { user, email, org, role, project, superadmin: isSuperadmin(caller), credential: about, orgs }
  },
})
