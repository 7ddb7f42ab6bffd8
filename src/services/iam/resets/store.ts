// All SQL on links to choose a new password.
import type { Sql, Tx } from '../../../engines/engines.ts'

export type Reset = { digest: Uint8Array; user: string; created: string; expires: string }

/** Returns false if the person has been sent `max` links since `since`. */
export async function insertReset(db: Tx, reset: Reset, since: string, max: number): Promise<boolean> {
  const { digest, user, created, expires } = reset
  await db`select from users where id = ${user} for no key update`
  const rows = await db`insert into resets (digest, user_id, created, expires)
    select ${digest}, ${user}, ${created}, ${expires}
    where (select count(*) from resets where user_id = ${user} and created > ${since}) < ${max} returning digest`
  return rows.length > 0
}

/** The address of the account for which the link is valid. */
export async function selectReset(db: Sql, digest: Uint8Array, at: string): Promise<string | null> {
  const [row] = await db<{ email: string }>`select email from resets join users on users.id = user_id
    where digest = ${digest} and expires > ${at}`
  return row?.email ?? null
}

/** Ends all links of the person whose link this is; returns who that is, if the link was valid. Links that were used stay
 *  until they expire, because they count as sent. */
export async function useReset(
  db: Tx,
  digest: Uint8Array,
  at: string,
): Promise<{ user: string; email: string } | null> {
  const [row] = await db<{ user: string; email: string }>`select users.id as user, email
    from resets join users on users.id = user_id where digest = ${digest} and expires > ${at} for update`
  if (!row) return null
  await db`update resets set expires = ${at} where user_id = ${row.user} and expires > ${at}`
  return row
}

/** Those that ended before `at`, at most `max`; returns how many. */
export async function deleteEnded(db: Tx, at: string, max: number): Promise<number> {
  const rows = await db`delete from resets where digest in (
    select digest from resets where expires <= ${at} order by expires limit ${max}) returning digest`
  return rows.length
}
