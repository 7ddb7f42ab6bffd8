// Records the statements that a call runs, and counts the rows that PostgreSQL examines for them.
import { composed } from '../src/engines/db/fragments.ts'
import type { Database, QueryValue, Sql, SqlValue, Tx } from '../src/engines/engines.ts'

export type Statement = { text: string; values: readonly SqlValue[] }

/** A database that passes everything on, and records the statements that run outside of transactions, and those of transactions
 *  that only read. */
export function recording(db: Database): { db: Database; statements: Statement[] } {
  const statements: Statement[] = []
  const recorded = <T extends Sql>(target: T, get: ProxyHandler<T>['get']): T =>
    new Proxy(target, {
      get: get as NonNullable<typeof get>,
      apply: (own, _self, [strings, ...values]: [TemplateStringsArray, ...QueryValue[]]) => {
        const query = composed(strings, values)
        statements.push({ text: query.strings.reduce((text, part, n) => `${text}$${n}${part}`), values: query.values })
        return own(strings, ...values)
      },
    })
  const inTransaction = (tx: Tx) => recorded(tx, (own, name) => Reflect.get(own, name))
  const analytics: Database = recorded(db.analytics, (own, name) => {
    if (name === 'for') return () => analytics
    if (name === 'transaction')
      return <T>(work: (tx: Tx) => Promise<T>) => own.transaction(tx => work(inTransaction(tx)))
    return Reflect.get(own, name)
  })
  const proxy: Database = recorded(db, (own, name) => {
    if (name === 'for') return () => proxy
    if (name === 'analytics') return analytics
    return name === 'background' ? proxy : Reflect.get(own, name)
  })
  return { db: proxy, statements }
}

type Plan = {
  'Node Type': string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  'Shared Hit Blocks': number
  'Shared Read Blocks': number
  Plans?: Plan[]
}
export type PlanMode = 'force_generic_plan' | 'force_custom_plan'

export type Read = { rows: number; pages: number }

/** The number of rows that the scans of a statement read, and of pages: rows that an index has, but does not return, are on
 *  these only. */
export async function examinedOf(db: Database, { text, values }: Statement, mode: PlanMode): Promise<Read> {
  return db.transaction(async tx => {
    await tx.script(`set local plan_cache_mode = ${mode}; prepare examined as ${text}`)
    // EXECUTE takes no parameters, so the values are literals.
    const literals = values.length > 0 ? `(${values.map(literal).join(', ')})` : ''
    await tx.script(`create function pg_temp.examine() returns json language plpgsql as $f$
      declare plan json;
      begin
        execute 'explain (analyze, buffers, timing off, format json) execute examined ' || ${literal(literals)} into plan;
        return plan;
      end $f$`)
    const [row] = await tx<{ plan: [{ Plan: Plan }] }>`select pg_temp.examine() as plan`
    await tx.script('drop function pg_temp.examine; deallocate examined')
    const { Plan: plan } = (row as { plan: [{ Plan: Plan }] }).plan[0]
    return { rows: examinedBy(plan), pages: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'] }
  })
}

function examinedBy(plan: Plan): number {
  const below = (plan.Plans ?? []).reduce((sum, one) => sum + examinedBy(one), 0)
  // The heap scan above a bitmap counts the rows.
  if (!plan['Node Type'].endsWith('Scan') || plan['Node Type'] === 'Bitmap Index Scan') return below
  const removed = (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Index Recheck'] ?? 0)
  return below + (plan['Actual Rows'] + removed) * plan['Actual Loops']
}

function literal(value: SqlValue): string {
  if (value === null) return 'null'
  if (value instanceof Uint8Array) return `'\\x${Buffer.from(value).toString('hex')}'`
  const text = Array.isArray(value) ? `{${value.map(one => JSON.stringify(one)).join(',')}}` : String(value)
  return `'${text.replaceAll("'", "''")}'`
}
