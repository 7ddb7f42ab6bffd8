// The kinds of field that recur in inputs and outputs. Each carries the sentence a caller reads when it is wrong, and
// an example, which the derived tests send.
import { type Static, type TSchema, Type } from 'typebox'

export const SLUG = /^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/

export const slug = (what: string) =>
  Type.String({
    pattern: SLUG.source,
    description: `${what}: lower-case letters, digits and inner hyphens, at most 40 characters`,
    examples: ['web-shop'],
  })

/** A name for people: one line, not blank. */
export const displayName = (what: string) =>
  Type.String({
    maxLength: 120,
    // Invisible characters, then a visible one, then anything on the line: no two parts can match the same character,
    // so that no text makes the match slow.
    pattern: '^[\\p{Zs}\\p{Cf}\\p{Co}\\p{Cn}]*[^\\s\\p{C}][^\\p{Cc}\\p{Zl}\\p{Zp}]*$',
    description: `${what}: one line, not blank, at most 120 characters`,
    examples: ['Web shop'],
  })

export const timestamp = (what: string) =>
  Type.String({ format: 'date-time', description: what, examples: ['2026-11-15T09:30:00.000Z'] })

/** The same, or null to say that there is to be none. */
export const orNone = <S extends TSchema>(schema: S) => {
  const { type } = schema as S & { type: string }
  return Type.Optional(Type.Unsafe<Static<S> | null>({ ...schema, type: [type, 'null'] }))
}
