// All SQL on kept answers.
import type { Sql, Tx } from '../../engines/engines.ts'
import type { KeptAnswer, KeyedRequest } from '../../kit/host/kept-answers.ts'

/** An answer that was kept after `since`. */
export async function selectAnswer(
  db: Sql,
  { org, operation, key }: KeyedRequest,
  since: string,
): Promise<KeptAnswer | null> {
  const [row] = await db<
    Omit<KeptAnswer, 'answer'> & { answer: string | null }
  >`select input, answer, made from kept_answers
    where org = ${org} and operation = ${operation} and key = ${key} and at > ${since}`
  return row ? { ...row, answer: row.answer === null ? null : JSON.parse(row.answer) } : null
}

/** Replaces an answer that was kept before `since`. A later one stays if that is allowed; otherwise the primary key is violated. */
export async function insertAnswer(
  db: Tx,
  { org, operation, key, input }: KeyedRequest,
  { answer, made }: Pick<KeptAnswer, 'answer' | 'made'>,
  at: string,
  since: string,
  mayStay = false,
): Promise<void> {
  await db`delete from kept_answers
    where org = ${org} and operation = ${operation} and key = ${key} and at <= ${since}`
  await db`insert into kept_answers (org, operation, key, input, answer, made, at)
    select ${org}, ${operation}, ${key}::bytea, ${input}::bytea, ${answer === null ? null : JSON.stringify(answer)}, ${made},
      ${at}::timestamptz
    where not (${mayStay} and exists (
      select from kept_answers where org = ${org} and operation = ${operation} and key = ${key}))`
}
