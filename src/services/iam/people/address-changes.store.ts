// All SQL on changes of address.
import type { Sql, Tx } from '../../../engines/engines.ts'
import { anyRow } from '../../../kit/sql.ts'
import { accountsOf } from './accounts.ts'

export type AddressChange = { digest: Uint8Array; user: string; email: string; created: string; expires: string }

/** Ends earlier links of that person, whose account must be locked. Returns false if the person has been sent `max` links since `since`. */
export async function insertChange(db: Tx, change: AddressChange, since: string, max: number): Promise<boolean> {
  const { digest, user, email, created, expires } = change
  await endChangesOf(db, user, created)
  return anyRow(db`insert into address_changes (digest, user_id, email, created, expires)
    select ${digest}, ${user}, ${email}, ${created}, ${expires}
    where (select count(*) from address_changes where user_id = ${user} and created > ${since}) < ${max} returning digest`)
}

/** Ends all links of a person. They stay for an hour, because they count as sent. */
export async function endChangesOf(db: Tx, user: string, at: string): Promise<void> {
  await db`update address_changes set expires = ${at} where user_id = ${user} and expires > ${at}`
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
  const [change] = await db<{ user: string; to: string }>`update address_changes set expires = ${at}
    where digest = ${digest} and expires > ${at} returning user_id as user, email as "to"`
  if (!change) return null
  const [account] = await db<{ from: string }>`select email as "from" from ${accountsOf(change.user)}
    where id = ${change.user}`
  return account ? { ...change, ...account } : null
}

/** Returns false if another account has the address. Invites that the person sent stay valid. */
export async function updateAddress(db: Tx, { user, from, to }: UsedChange, at: string): Promise<boolean> {
  const rows = await db`update users set email = ${to}, email_verified = ${at}
    where id = ${user} and not exists (select from users where email = ${to}) returning id`
  if (rows.length === 0) return false
  await db`update invites set invited_by = ${to} where invited_by = ${from}`
  return true
}
