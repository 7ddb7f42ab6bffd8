// All SQL on changes of address.
import type { Sql, Tx } from '../../../engines/engines.ts'

export type AddressChange = { digest: Uint8Array; user: string; email: string; expires: string }

/** Replaces an earlier one of that person. */
export async function upsertChange(db: Tx, { digest, user, email, expires }: AddressChange): Promise<void> {
  await db`insert into address_changes (digest, user_id, email, expires)
    values (${digest}, ${user}, ${email}, ${expires})
    on conflict (user_id) do update set digest = excluded.digest, email = excluded.email, expires = excluded.expires`
}

/** The new address of a link that is valid. */
export async function selectChange(db: Sql, digest: Uint8Array, at: string): Promise<string | null> {
  const [row] = await db<{
    email: string
  }>`select email from address_changes where digest = ${digest} and expires > ${at}`
  return row?.email ?? null
}

export type UsedChange = { user: string; from: string; to: string }

/** Ends a link and returns what it changes, if it was valid. */
export async function useChange(db: Tx, digest: Uint8Array, at: string): Promise<UsedChange | null> {
  const [row] = await db<UsedChange>`delete from address_changes using users
    where digest = ${digest} and expires > ${at} and users.id = user_id
    returning users.id as user, users.email as "from", address_changes.email as "to"`
  return row ?? null
}

/** Returns false if another account has the address. Invites that the person sent stay valid; links to choose a password
 *  were sent to the old mailbox, and end. */
export async function updateAddress(db: Tx, { user, from, to }: UsedChange, at: string): Promise<boolean> {
  const rows = await db`update users set email = ${to}, email_verified = ${at}
    where id = ${user} and not exists (select from users where email = ${to}) returning id`
  if (rows.length === 0) return false
  await db`update invites set invited_by = ${to} where invited_by = ${from}`
  await db`update resets set expires = ${at} where user_id = ${user} and expires > ${at}`
  return true
}

/** Those that ended before `at`, at most `max`; returns how many. */
export async function deleteEnded(db: Tx, at: string, max: number): Promise<number> {
  const rows = await db`delete from address_changes where digest in (
    select digest from address_changes where expires <= ${at} order by expires limit ${max}) returning digest`
  return rows.length
}
