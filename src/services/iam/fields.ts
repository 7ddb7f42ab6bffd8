// Field types shared by the operations of this service.
import { Type } from 'typebox'
import { compileCheck, invalidInput } from '../../kit/check.ts'
import { isCommon } from './common-passwords.ts'

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
  description: '`owner` and `admin` manage the organisation; only an `owner` adds, changes or removes owners',
  examples: ['member'],
})

export const PASSWORD_LENGTH_MIN = 12
const PASSWORD_LENGTH_MAX = 256

export const Password = Type.String({
  minLength: PASSWORD_LENGTH_MIN,
  maxLength: PASSWORD_LENGTH_MAX,
  description: `At least ${PASSWORD_LENGTH_MIN} characters; length matters more than special characters`,
  examples: ['walnut-desk-twelve-green'],
})

/** What is wrong with a password that was submitted in a form, or null. */
export async function passwordProblem(text: string): Promise<string | null> {
  // Bytes that are not UTF-8 are decoded to U+FFFD, so a different password than the typed one would be stored.
  if (/[\0\uFFFD]/.test(text))
    return 'This password contains characters that cannot be used. Please choose another one.'
  if (compileCheck(Password).passes(text)) return (await isCommon(text)) ? COMMON : null
  return `Please choose a password of ${PASSWORD_LENGTH_MIN} to ${PASSWORD_LENGTH_MAX} characters.`
}

const COMMON = 'This is one of the most common passwords. Please choose another one.'

/** Refuses one of the most common passwords, which is the value of the field `path`. */
export async function requireUncommon(path: string, password: string | undefined): Promise<void> {
  if (password === undefined || !(await isCommon(password))) return
  throw invalidInput([{ path, says: 'is one of the most common passwords' }])
}

export const InviteId = Type.String({
  pattern: '^inv_[0-9A-Za-z]{1,40}$',
  description: "An invite's id, `inv_…`",
  examples: ['inv_4vJ9mWcX2bQeT7yLrK0sZp1n'],
})
