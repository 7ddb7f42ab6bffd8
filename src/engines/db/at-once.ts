// Several writes as one statement: each becomes a common table expression, and the statement commits by itself. They are done
// in the order in which they were made, so that rows are locked as in a transaction: PostgreSQL does the last one first.
import type { Sql, SqlValue, Tx } from '../engines.ts'
import { openAtEnd } from './at-end.ts'

type Write = { strings: TemplateStringsArray; values: SqlValue[] }

export async function sendAtOnce(send: Sql, work: (tx: Tx) => Promise<unknown>): Promise<void> {
  const writes: Write[] = []
  const atEnd = openAtEnd()
  let isSent = false
  const add = async <Row extends object>(strings: TemplateStringsArray, ...values: SqlValue[]): Promise<Row[]> => {
    if (isSent) throw new Error('a write came after the others were sent')
    writes.unshift({ strings, values })
    return []
  }
  const script = () => Promise.reject(new Error('a script cannot be sent with other writes'))
  await atEnd.of(work(Object.assign(add, { ...atEnd.own, script })))
  isSent = true
  if (writes.length > 0) await send(templateOf(writes), ...writes.flatMap(({ values }) => values))
  atEnd.committed()
}

/** The same templates always give the same one: the driver keeps each that it has seen, with what was on the stack. */
type Known = { together: TemplateStringsArray | null; next: Map<TemplateStringsArray, Known> }
const newKnown = (): Known => ({ together: null, next: new Map() })
const known = newKnown()

function templateOf(writes: readonly Write[]): TemplateStringsArray {
  let at = known
  for (const { strings } of writes) {
    const next = at.next.get(strings) ?? newKnown()
    at.next.set(strings, next)
    at = next
  }
  at.together ??= togetherOf(writes)
  return at.together
}

function togetherOf(writes: readonly Write[]): TemplateStringsArray {
  const strings: string[] = ['with']
  for (const [at, write] of writes.entries()) {
    const [first = '', ...rest] = write.strings
    strings.push(`${strings.pop()}${at === 0 ? '' : '),'} write_${at} as (${first}`, ...rest)
  }
  strings.push(`${strings.pop()}) select`)
  return Object.assign(strings, { raw: strings })
}
