// What a password must be: long, and not one of the most common ones, which attackers try first.
import { compileCheck, invalidField } from '../../../kit/check.ts'
import { string } from '../../../kit/fields.ts'

const PASSWORD_LENGTH_MIN = 12
const PASSWORD_LENGTH_MAX = 256

export const Password = string(
  `At least ${PASSWORD_LENGTH_MIN} characters; length matters more than special characters`,
  'walnut-desk-twelve-green',
  { minLength: PASSWORD_LENGTH_MIN, maxLength: PASSWORD_LENGTH_MAX },
)

/** What is wrong with a password submitted in a form; null if it is valid. */
export async function passwordProblem(text: string): Promise<string | null> {
  // Bytes that are not UTF-8 are decoded to U+FFFD, so a different password than the typed one would be stored.
  if (/[\0\uFFFD]/.test(text))
    return 'This password contains characters that cannot be used. Please choose another one.'
  if (compileCheck(Password).passes(text)) return (await isCommon(text)) ? COMMON : null
  return `Please choose a password of ${PASSWORD_LENGTH_MIN} to ${PASSWORD_LENGTH_MAX} characters.`
}

const COMMON = 'This is one of the most common passwords. Please choose another one.'

/** Rejects one of the most common passwords; `path` names the field. */
export async function requireUncommon(path: string, password: string | undefined): Promise<void> {
  if (password === undefined || !(await isCommon(password))) return
  throw invalidField(path, 'is one of the most common passwords')
}

let common: Promise<ReadonlySet<string>> | null = null

/** Loaded with the first password: half a megabyte, of which few are long enough to matter. */
async function load(): Promise<ReadonlySet<string>> {
  const { default: all } = await import('@zxcvbn-ts/language-common/src/passwords.json', { with: { type: 'json' } })
  return new Set((all as string[]).filter(({ length }) => length >= PASSWORD_LENGTH_MIN))
}

/** Whether it is one of the most common ones, ignoring case. */
async function isCommon(password: string): Promise<boolean> {
  common ??= load()
  return (await common).has(password.toLowerCase())
}
