// All SQL on people and their passwords.
import type { Sql, Tx } from '../../../engines/engines.ts'
import type { OrgId } from '../../../kit/caller.ts'
import { anyRow, fragment, oneRow } from '../../../kit/sql.ts'
import { accountsOf, isCustomerId } from './accounts.ts'

/** Removes the passwords that admins of the organisation set; returns the people who had them. */
export async function endPasswordsSetBy(db: Tx, org: OrgId): Promise<string[]> {
  const rows = await db<{ id: string }>`update users set password = null, password_by = null
    where password_by = ${org} returning id`
  return rows.map(({ id }) => id)
}

/** `passwordBy` is the organisation whose admin set the password; null if a superadmin or the person did, or there is none. */
export type NewUser = { id: string; email: string; password: string | null; passwordBy: string | null; created: string }

/** Returns false if the address already has an account. */
export function insertUser(db: Tx, { id, email, password, passwordBy, created }: NewUser): Promise<boolean> {
  return anyRow(db`insert into users (id, email, password, password_by, created)
    values (${id}, ${email}, ${password}, ${passwordBy}, ${created}) on conflict (email) do nothing returning id`)
}

export async function selectUser(db: Sql, email: string): Promise<{ user: string; passwordBy: string | null }> {
  const [row] = await db<{ user: string; passwordBy: string | null }>`select id as user, password_by as "passwordBy"
    from users where email = ${email}`
  if (!row) throw new Error('the account was deleted in the meantime')
  return row
}

/** E-mail addresses by user id. */
export async function emailsOf(db: Sql, users: readonly string[]): Promise<Map<string, string>> {
  const rows = await db<{ id: string; email: string }>`select id, email from users where id = any(${users})`
  return new Map(rows.map(({ id, email }) => [id, email]))
}

/** Whether the person has a password that they chose themselves. */
export function hasOwnPassword(db: Sql, user: string): Promise<boolean> {
  return anyRow(db`select from users where id = ${user} and password is not null and password_by is null`)
}

export type Account = { user: string; password: string | null }

export function selectAccount(db: Sql, email: string): Promise<Account | null> {
  return oneRow(db<Account>`select id as user, password from users where email = ${email}`)
}

/** The stored hash of a person or customer; null if there is none. */
export async function selectPassword(db: Sql, user: string): Promise<string | null> {
  const [row] = await db<{ password: string | null }>`select password from ${accountsOf(user)} where id = ${user}`
  return row?.password ?? null
}

/** Whether an address has an account: of the team, or for a customer of the same organisation. */
export function hasAccount(db: Sql, user: string, email: string): Promise<boolean> {
  if (!isCustomerId(user)) return anyRow(db`select from users where email = ${email}`)
  return anyRow(
    db`select from customers where email = ${email} and org = (select org from customers where id = ${user})`,
  )
}

/** Locks an account until the transaction ends; returns false if the stored hash is no longer `verified`, null for none. */
export function lockPassword(db: Tx, user: string, verified: string | null): Promise<boolean> {
  return anyRow(db`select from ${accountsOf(user)} where id = ${user} and password is not distinct from ${verified}
    for no key update`)
}

/** The account must be locked. */
export async function updatePassword(db: Tx, user: string, digest: string): Promise<void> {
  const ends = isCustomerId(user) ? fragment`, generation = generation + 1` : fragment``
  await db`update ${accountsOf(user)} set password = ${digest}, wrong_count = 0${ends} where id = ${user}`
}

/** Sets a password that only the person knows, after they proved access to the mailbox. `updatePassword` keeps
 *  `password_by`, because the admin who set the password may be the one who changed it. */
export async function setOwnPassword(db: Tx, user: string, digest: string, at: string): Promise<void> {
  await db`update users set password = ${digest}, password_by = null, wrong_count = 0, email_verified = ${at}
    where id = ${user}`
}

/** Records that the person has proved access to the mailbox. */
export async function verifyAddress(db: Tx, user: string, at: string): Promise<void> {
  await db`update users set email_verified = ${at} where id = ${user}`
}

export type Profile = { name: string; emailVerified: boolean }

export async function selectProfile(db: Sql, user: string): Promise<Profile> {
  const [row] =
    await db<Profile>`select name, email_verified is not null as "emailVerified" from ${accountsOf(user)} where id = ${user}`
  return row ?? { name: '', emailVerified: false }
}

export type OwnAccount = Profile & { email: string; isPlanted: boolean }

/** `isPlanted`: an admin chose the password. */
export function selectOwnAccount(db: Sql, user: string): Promise<OwnAccount | null> {
  return oneRow(db<OwnAccount>`select email, name, email_verified is not null as "emailVerified",
      password_by is not null as "isPlanted"
    from users where id = ${user}`)
}

/** Locks an account until the transaction ends, so that its password does not change meanwhile. */
export async function lockOwnAccount(db: Tx, user: string): Promise<OwnAccount | null> {
  await db`select from users where id = ${user} for no key update`
  return selectOwnAccount(db, user)
}

export async function updateName(db: Tx, user: string, name: string): Promise<void> {
  await db`update users set name = ${name} where id = ${user}`
}

/** Locks an account until the transaction ends. `hasPassword`: the person chose the password themselves. */
export async function lockUser(db: Tx, email: string): Promise<{ user: string; hasPassword: boolean }> {
  const [row] = await db<{ user: string; hasPassword: boolean }>`select id as user,
      password is not null and password_by is null as "hasPassword"
    from users where email = ${email} for update`
  if (!row) throw new Error('the account was deleted in the meantime')
  return row
}

/** Counts an attempt at a password; returns the number of attempts since `since`. */
export async function countTry(db: Tx, user: string, at: string, since: string): Promise<number> {
  const [row] = await db<{ count: number }>`update ${accountsOf(user)} set
      wrong_count = case when wrong_since > ${since} then wrong_count + 1 else 1 end,
      wrong_since = case when wrong_since > ${since} then wrong_since else ${at} end
    where id = ${user} returning wrong_count as count`
  return row?.count ?? 0
}

/** Locks an account until the transaction ends, also against joining an organisation; returns its address, null for none. */
export async function lockForDeletion(db: Tx, user: string): Promise<string | null> {
  const [row] = await db<{ email: string }>`select email from users where id = ${user} for update`
  return row?.email ?? null
}

/** With it go the memberships, keys, sessions and links of the person. */
export async function deleteUser(db: Tx, user: string): Promise<void> {
  await db`delete from users where id = ${user}`
}
