// Queries with fragments in them, as plain templates.
import type postgres from 'postgres'
import { Fragment, type QueryValue, type SqlValue } from '../engines.ts'
import { parameters } from './arrays.ts'
import { openTemplates } from './templates.ts'

export type Query = { strings: TemplateStringsArray; values: readonly SqlValue[] }

const templates = openTemplates()

export function composed(strings: TemplateStringsArray, values: readonly QueryValue[]): Query {
  if (!values.some(value => value instanceof Fragment)) return { strings, values: values as readonly SqlValue[] }
  const parameters: SqlValue[] = []
  const path: unknown[] = []
  const texts = flattened(strings, values, parameters, path)
  return { strings: templates.of(path, () => texts), values: parameters }
}

/** Collects the parameters, and by what the texts are determined: which templates they are of, and where those are. */
function flattened(
  strings: readonly string[],
  values: readonly QueryValue[],
  parameters: SqlValue[],
  path: unknown[],
): string[] {
  path.push(strings)
  const texts = [strings[0] ?? '']
  for (const [at, value] of values.entries()) {
    const next = strings[at + 1] ?? ''
    if (value instanceof Fragment) {
      path.push(at)
      const [first = '', ...rest] = flattened(value.strings, value.values, parameters, path)
      path.push(null)
      texts.push(texts.pop() + first, ...rest)
      texts.push(texts.pop() + next)
    } else {
      parameters.push(value)
      texts.push(next)
    }
  }
  return texts
}

export function send<Row extends object>(
  sql: postgres.Sql | postgres.TransactionSql,
  strings: TemplateStringsArray,
  values: readonly QueryValue[],
): PromiseLike<Row[]> {
  const query = composed(strings, values)
  return sql<Row[]>(query.strings, ...parameters(query.values)) as unknown as PromiseLike<Row[]>
}
