// All SQL on links to choose a new password.
import type { Sql, Tx } from '../../../engines/engines.ts'
import { anyRow, oneRow } from '../../../kit/sql.ts'

export type Reset = { digest: Uint8Array; user: string; email: string; created: string; expires: string }

/** Returns false if the account has another address by now, or the person has been sent `max` links since `since`. */
export async function insertReset(db: Tx, reset: Reset, since: string, max: number): Promise<boolean> {
  const { digest, user, email, created, expires } = reset
  const accounts = await db`select from users where id = ${user} and email = ${email} for no key update`
  if (accounts.length === 0) return false
  return anyRow(db`insert into resets (digest, user_id, created, expires)
    select ${digest}, ${user}, ${created}, ${expires}
    where (select count(*) from resets where user_id = ${user} and created > ${since}) < ${max} returning digest`)
}

/** The address of the account for which the link is valid. */
export async function selectReset(db: Sql, digest: Uint8Array, at: string): Promise<string | null> {
  const [row] = await db<{ email: string }>`select email from resets join users on users.id = user_id
    where digest = ${digest} and expires > ${at}`
  return row?.email ?? null
}

/** The person whose link this is, if it is valid. Locks the link, so that it is used once. */
export function lockReset(db: Tx, digest: Uint8Array, at: string): Promise<{ user: string; email: string } | null> {
  return oneRow(db<{ user: string; email: string }>`select users.id as user, email
    from resets join users on users.id = user_id where digest = ${digest} and expires > ${at} for update`)
}

/** Ends all links of a person. They stay for an hour, because they count as sent. */
export async function endResetsOf(db: Tx, user: string, at: string): Promise<void> {
  await db`update resets set expires = ${at} where user_id = ${user} and expires > ${at}`
}
