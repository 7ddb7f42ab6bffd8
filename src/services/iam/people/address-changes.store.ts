// All SQL on changes of address.
import type { Sql, Tx } from '../../../engines/engines.ts'
import type { OrgId } from '../../../kit/caller.ts'
import { anyRow, oneRow } from '../../../kit/sql.ts'
import { accountsOf } from './accounts.ts'

export type AddressChange = { digest: Uint8Array; user: string; email: string; created: string; expires: string }

/** Ends earlier links of that person, whose account must be locked. Returns false if the person has been sent `max` links
 *  since `since`. */
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

/** The account whose address is to change; `org` is set for a customer. */
export type PendingChange = { user: string; org: OrgId | null; email: string }

/** The change of a valid link. */
export function selectChange(db: Sql, digest: Uint8Array, at: string): Promise<PendingChange | null> {
  return oneRow(db<PendingChange>`select a.user_id as user, c.org, a.email
    from address_changes as a left join customers as c on c.id = a.user_id
    where a.digest = ${digest} and a.expires > ${at}`)
}

export async function deleteChange(db: Tx, digest: Uint8Array): Promise<void> {
  await db`delete from address_changes where digest = ${digest}`
}

/** Deletes the person's address changes, which are personal data. */
export async function deleteChangesOf(db: Tx, user: string): Promise<void> {
  await db`delete from address_changes where user_id = ${user}`
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
