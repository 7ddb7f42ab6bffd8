// All SQL on customers, the people of an organisation's own apps, which the API calls users.
import type { Sql, Tx } from '../../../engines/engines.ts'
import type { OrgId } from '../../../kit/caller.ts'
import type { Position } from '../../../kit/page.ts'
import { anyRow, fragment, oneRow, rowsAs } from '../../../kit/sql.ts'
import { charactersIn, type Searched, termsOf } from './terms.ts'

export type Customer = {
  user: string
  email: string
  emailVerified: boolean
  name: string
  metadata: Record<string, unknown>
  blocked: boolean
  created: string
  updated: string
  signedIn: string | null
}

const COLUMNS = fragment`c.id as user, c.email, c.email_verified is not null as "emailVerified", c.name, c.metadata,
  c.blocked is not null as blocked, c.created, c.updated, c.signed_in as "signedIn"`

/** Newest first. */
export function selectCustomers(
  db: Sql,
  org: OrgId,
  blocked: boolean | undefined,
  { created, id }: Position,
  count: number,
): Promise<Customer[]> {
  const among = blocked === undefined ? fragment`true` : fragment`(blocked is not null) = ${blocked}`
  // Written out for the few that are blocked, because only that condition fits their index.
  const filter = blocked ? fragment`blocked is not null` : among
  return db<Customer>`select ${COLUMNS} from customers as c
    where org = ${org} and ${filter} and (created, id) < (${created}, ${id})
    order by created desc, id desc limit ${count}`
}

export type CustomerWithHash = Customer & { password: string | null }

/** Oldest first. */
export function selectWithHashes(
  db: Sql,
  org: OrgId,
  { created, id }: Position,
  count: number,
): Promise<CustomerWithHash[]> {
  return db<CustomerWithHash>`select ${COLUMNS}, c.password from customers as c
    where org = ${org} and (created, id) > (${created}, ${id}) order by created, id limit ${count}`
}

/** A match of a search: the term that was found, and the customer. */
export type Match = { term: string; user: string }

/** Customers with a term that begins with `prefix`, sorted by that term. A customer with several such terms is found by the
 *  first: the others share the prefix with their predecessor. `last` is a term with the prefix, or empty. */
export function selectMatches(
  db: Sql,
  org: OrgId,
  { prefix, blocked }: { prefix: string; blocked: boolean | undefined },
  last: Match,
  count: number,
): Promise<Match[]> {
  // A single lower bound: with two, PostgreSQL may start at the lower one and read everything in between.
  const from = last.term === '' ? { term: prefix, user: '' } : last
  const all = blocked === undefined ? fragment`true` : fragment`not t.blocked`
  const among = blocked ? fragment`t.blocked` : all
  return db<Match>`select found.term, found.customer as user
    from generate_series(0, least(${charactersIn(prefix) - 1}::int,
        (select max(m.shared) from customer_terms as m where m.org = ${org}))) as s (shared)
      cross join lateral (select term, customer from customer_terms as t
        where t.org = ${org} and ${among} and t.shared = s.shared
          and (t.term, t.customer) > (${from.term}, ${from.user}) and t.term < ${`${prefix}\u{10ffff}`}
        order by t.term, t.customer limit ${count}) as found
    order by found.term, found.customer limit ${count}`
}

/** In any order. */
export function selectCustomersBy(db: Sql, org: OrgId, users: readonly string[]): Promise<Customer[]> {
  return db<Customer>`select ${COLUMNS} from customers as c where org = ${org} and id = any(${users})`
}

export function selectCustomer(db: Sql, org: OrgId, user: string): Promise<Customer | null> {
  return oneRow(db<Customer>`select ${COLUMNS} from customers as c where org = ${org} and id = ${user}`)
}

/** Locks the account until the transaction ends. */
export async function lockCustomer(db: Tx, org: OrgId, user: string): Promise<Customer | null> {
  await db`select from customers where org = ${org} and id = ${user} for no key update`
  return selectCustomer(db, org, user)
}

