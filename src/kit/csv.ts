// Answers as CSV (RFC 4180), for operations that declare `orCsv(…)`.
import type { IncomingHttpHeaders } from 'node:http'
import { Type } from 'typebox'
import { type Reply, reply } from './answer.ts'

/** This many rows are written in well under a second. */
export const CSV_ROWS_MAX = 10_000

/** The input of an operation that answers as JSON or CSV. */
export const formats = {
  format: Type.Optional(
    Type.Enum(['json', 'csv'], {
      description:
        'The format of the answer, `json` or `csv`; defaults to the one in the header Accept, otherwise to `json`',
      examples: ['json'],
    }),
  ),
}

/** Whether a request wants CSV: decided by the field, otherwise by the header if it names CSV and not JSON. */
export function wantsCsv(format: 'json' | 'csv' | undefined, { accept = '' }: IncomingHttpHeaders): boolean {
  if (format !== undefined) return format === 'csv'
  const types = accept.split(',').map(part => part.split(';', 1)[0]?.trim().toLowerCase())
  return types.includes('text/csv') && !types.includes('application/json')
}

/** Texts that start like a formula are escaped, because spreadsheets would run them; numbers are written unchanged. */
export type Column<Row> = { name: string; kind: 'text' | 'number'; of: (row: Row) => string }

export const text = <Row>(name: string, of: (row: Row) => string): Column<Row> => ({ name, kind: 'text', of })
export const number = <Row>(name: string, of: (row: Row) => string): Column<Row> => ({ name, kind: 'number', of })

export function csvReply<Row>(
  file: string,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  headers: Record<string, string> = {},
): Reply {
  const own = {
    'content-type': 'text/csv; charset=utf-8; header=present',
    'content-disposition': `attachment; filename="${file}"`,
    vary: 'Accept',
  }
  return reply(200, { ...own, ...headers }, csvText(columns, rows))
}

export const csvText = <Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string =>
  csvHead(columns) + csvRows(columns, rows)

const line = (cells: readonly string[]) => `${cells.join(',')}\r\n`
export const csvHead = <Row>(columns: readonly Column<Row>[]) => line(columns.map(({ name }) => name))

export function csvRows<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const cellsOf = (row: Row) => columns.map(({ kind, of }) => (kind === 'text' ? textCell(of(row)) : of(row)))
  return rows.map(row => line(cellsOf(row))).join('')
}

/** Characters that start a formula in spreadsheets. */
const FORMULA = /^[=+\-@\t\r]/
const NEEDS_QUOTES = /[",\r\n]/

function textCell(value: string): string {
  const safe = FORMULA.test(value) ? `'${value}` : value
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
