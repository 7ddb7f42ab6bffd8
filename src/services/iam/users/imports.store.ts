// All SQL on imports of customers and their lines.
import type { Sql, Tx } from '../../../engines/engines.ts'
import type { OrgId } from '../../../kit/caller.ts'
import { oneRow, rowsAs } from '../../../kit/sql.ts'

export type Counts = { added: number; replaced: number; failed: number }

export type Import = Counts & {
  id: string
  by: string
  replaces: boolean
  total: number
  created: string
  started: string | null
  finished: string | null
}

/** What a record of an import stores for a customer. */
export type ImportedCustomer = {
  email: string
  name: string
  metadata: Record<string, unknown>
  emailVerified: boolean
  blocked: boolean
  created: string | null
  /** A hash. */
  password: string | null
}

export type ProblemKind = 'exists' | 'invalid' | 'password' | 'bound' | 'failed'

/** Why a record was not imported. */
export type Problem = { problem: ProblemKind; says: string; email: string | null }
export type ProblemLine = Problem & { line: number }

/** With a record that is still to be done, or with a problem. */
export type NewLine = { line: number } & ({ record: ImportedCustomer } | Problem)

type LineRow = {
  line: number
  record: ImportedCustomer | null
  problem: ProblemKind | null
  says: string | null
  email: string | null
}

const EMPTY = { record: null, problem: null, says: null, email: null }

const given = rowsAs<LineRow>('given', { line: 'int', record: 'jsonb', problem: 'text', says: 'text', email: 'text' })

export async function insertUserImport(
  db: Tx,
  org: OrgId,
  { id, by, replaces, created }: Pick<Import, 'id' | 'by' | 'replaces' | 'created'>,
  lines: readonly NewLine[],
): Promise<void> {
  const failed = lines.filter(line => 'problem' in line).length
  await db`insert into customer_imports (id, org, requested_by, replaces, total, failed, created)
    values (${id}, ${org}, ${by}, ${replaces}, ${lines.length}, ${failed}, ${created})`
  await db`insert into customer_import_lines (import, line, org, created, record, problem, says, email)
    select ${id}, line, ${org}, ${created}, record, problem, says, email
    from ${given(lines.map(line => ({ ...EMPTY, ...line })))}`
}

export function selectUserImport(db: Sql, org: OrgId, id: string): Promise<Import | null> {
  return oneRow(db<Import>`select id, requested_by as by, replaces, total, added, replaced, failed, created, started,
      finished
    from customer_imports where org = ${org} and id = ${id}`)
}

/** In their order. */
export function selectProblems(db: Sql, org: OrgId, id: string, count: number): Promise<ProblemLine[]> {
  return db<ProblemLine>`select line, problem, says, email from customer_import_lines
    where import = ${id} and org = ${org} and problem is not null order by line limit ${count}`
}

/** Locks an import that is not finished until the transaction ends; null if there is none. */
export function beginPortion(db: Tx, org: OrgId, id: string, at: string): Promise<Pick<Import, 'replaces'> | null> {
  return oneRow(db<Pick<Import, 'replaces'>>`update customer_imports set started = coalesce(started, ${at})
    where org = ${org} and id = ${id} and finished is null returning replaces`)
}

export type PendingLine = { line: number; record: ImportedCustomer }

/** The next lines that are to be done. */
export function selectPendingLines(db: Tx, id: string, count: number): Promise<PendingLine[]> {
  return db<PendingLine>`select line, record from customer_import_lines
    where import = ${id} and record is not null order by line limit ${count}`
}

/** Ends these lines: those without a problem are deleted. */
export async function endLines(
  db: Tx,
  id: string,
  done: readonly number[],
  failed: readonly ProblemLine[],
  { added, replaced }: Pick<Counts, 'added' | 'replaced'>,
): Promise<void> {
  await db`delete from customer_import_lines where import = ${id} and line = any(${done})`
  if (failed.length > 0) {
    await db`update customer_import_lines as l set record = null, problem = given.problem, says = given.says,
        email = given.email
      from ${given(failed.map(line => ({ ...EMPTY, ...line })))} where l.import = ${id} and l.line = given.line`
  }
  await db`update customer_imports set added = added + ${added}, replaced = replaced + ${replaced},
      failed = failed + ${failed.length} where id = ${id}`
}

export async function finishUserImport(db: Tx, id: string, at: string): Promise<void> {
  await db`update customer_imports set finished = ${at} where id = ${id}`
}

/** Ends the import; the lines that were not processed get this problem. */
export async function giveUp(db: Tx, id: string, { problem, says }: Omit<Problem, 'email'>, at: string): Promise<void> {
  await db`with left_over as (update customer_import_lines set record = null, problem = ${problem}, says = ${says},
        email = record->>'email' where import = ${id} and record is not null returning line)
    update customer_imports set finished = ${at}, failed = failed + (select count(*) from left_over)
    where id = ${id} and finished is null`
}

/** Reports do not name a person whose account was deleted. */
export async function forgetAddress(db: Tx, org: OrgId, email: string): Promise<void> {
  await db`update customer_import_lines set email = null where org = ${org} and email = ${email}`
}