/** Locks the accounts with these addresses until the transaction ends. */
export async function lockCustomersByAddress(db: Tx, org: OrgId, emails: readonly string[]): Promise<Customer[]> {
  const rows = await db<{ id: string }>`select id from customers where org = ${org} and email = any(${emails})
    order by id for no key update`
  return selectCustomersBy(
    db,
    org,
    rows.map(({ id }) => id),
  )
}

export type NewCustomer = Pick<Customer, 'user' | 'email' | 'name' | 'metadata' | 'created'> & {
  password: string | null
  verified: string | null
  blocked?: string | null
}

/** Returns false if the address has an account. */
export async function insertCustomer(db: Tx, org: OrgId, customer: NewCustomer): Promise<boolean> {
  return (await insertCustomers(db, org, [customer], customer.created)).has(customer.user)
}

const given = rowsAs<NewCustomer>('given', {
  user: 'text',
  email: 'text',
  name: 'text',
  password: 'text',
  metadata: 'jsonb',
  verified: 'timestamptz',
  blocked: 'timestamptz',
  created: 'timestamptz',
})

/** Skips addresses that have an account; returns the ids of the others. */
export async function insertCustomers(
  db: Tx,
  org: OrgId,
  customers: readonly NewCustomer[],
  at: string,
): Promise<Set<string>> {
  const rows = customers.map(one => ({ blocked: null, ...one }))
  const added = await db<{ id: string }>`insert into customers
      (id, org, email, name, password, metadata, email_verified, blocked, created, updated)
    select given."user", ${org}, email, name, password, metadata, verified, blocked, created, ${at}::timestamptz
    from ${given(rows)} on conflict (org, email) do nothing returning id`
  const ids = new Set(added.map(({ id }) => id))
  const found = rows.filter(({ user }) => ids.has(user)).map(row => ({ ...row, blocked: row.blocked !== null }))
  if (found.length > 0) await addTerms(db, org, found)
  return ids
}

/** Stores the search terms of customers. */
export async function addTerms(db: Tx, org: OrgId, customers: readonly Searched[]): Promise<void> {
  const all = customers.flatMap(one => termsOf(one).map(term => ({ ...one, ...term })))
  await db`insert into customer_terms (org, term, shared, customer, blocked)
    select ${org}, t.* from unnest(${all.map(({ term }) => term)}::text[], ${all.map(({ shared }) => shared)}::int[],
      ${all.map(({ user }) => user)}::text[], ${all.map(({ blocked }) => blocked)}::bool[]) as t
    on conflict do nothing`
}

async function deleteTerms(db: Tx, user: string): Promise<void> {
  await db`delete from customer_terms where customer = ${user}`
}

export async function updateCustomer(db: Tx, org: OrgId, after: Customer, verified: string | null): Promise<void> {
  const { user, email, name, metadata, blocked, updated } = after
  await db`update customers set email = ${email}, name = ${name}, metadata = ${JSON.stringify(metadata)}::text::jsonb,
      email_verified = ${verified}::timestamptz, updated = ${updated},
      blocked = case when ${blocked} then coalesce(blocked, ${updated}) end,
      generation = generation + (case when ${blocked} and blocked is null then 1 else 0 end)
    where org = ${org} and id = ${user}`
  await deleteTerms(db, user)
  await addTerms(db, org, [after])
}

/** Ends all earlier sign-ins. */
export async function setCustomerPassword(db: Tx, org: OrgId, user: string, password: string | null): Promise<void> {
  await db`update customers set password = ${password}, wrong_count = 0, generation = generation + 1
    where org = ${org} and id = ${user}`
}

/** When access to the mailbox was proved. */
export async function selectVerified(db: Sql, org: OrgId, user: string): Promise<string | null> {
  const [row] = await db<{ verified: string | null }>`select email_verified as verified from customers
    where org = ${org} and id = ${user}`
  return row?.verified ?? null
}

/** Null if it is not the id of a customer. */
export async function selectOrgOf(db: Sql, user: string): Promise<OrgId | null> {
  const [row] = await db<{ org: OrgId }>`select org from customers where id = ${user}`
  return row?.org ?? null
}

