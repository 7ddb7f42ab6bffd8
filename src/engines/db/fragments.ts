// Turns queries that contain fragments into plain templates.
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
  collect(strings, values, parameters, path)
  return { strings: templates.of(path, () => textsOf(strings, values)), values: parameters }
}

/** Collects the parameters, and the identity of the text: which templates it consists of, and where they are. */
function collect(
  strings: readonly string[],
  values: readonly QueryValue[],
  parameters: SqlValue[],
  path: unknown[],
): void {
  path.push(strings)
  for (let at = 0; at < values.length; at++) {
    const value = values[at] as QueryValue
    if (value instanceof Fragment) {
      path.push(at)
      collect(value.strings, value.values, parameters, path)
      path.push(null)
    } else parameters.push(value)
  }
}

/** The texts between the parameters. */
function textsOf(strings: readonly string[], values: readonly QueryValue[]): string[] {
  const texts = [strings[0] ?? '']
  for (const [at, value] of values.entries()) {
    const next = strings[at + 1] ?? ''
    if (value instanceof Fragment) {
      const [first = '', ...rest] = textsOf(value.strings, value.values)
      texts.push(texts.pop() + first, ...rest)
      texts.push(texts.pop() + next)
    } else texts.push(next)
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
