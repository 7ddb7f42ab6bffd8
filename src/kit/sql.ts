// Parts of queries that several queries share, and names that a declaration gives. Whole queries are in stores.
import { Fragment, type QueryValue } from '../engines/engines.ts'

/** A part of a query, such as its columns or a condition: ``fragment`org = ${org}` ``. */
export const fragment = (strings: TemplateStringsArray, ...values: QueryValue[]): Fragment =>
  new Fragment(strings, values)

const names = new Map<string, Fragment>()

/** The name of a table or column. Each is kept, so it must come from a declaration and not from a client. */
export function nameOf(name: string): Fragment {
  if (!/^[a-z][a-z0-9_]*$/.test(name)) throw new Error(`${name} is not the name of a table or column`)
  const known = names.get(name) ?? new Fragment([name], [])
  names.set(name, known)
  return known
}
