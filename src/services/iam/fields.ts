// Field types shared by the operations and events of this service.
import { Type } from 'typebox'

export const UserId = Type.String({
  pattern: '^usr_[0-9A-Za-z]{1,40}$',
  description: "A person's id, `usr_…`",
  examples: ['usr_4vJ9mWcX2bQeT7yLrK0sZp1n'],
})

/** A local part without characters that need quoting, one @, and a domain with at least one dot. */
export const Email = Type.String({
  maxLength: 254,
  pattern: "^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9-]{1,63}([.][A-Za-z0-9-]{1,63})+$",
  description: 'An e-mail address',
  examples: ['ada@example.com'],
})

export const Role = Type.Enum(['owner', 'admin', 'member'], {
  title: 'Role',
  description: '`owner` and `admin` manage the organisation; only an `owner` adds, changes or removes owners',
  examples: ['member'],
})

export const InviteId = Type.String({
  pattern: '^inv_[0-9A-Za-z]{1,40}$',
  description: "An invite's id, `inv_…`",
  examples: ['inv_4vJ9mWcX2bQeT7yLrK0sZp1n'],
})

export const AppId = Type.String({
  pattern: '^[a-z0-9-]{1,100}$',
  description: 'The client id, `<org>-<app>`',
  examples: ['home-web'],
})

export const WorkspaceId = Type.String({
  pattern: '^wsp_[0-9A-Za-z]{1,40}$',
  description: "A workspace's id, `wsp_…`",
  examples: ['wsp_4vJ9mWcX2bQeT7yLrK0sZp1n'],
})

export const SignInId = Type.String({
  pattern: '^sin_[0-9a-z]{1,40}$',
  description: "A sign-in's id, `sin_…`",
  examples: ['sin_0123456789abcdef0123456789abcdef'],
})
