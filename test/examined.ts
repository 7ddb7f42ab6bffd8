// Counts the table rows that each transaction of a host reads, including index-only reads, foreign keys and triggers.
import { composed } from '../src/engines/db/fragments.ts'
import type { Database, QueryValue, Sql, Tx } from '../src/engines/engines.ts'

/** How many rows a transaction read, and its first statement. */
export type Examined = { rows: number; first: string }

/** A database that passes everything on; a statement outside of a transaction gets one of its own. `tables` is a regular
 *  expression for their names. */
export function examining(db: Database, tables: string): { db: Database; transactions: Examined[] } {
  const transactions: Examined[] = []
  const examinedSoFar = async (tx: Sql) => {
    const [row] = await tx<{
      rows: number
    }>`select coalesce(sum(seq_tup_read + coalesce(entries, 0)), 0)::int as rows
      from pg_stat_xact_user_tables as t left join lateral (
        select sum(pg_stat_get_xact_tuples_returned(indexrelid)) as entries from pg_index where indrelid = t.relid
      ) as i on true where relname ~ ${tables}`
    return row?.rows ?? 0
  }
  const examine = <T>(target: Database, work: (tx: Tx) => Promise<T>): Promise<T> =>
    target.transaction(async tx => {
      const before = await examinedSoFar(tx)
      let first = ''
      const noting = new Proxy(tx, {
        apply: (statement, _self, [strings, ...values]: [TemplateStringsArray, ...QueryValue[]]) => {
          first ||= composed(strings, values).strings.join('?')
          return statement(strings, ...values)
        },
      })
      const result = await work(noting)
      transactions.push({ rows: (await examinedSoFar(tx)) - before, first })
      return result
    })
  const wrap = (target: Database): Database => {
    const one = (strings: TemplateStringsArray, ...values: QueryValue[]) =>
      examine(target, tx => tx(strings, ...values))
    const changed: Partial<Record<string | symbol, unknown>> = {
      for: (user: string) => wrap(target.for(user)),
      transaction: <T>(work: (tx: Tx) => Promise<T>) => examine(target, work),
      autocommit: new Proxy(target.autocommit, {
        apply: (_target, _self, [strings, ...values]: [TemplateStringsArray, ...QueryValue[]]) =>
          one(strings, ...values),
      }),
    }
    const isHandle = (name: string | symbol) => name === 'background' || name === 'analytics'
    return new Proxy(target, {
      get: (known, name) =>
        isHandle(name) ? wrap(Reflect.get(known, name)) : (changed[name] ?? Reflect.get(known, name)),
      apply: (_target, _self, [strings, ...values]: [TemplateStringsArray, ...QueryValue[]]) => one(strings, ...values),
    })
  }
  return { db: wrap(db), transactions }
}