export function hasAddress(db: Sql, org: OrgId, email: string): Promise<boolean> {
  return anyRow(db`select from customers where org = ${org} and email = ${email}`)
}

export async function deleteCustomer(db: Tx, org: OrgId, user: string): Promise<void> {
  await db`delete from customers where org = ${org} and id = ${user}`
  await deleteTerms(db, user)
}

export async function countCustomers(db: Sql, org: OrgId): Promise<number> {
  const [row] = await db<{ count: number }>`select count from customer_counts where org = ${org}`
  return row?.count ?? 0
}

/** What sign-in needs of a customer. Ending all sign-ins changes `generation`. */
export type SignInAccount = {
  user: string
  password: string | null
  generation: number
  isVerified: boolean
  isBlocked: boolean
}

const SIGN_IN = fragment`id as user, password, generation, email_verified is not null as "isVerified",
  blocked is not null as "isBlocked"`

export function selectSignInAccount(db: Sql, org: OrgId, email: string): Promise<SignInAccount | null> {
  return oneRow(db<SignInAccount>`select ${SIGN_IN} from customers where org = ${org} and email = ${email}`)
}

/** The hash of the customer with the next address: a password for an unknown address is verified against it, so that the cost
 *  of an answer does not reveal who has an account. Null if none of the next few has a password. */
export async function selectNextPassword(db: Sql, org: OrgId, email: string): Promise<string | null> {
  const [row] = await db<{ password: string }>`select password from (
      select password from customers where org = ${org} and email > ${email} order by email limit 20) as next
    where password is not null limit 1`
  return row?.password ?? null
}

/** Locks the account until the transaction ends. */
export function lockSignInAccount(db: Tx, org: OrgId, email: string): Promise<SignInAccount | null> {
  return oneRow(db<SignInAccount>`select ${SIGN_IN} from customers where org = ${org} and email = ${email}
    for no key update`)
}

/** Records that the address was proved. `password` replaces the existing one, also if it is null. Ends earlier sign-ins. */
export async function proveAddress(db: Tx, user: string, password: string | null, at: string): Promise<number> {
  const [row] = await db<{ generation: number }>`update customers set email_verified = coalesce(email_verified, ${at}),
      password = ${password}, wrong_count = 0, generation = generation + 1, updated = ${at}
    where id = ${user} returning generation`
  return row?.generation ?? 0
}

/** Records that a person who knows the password has proved the address. */
export async function keepAndProve(db: Tx, user: string, at: string): Promise<void> {
  await db`update customers set email_verified = coalesce(email_verified, ${at}), updated = ${at} where id = ${user}`
}

/** Returns false if all sign-ins were ended since `generation`, or the account is blocked. */
export function updateSignedIn(db: Tx, user: string, generation: number, at: string): Promise<boolean> {
  return anyRow(db`update customers set signed_in = ${at}
    where id = ${user} and generation = ${generation} and blocked is null returning id`)
}

/** Sign-ins in progress must start again. */
export async function endSignInsBegun(db: Tx, user: string): Promise<void> {
  await db`update customers set generation = generation + 1 where id = ${user}`
}

/** Returns the organisation; null if another customer has the address, or there is no such account. */
export async function updateAddressOf(db: Tx, user: string, email: string, at: string): Promise<OrgId | null> {
  const [row] = await db<{ org: OrgId }>`update customers as c
    set email = ${email}, email_verified = ${at}, updated = ${at}
    where id = ${user} and not exists (select from customers as o where o.org = c.org and o.email = ${email})
    returning org`
  if (!row) return null
  const customer = await selectCustomer(db, row.org, user)
  await deleteTerms(db, user)
  if (customer) await addTerms(db, row.org, [customer])
  return row.org
}

/** The same password under another hash: nothing ends. Returns false if it was changed in the meantime. */
export function updateHash(db: Tx, org: OrgId, user: string, before: string, after: string): Promise<boolean> {
  return anyRow(db`update customers set password = ${after}
    where org = ${org} and id = ${user} and password = ${before} returning id`)
}
