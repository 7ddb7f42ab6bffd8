// All SQL on idempotency records.
import type { Sql, Tx } from '../../engines/engines.ts'
import type { IdempotencyRecord, KeyedRequest } from '../../kit/host/idempotency-records.ts'

/** An answer that was kept after `since`. */
export async function selectRecord(
  db: Sql,
  { org, operation, key }: KeyedRequest,
  since: string,
): Promise<IdempotencyRecord | null> {
  const [row] = await db<
    Omit<IdempotencyRecord, 'answer'> & { answer: string | null }
  >`select input, answer, made from idempotency_records
    where org = ${org} and operation = ${operation} and key = ${key} and at > ${since}`
  return row ? { ...row, answer: row.answer === null ? null : JSON.parse(row.answer) } : null
}

/** Replaces an answer that was kept before `since`. A later one stays if that is allowed; otherwise the primary key is violated. */
export async function insertRecord(
  db: Tx,
  { org, operation, key, input }: KeyedRequest,
  { answer, made }: Pick<IdempotencyRecord, 'answer' | 'made'>,
  at: string,
  since: string,
  mayStay = false,
): Promise<void> {
  await db`delete from idempotency_records
    where org = ${org} and operation = ${operation} and key = ${key} and at <= ${since}`
  await db`insert into idempotency_records (org, operation, key, input, answer, made, at)
    select ${org}, ${operation}, ${key}::bytea, ${input}::bytea, ${answer === null ? null : JSON.stringify(answer)}, ${made},
      ${at}::timestamptz
    where not (${mayStay} and exists (
      select from idempotency_records where org = ${org} and operation = ${operation} and key = ${key}))`
}
