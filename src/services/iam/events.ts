// The events about organisations, their people and their apps.
import { Type } from 'typebox'
import type { OrgId } from '../../kit/caller.ts'
import { Changed, type EmitTo, event } from '../../kit/events.ts'
import { displayName, slug, string, timestamp } from '../../kit/fields.ts'
import { AccountId, AppId, CustomerId, Email, InviteId, Role, SignInId, UserId, WorkspaceId } from './fields.ts'
import type { Member } from './members/store.ts'

const org = { slug: slug("The organisation's slug"), name: displayName("The organisation's name") }
export const orgCreated = event('iam.org.created', 'A superadmin created an organisation, with its owner and a key', {
  ...org,
  owner: Type.Object({ user: UserId, email: Email }, { additionalProperties: false, description: 'The first owner' }),
})
export const orgUpdated = event('iam.org.updated', 'An organisation was changed', { ...org, changed: Changed })
export const orgDeleted = event(
  'iam.org.deleted',
  'An organisation was deleted, with everything that belonged to it',
  org,
)

const member = { user: UserId, email: Email, role: Role }
export const memberAdded = event('iam.member.added', 'A person became a member of the organisation', member)
export const memberUpdated = event('iam.member.updated', 'The role or the address of a member changed', {
  ...member,
  changed: Changed,
})
export const memberRemoved = event(
  'iam.member.removed',
  'A member left or was removed; their keys and sign-ins of the organisation ended',
  member,
)

const user = { user: CustomerId }
export const userCreated = event('iam.user.created', 'A customer registered, or an admin created their account', {
  ...user,
  email: Email,
})
export const userUpdated = event('iam.user.updated', 'The account of a customer changed', {
  ...user,
  email: Email,
  changed: Changed,
})
export const userBlocked = event('iam.user.blocked', 'An admin blocked a customer, whose sign-ins ended', user)
export const userSignedIn = event('iam.user.signed_in', 'A customer signed in', user)
export const userDeleted = event('iam.user.deleted', 'The account of a customer was deleted', user)

const invite = { id: InviteId, email: Email, role: Role }
export const inviteCreated = event(
  'iam.invite.created',
  'A person was invited; an earlier invite to the same address ended',
  { ...invite, expires: timestamp('When the invite expires') },
)
export const inviteRevoked = event('iam.invite.revoked', 'An owner or admin withdrew an invite', invite)
export const inviteAccepted = event('iam.invite.accepted', 'A person accepted an invite', { ...invite, user: UserId })
export const inviteDeclined = event('iam.invite.declined', 'A person declined an invite', invite)

const app = {
  id: AppId,
  brand: string('The brand at whose origin people sign in', 'default'),
}
const shownApp = {
  ...app,
  name: displayName('The name of the app'),
  trusted: Type.Boolean({ description: "Whether its tokens carry the person's role" }),
}
export const appCreated = event('iam.app.created', 'An app was registered', {
  ...shownApp,
  type: Type.Enum(['confidential', 'public'], { description: 'Whether it has a secret' }),
})
export const appUpdated = event('iam.app.updated', 'An app was changed', { ...shownApp, changed: Changed })
export const appDeleted = event('iam.app.deleted', 'An app was deleted, and its tokens ended', app)
export const appSecretRotated = event('iam.app.secret_rotated', 'The secret of an app was replaced', app)

export const sessionEnded = event('iam.session.ended', 'A sign-in was ended by the person, or by an owner or admin', {
  id: SignInId,
  user: AccountId,
})

const workspace = { id: WorkspaceId, name: displayName("The workspace's name") }
export const workspaceCreated = event('iam.workspace.created', 'A workspace was created', workspace)
export const workspaceDeleted = event(
  'iam.workspace.deleted',
  'A workspace was deleted, and its tokens ended',
  workspace,
)
export const workspaceTokenIssued = event('iam.workspace.token_issued', 'A token of a workspace was issued', {
  id: WorkspaceId,
  expires: timestamp('When the token expires'),
})

export const signingKeysRotated = event('iam.signing_keys.rotated', 'A superadmin published new signing keys', {
  brand: app.brand,
  signsFrom: timestamp('When the new keys begin to sign'),
  retires: timestamp('When the old keys are no longer published'),
})

/** The events of accepting an invite. A member who accepts one may get a higher role. */
export const joining = { ...inviteAccepted, ...memberAdded, ...memberUpdated }

/** `before` is the membership that the person had already. */
export function emitJoined(
  emit: EmitTo<typeof joining>,
  org: OrgId,
  invite: string,
  before: Member | null,
  after: Omit<Member, 'created'>,
): void {
  emit('iam.invite.accepted', { id: invite, ...after }, org)
  if (before === null) emit('iam.member.added', after, org)
  else if (before.role !== after.role) emit('iam.member.updated', { ...after, changed: ['role'] }, org)
}
