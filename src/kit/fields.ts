// Field types shared by inputs and outputs. The description doubles as the error text for an invalid value; the derived
// tests send the example.
import { type Static, type TNumberOptions, type TSchema, type TStringOptions, Type } from 'typebox'

/** Fields with an example. `rules` are further constraints on the value. */
export const string = (description: string, example: string, rules: TStringOptions = {}) =>
  Type.String({ ...rules, description, examples: [example] })
export const integer = (description: string, example: number, rules: TNumberOptions = {}) =>
  Type.Integer({ ...rules, description, examples: [example] })
export const boolean = (description: string, example: boolean) => Type.Boolean({ description, examples: [example] })

/** An id that starts with the prefix of its kind. */
export const prefixedId = (prefix: string, what: string) =>
  string(`${what}'s id, \`${prefix}_…\``, `${prefix}_4vJ9mWcX2bQeT7yLrK0sZp1n`, {
    pattern: `^${prefix}_[0-9A-Za-z]{1,40}$`,
  })

export const SLUG = /^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/

export const slug = (what: string) =>
  Type.String({
    pattern: SLUG.source,
    description: `${what}: lower-case letters, digits and inner hyphens, at most 40 characters`,
    examples: ['web-shop'],
  })

const BIDI = '[\\u202A-\\u202E\\u2066-\\u2069]'

export const displayName = (what: string) =>
  Type.String({
    maxLength: 120,
    // Invisible characters, a visible one, then the rest of the line. The parts cannot match the same character, which
    // rules out catastrophic backtracking. Characters that change the text direction are excluded, because they could make
    // another name on a page or in a mail look different.
    pattern: `^(?:(?!${BIDI})[\\p{Zs}\\p{Cf}\\p{Co}\\p{Cn}])*[^\\s\\p{C}](?:(?!${BIDI})[^\\p{Cc}\\p{Zl}\\p{Zp}])*$`,
    description: `${what}: one line, not blank, at most 120 characters`,
    examples: ['Web shop'],
  })

export const timestamp = (what: string) =>
  Type.String({ format: 'date-time', description: what, examples: ['2026-11-15T09:30:00.000Z'] })

/** Marks a schema whose values are secrets. */
export const SECRET = 'x-secret'

/** A secret in an answer. Such answers are not stored, and the operation is not offered as a tool. */
export const secret = (what: string, example: string) =>
  Type.String({ description: what, examples: [example], [SECRET]: true })

const SHOWN = 'x-shown'

/** A field that accepts any value but is meant for values of that schema, which documents and tool lists show. */
export function anyValueFor(schema: TSchema) {
  const { title, description, examples, ...shown } = schema as TSchema & Notes
  const notes = Object.entries({ title, description, examples }).filter(([, note]) => note !== undefined)
  return Type.Unknown({ ...Object.fromEntries(notes), [SHOWN]: shown })
}

type Notes = { title?: string; description?: string; examples?: unknown[] }

/** The schema as shown in documents. */
export function asShown<S extends object>(schema: S): S {
  if (!(SHOWN in schema)) return schema
  const { [SHOWN]: shown, ...rest } = schema
  return { ...(shown as object), ...rest } as unknown as S
}

type WithoutNulls<T> = { [K in keyof T as null extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as null extends T[K] ? K : never]?: Exclude<T[K], null>
}

/** The fields of an answer, without those that are null. */
export const withoutNulls = <T extends object>(fields: T): WithoutNulls<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as WithoutNulls<T>

/** Makes a field optional and nullable; null removes the value. */
export const orNone = <S extends TSchema>(schema: S) => {
  const { type } = schema as S & { type: string }
  return Type.Optional(Type.Unsafe<Static<S> | null>({ ...schema, type: [type, 'null'] }))
}
