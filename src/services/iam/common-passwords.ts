// The most common passwords, which attackers try first.
import { PASSWORD_LENGTH_MIN } from './fields.ts'

let common: Promise<ReadonlySet<string>> | null = null

/** Loaded with the first password: half a megabyte, of which few are long enough to matter. */
async function load(): Promise<ReadonlySet<string>> {
  const { default: all } = await import('@zxcvbn-ts/language-common/src/passwords.json', { with: { type: 'json' } })
  return new Set((all as string[]).filter(({ length }) => length >= PASSWORD_LENGTH_MIN))
}

/** Whether it is one of the most common ones, in any case. */
export async function isCommon(password: string): Promise<boolean> {
  common ??= load()
  return (await common).has(password.toLowerCase())
}
