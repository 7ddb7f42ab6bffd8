// The kinds of field that recur in identity management.
import { Type } from 'typebox'
import { compileCheck } from '../../kit/check.ts'

export const UserId = Type.String({
  pattern: '^usr_[0-9A-Za-z]{1,40}$',
  description: "A person's id, `usr_…`",
  examples: ['usr_4vJ9mWcX2bQeT7yLrK0sZp1n'],
})

/** One @, something before it, a name with a dot behind it, and nothing that mail would have to quote. */
export const Email = Type.String({
  maxLength: 254,
  pattern: "^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9-]{1,63}([.][A-Za-z0-9-]{1,63})+$",
  description: 'An e-mail address',
  examples: ['ada@example.com'],
})

export const Role = Type.Enum(['owner', 'admin', 'member'], {
  description: 'owner and admin administer; an owner also decides about owners',
  examples: ['member'],
})

const PASSWORD_LENGTH_MIN = 12
const PASSWORD_LENGTH_MAX = 256

export const Password = Type.String({
  minLength: PASSWORD_LENGTH_MIN,
  maxLength: PASSWORD_LENGTH_MAX,
  description: `At least ${PASSWORD_LENGTH_MIN} characters; longer beats stranger`,
  examples: ['walnut-desk-twelve-green'],
})

/** What is wrong with a password that somebody types into a form, or null. */
export function passwordProblem(text: string): string | null {
  // A browser that sends what is no text would have it kept as something else than was typed.
  if (/[\0\uFFFD]/.test(text)) return 'This password has characters that cannot be kept; choose another one.'
  if (compileCheck(Password).passes(text)) return null
  return `Choose a password of ${PASSWORD_LENGTH_MIN} to ${PASSWORD_LENGTH_MAX} characters.`
}
