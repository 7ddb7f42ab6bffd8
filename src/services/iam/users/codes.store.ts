// All SQL on codes that are mailed to customers.
import type { Sql, Tx } from '../../../engines/engines.ts'
import type { OrgId } from '../../../kit/caller.ts'
import { oneRow } from '../../../kit/sql.ts'

/** `verify`: the password was right, and the code proves the address. */
export type Purpose = 'register' | 'sign_in' | 'reset' | 'verify'

export type MailedCode = {
  org: OrgId
  email: string
  purpose: Purpose
  code: Uint8Array
  /** The digest of the id of the browser that requested the code. */
  browser: string
  /** Whether a new account is created if there is none. */
  mayRegister: boolean
  name: string
  password: string | null
  /** For `verify`: of the account whose password was checked. */
  generation: number | null
}

/** Replaces an earlier code of the same sign-in. */
export async function upsertCode(
  db: Tx,
  interaction: Uint8Array,
  code: MailedCode,
  { created, expires }: { created: string; expires: string },
): Promise<void> {
  await db`insert into customer_codes
      (interaction, org, email, purpose, code, browser, may_register, name, password, generation, created, expires)
    values (${interaction}, ${code.org}, ${code.email}, ${code.purpose}, ${code.code}, ${code.browser},
      ${code.mayRegister}, ${code.name}, ${code.password}, ${code.generation}, ${created}, ${expires})
    on conflict (interaction) do update set org = excluded.org, email = excluded.email, purpose = excluded.purpose,
      code = excluded.code, browser = excluded.browser, may_register = excluded.may_register, name = excluded.name,
      password = excluded.password, generation = excluded.generation, tries = 0, created = excluded.created,
      expires = excluded.expires`
}

export type PendingCode = Omit<MailedCode, 'code' | 'mayRegister'> & {
  /** Whether all its attempts were used. */
  isOver: boolean
}

/** What the code of a sign-in is for, unless it has expired. */
export function selectPending(db: Sql, interaction: Uint8Array, max: number, at: string): Promise<PendingCode | null> {
  return oneRow(db<PendingCode>`select org, email, purpose, browser, name, password, generation,
      tries >= ${max} as "isOver" from customer_codes
    where interaction = ${interaction} and expires > ${at}`)
}

/** Counts an attempt; returns the code unless there were `max` attempts before. */
export function countAttempt(db: Tx, interaction: Uint8Array, max: number, at: string): Promise<MailedCode | null> {
  return oneRow(db<MailedCode>`update customer_codes set tries = tries + 1
    where interaction = ${interaction} and expires > ${at} and tries < ${max}
    returning org, email, purpose, code, browser, may_register as "mayRegister", name, password, generation`)
}

/** Returns false if the code was used or replaced in the meantime. */
export async function useCode(db: Tx, interaction: Uint8Array, code: Uint8Array): Promise<boolean> {
  const rows = await db`delete from customer_codes where interaction = ${interaction} and code = ${code}
    returning interaction`
  return rows.length > 0
}

export async function deleteCodesTo(db: Tx, org: OrgId, email: string): Promise<void> {
  await db`delete from customer_codes where org = ${org} and email = ${email}`
}
