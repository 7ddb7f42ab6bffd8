// Many rows as parameters of one statement: each column is one text, which the server splits with `string_to_table`. This
// costs the server about as much as COPY, and half as much as rows as JSON or arrays.
import { randomUUID } from 'node:crypto'

type Value = string | number | boolean | null

/** No value may contain `separator`. */
export type Columns<Name extends string> = { separator: string; of: Record<Name, string> }

/** An empty text becomes null, as does a column without values: use `string_to_table(column, separator, '')`. */
export function columnsOf<Name extends string>(values: Record<Name, readonly Value[]>): Columns<Name> {
  const names = Object.keys(values) as Name[]
  const separator = separatorOf(names.map(name => values[name]))
  const of = {} as Record<Name, string>
  for (const name of names) of[name] = values[name].join(separator)
  return { separator, of }
}

/** JSON texts never contain it, other texts hardly ever. */
const RECORD_SEPARATOR = '\x1e'

function separatorOf(columns: readonly (readonly Value[])[]): string {
  let separator = RECORD_SEPARATOR
  const isIn = (value: Value) => typeof value === 'string' && value.includes(separator)
  while (columns.some(column => column.some(isIn))) separator = `${RECORD_SEPARATOR}${randomUUID()}`
  return separator
}
