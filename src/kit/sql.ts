// Parts of queries that several queries share: declared names, results, and many rows in one statement. Whole queries are
// in stores.
import { Fragment } from '../engines/engines.ts'

export { fragment } from '../engines/engines.ts'

/** The row of a query that returns at most one. */
export const oneRow = async <Row>(rows: Promise<Row[]>): Promise<Row | null> => (await rows)[0] ?? null

/** Whether a query found or changed any row. */
export const anyRow = async (rows: Promise<object[]>): Promise<boolean> => (await rows).length > 0

const names = new Map<string, Fragment>()

/** The name of a table or column. Each is cached, so it must come from a declaration and not from a client. */
export function nameOf(name: string): Fragment {
  if (!/^[a-z][a-z0-9_]*$/.test(name)) throw new Error(`${name} is not the name of a table or column`)
  const known = names.get(name) ?? new Fragment([name], [])
  names.set(name, known)
  return known
}

type ColumnType = 'text' | 'uuid' | 'int' | 'smallint' | 'bigint' | 'boolean' | 'timestamptz' | 'jsonb' | 'tid'
type Value = string | number | boolean | null

/** Many rows as a table of that name: with `const sent = rowsAs<Row>('sent', { org: 'text' })`, a query reads them
 *  ``from ${sent(rows)}``. A column is one parameter, and null if it is empty; `httpStatus` becomes `http_status`. Call
 *  it once for each kind of rows, because queries are prepared per returned function. `number` names a column that
 *  counts the rows from 1. */
export function rowsAs<Row extends object>(
  name: string,
  columns: { readonly [K in keyof Row & string]?: ColumnType },
  number?: string,
): (rows: readonly Row[]) => Fragment {
  const types = Object.entries(columns) as [keyof Row & string, ColumnType][]
  const listed = types.map(([field]) => `"${field.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)}"`)
  if (number !== undefined) listed.push(`"${number}"`)
  const [first = '', ...ends] = ['unnest(', ...types.map(([, type]) => `::${type}[], `)]
  const last = `${ends.pop()?.slice(0, -2)})${number === undefined ? '' : ' with ordinality'} as ${name} (${listed.join(', ')})`
  const strings = [first, ...ends, last]
  return rows =>
    new Fragment(
      strings,
      types.map(([field, type]) => columnOf(rows, field, type)),
    )
}

function columnOf<Row extends object>(rows: readonly Row[], field: keyof Row, type: ColumnType): Value[] | null {
  const values = rows.map(row => row[field]) as Value[]
  if (values.every(value => value === null) && rows.length > 0) return null
  return type === 'jsonb' ? values.map(value => (value === null ? null : JSON.stringify(value))) : values
}
