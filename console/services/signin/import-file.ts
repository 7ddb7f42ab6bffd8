// The file of an import: `{"users": […]}`, an array, or lines of JSON as an export has them.
import type { ImportUsersInput } from '../../../client/stoa.js'

/** What the host accepts in one import. Longer files become several. */
export const RECORDS_MAX = 1_000

export type ImportFile = Omit<ImportUsersInput, 'replace'>

/** Throws a sentence that says what is wrong. */
export function readImport(text: string): ImportFile {
  const value = parseJson(text) ?? parseLines(text)
  const file = Array.isArray(value) ? { users: value } : value
  if (typeof file !== 'object' || file === null || !('users' in file) || !Array.isArray(file.users)) {
    throw new Error('The file has no list of users. Use {"users": […]}, a JSON array, or one record in each line.')
  }
  if (file.users.length === 0) throw new Error('The file has no record.')
  const { users, firebase } = file as ImportFile
  return { users, ...(firebase && { firebase }) }
}

export const partsOf = ({ users, ...rest }: ImportFile): ImportFile[] =>
  Array.from({ length: Math.ceil(users.length / RECORDS_MAX) }, (_, n) => ({
    ...rest,
    users: users.slice(n * RECORDS_MAX, (n + 1) * RECORDS_MAX),
  }))

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // Perhaps it has lines.
  }
}

function parseLines(text: string): unknown[] {
  const lines = text.split('\n').flatMap((line, n) => (line.trim() === '' ? [] : [[line, n + 1] as const]))
  return lines.map(([line, n]) => {
    try {
      return JSON.parse(line)
    } catch {
      throw new Error(`The file is neither JSON nor lines of JSON: line ${n} cannot be read.`)
    }
  })
}
