// Field types shared by the operations and events of this service.
import { Type } from 'typebox'
import { prefixedId, string } from '../../kit/fields.ts'

export const UserId = prefixedId('usr', 'A person')

/** A person of the organisation's own apps. The prefix says which kind of account an id names. */
export const CustomerId = prefixedId('cus', 'A customer')

/** A member of the team or a customer. */
export const AccountId = string(
  "A person's id: `usr_…` of a member of the team, `cus_…` of a customer",
  'usr_4vJ9mWcX2bQeT7yLrK0sZp1n',
  {
    pattern: '^(usr|cus)_[0-9A-Za-z]{1,40}$',
  },
)

/** A local part without characters that need quoting, one @, and a domain with at least one dot. */
export const Email = string('An e-mail address', 'ada@example.com', {
  maxLength: 254,
  pattern: "^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9-]{1,63}([.][A-Za-z0-9-]{1,63})+$",
})

export const Role = Type.Enum(['owner', 'admin', 'member'], {
  title: 'Role',
  description: '`owner` and `admin` manage the organisation; only an `owner` adds, changes or removes owners',
  examples: ['member'],
})

export const CallerRole = Type.Enum(['owner', 'admin', 'member', 'user'], {
  description: 'The role in the team, or `user` for a customer',
  examples: ['member'],
})

export const ImportId = prefixedId('imp', 'An import')

export const InviteId = prefixedId('inv', 'An invite')

export const AppId = string('The client id, `<org>-<app>`', 'home-web', { pattern: '^[a-z0-9-]{1,100}$' })

export const WorkspaceId = prefixedId('wsp', 'A workspace')

export const SignInId = string("A sign-in's id, `sin_…`", 'sin_0123456789abcdef0123456789abcdef', {
  pattern: '^sin_[0-9a-z]{1,40}$',
})
