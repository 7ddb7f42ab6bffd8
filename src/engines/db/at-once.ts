// Sends several writes as one statement: each becomes a common table expression, and the statement commits by itself. They
// run in the order in which they were made, so that rows are locked as in a transaction: PostgreSQL itself would run the
// last one first.
import type { QueryValue, Sql, Tx } from '../engines.ts'
import { openAtEnd } from './at-end.ts'
import { composed, type Query } from './fragments.ts'
import { openTemplates } from './templates.ts'

export async function sendAtOnce(send: Sql, work: (tx: Tx) => Promise<unknown>): Promise<void> {
  const writes: Query[] = []
  const atEnd = openAtEnd()
  let isSent = false
  const add = async <Row extends object>(strings: TemplateStringsArray, ...values: QueryValue[]): Promise<Row[]> => {
    if (isSent) throw new Error('a write was added after the others were sent')
    writes.unshift(composed(strings, values))
    return []
  }
  const script = () => Promise.reject(new Error('a script cannot be sent with other writes'))
  await atEnd.of(work(Object.assign(add, { ...atEnd.own, script })))
  isSent = true
  if (writes.length > 0) await send(templateOf(writes), ...writes.flatMap(({ values }) => values))
  atEnd.committed()
}

const templates = openTemplates()

const templateOf = (writes: readonly Query[]): TemplateStringsArray =>
  templates.of(
    writes.map(({ strings }) => strings),
    () => togetherOf(writes),
  )

function togetherOf(writes: readonly Query[]): string[] {
  const strings: string[] = ['with']
  for (const [at, write] of writes.entries()) {
    const [first = '', ...rest] = write.strings
    strings.push(`${strings.pop()}${at === 0 ? '' : '),'} write_${at} as (${first}`, ...rest)
  }
  strings.push(`${strings.pop()}) select`)
  return strings
}
