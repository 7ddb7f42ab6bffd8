// Many rows as parameters of one statement: each column is one text whose values the server separates again with
// `string_to_table`. That costs the server about what COPY does, and half of what rows as JSON or as arrays cost.
import { randomUUID } from 'node:crypto'

type Value = string | number | boolean | null

/** `separator` is what no value contains. */
export type Columns<Name extends string> = { separator: string; of: Record<Name, string> }

/** An empty text becomes null, as does a column without values: use `string_to_table(column, separator, '')`. */
export function columnsOf<Name extends string>(values: Record<Name, readonly Value[]>): Columns<Name> {
  const names = Object.keys(values) as Name[]
  const separator = separatorOf(names.map(name => values[name]))
  const of = {} as Record<Name, string>
  for (const name of names) of[name] = values[name].join(separator)
  return { separator, of }
}

/** No JSON text contains it, and hardly any other. */
const RECORD_SEPARATOR = '\x1e'

function separatorOf(columns: readonly (readonly Value[])[]): string {
  let separator = RECORD_SEPARATOR
  const isIn = (value: Value) => typeof value === 'string' && value.includes(separator)
  while (columns.some(column => column.some(isIn))) separator = `${RECORD_SEPARATOR}${randomUUID()}`
  return separator
}
