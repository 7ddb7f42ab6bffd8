// All SQL on API keys and browser sessions.

import type { Fragment, Sql, Tx } from '../../engines/engines.ts'
import type { Budget, OrgId } from '../../kit/caller.ts'
import { fragment, oneRow } from '../../kit/sql.ts'
import type { KeyType } from './key-text.ts'

/** The restrictions on a key. */
export type Bounds = { expires: string | null; limits: string[]; budget: Budget; rate: number | null }

/** What is stored of the text of a key. */
export type StoredText = {
  prefix: string
  /** Stored for publishable keys only. */
  text: string | null
  digest: string
}

export type NewKey = Bounds &
  StoredText & {
    id: string
    org: OrgId
    user: string
    name: string
    type: KeyType
    created: string
  }

export type KeyRow = Omit<NewKey, 'org' | 'digest'> & {
  spent: number
  spent_month: number
  last_used: string | null
  /** How long the text before the last rotation works; null if it does not. */
  former_until: string | null
  /** Also true when its owner is no longer a member. */
  revoked: boolean
  revoked_at: string | null
  revoked_by: string | null
}

export async function insertKey(db: Tx, key: NewKey): Promise<void> {
  await db`insert into keys (id, org, user_id, member, name, type, prefix, text, digest, created,
      expires, limits, budget_month, budget_total, rate)
    values (${key.id}, ${key.org}, ${key.user}, ${key.user}, ${key.name}, ${key.type}, ${key.prefix}, ${key.text},
      decode(${key.digest}, 'hex'), ${key.created},
      ${key.expires}, ${key.limits}, ${key.budget.month}, ${key.budget.total}, ${key.rate})`
}

/** The condition for keys that work at the time `at`. */
export const isLiveKey = (at: string): Fragment => fragment`not ended and coalesce(expires, 'infinity') > ${at}`

export async function selectKey(db: Sql, org: OrgId, id: string, month: string): Promise<KeyRow | null> {
  const [row] = await selectKeys(db, org, [id], month)
  return row ?? null
}

/** The keys with these ids, newest first. */
export function selectKeys(db: Sql, org: OrgId, ids: readonly string[], month: string): Promise<KeyRow[]> {
  return db<KeyRow>`select id, user_id as user, name, type, prefix, text, created, expires, limits,
      json_build_object('month', budget_month, 'total', budget_total) as budget, rate,
      spent, case when month_of = ${month} then spent_month else 0 end as spent_month,
      last_used, former_until, ended as revoked, revoked_at, revoked_by
    from keys where org = ${org} and id = any(${ids}) order by created desc, id desc`
}

/** Active publishable keys, newest first; `user` is null for those of all members. The number of active keys is bounded. */
export async function selectPublishableKeys(
  db: Sql,
  org: OrgId,
  user: string | null,
  at: string,
): Promise<{ id: string; name: string; text: string; expires: string | null; limits: string[] }[]> {
  const own = user === null ? fragment`true` : fragment`user_id = ${user}`
  return db`with live as materialized (select * from keys where org = ${org} and ${isLiveKey(at)})
    select id, name, text, expires, limits from live where type = 'publishable' and text is not null and ${own}
    order by created desc, id desc`
}

/** Locks the key against changes until the transaction ends. */
export async function lockKey(db: Tx, org: OrgId, id: string): Promise<void> {
  await db`select from keys where org = ${org} and id = ${id} for no key update`
}

export async function updateKey(
  db: Tx,
  org: OrgId,
  id: string,
  { name, expires, limits, budget, rate }: Bounds & { name: string },
): Promise<void> {
  await db`update keys set name = ${name}, expires = ${expires}, limits = ${limits},
      budget_month = ${budget.month}, budget_total = ${budget.total}, rate = ${rate}
    where org = ${org} and id = ${id}`
}

/** Replaces its text. The former text works until `until`; null ends it immediately. */
export async function updateKeyText(
  db: Tx,
  org: OrgId,
  id: string,
  { prefix, text, digest }: StoredText,
  formerUntil: string | null,
): Promise<void> {
  await db`update keys set former_digest = digest, former_until = ${formerUntil},
      prefix = ${prefix}, text = ${text}, digest = decode(${digest}, 'hex')
    where org = ${org} and id = ${id}`
}

export async function revokeKey(db: Tx, org: OrgId, id: string, by: string, at: string): Promise<void> {
  await db`update keys set revoked_at = ${at}, revoked_by = ${by} where org = ${org} and id = ${id}`
}

/** Every key of one person in one organisation. */
export async function revokeKeysOf(db: Tx, org: OrgId, user: string, by: string, at: string): Promise<void> {
  await db`with own as materialized (select id from keys where org = ${org} and user_id = ${user} and not ended
      order by id for no key update)
    update keys set revoked_at = ${at}, revoked_by = ${by} from own where keys.id = own.id`
}

/** A key or session found by its digest, of a key also by that of its former text. */
export type Found = {
  id: string
  kind: KeyType | 'session'
  /** The digest of its current text, by which notifications name it. */
  digest: string
  /** Whether another text has replaced the presented one, and until when it works; null if it does not. */
  isFormer: boolean
  formerUntil: string | null
  org: OrgId
  user: string
  expires: string | null
  revoked: boolean
  /** For a session, the digest of its sign-in's grant. */
  signIn: string | null
  limits: string[]
  budget_month: number
  budget_total: number
  rate: number | null
  last_used: string | null
}

export function findKey(db: Sql, digest: string): Promise<Found | null> {
  return oneRow(db<Found>`select id, type as kind, encode(digest, 'hex') as digest,
      digest <> decode(${digest}, 'hex') as "isFormer", former_until as "formerUntil", org, user_id as user, expires,
      ended as revoked, null as "signIn", limits, budget_month, budget_total, rate,
      last_used
    from keys where digest = decode(${digest}, 'hex') or former_digest = decode(${digest}, 'hex')`)
}

export function findSession(db: Sql, digest: string): Promise<Found | null> {
  return oneRow(db<Found>`select id, 'session' as kind, encode(digest, 'hex') as digest, false as "isFormer",
      null as "formerUntil", org, user_id as user, expires, false as revoked,
      encode(sign_in, 'hex') as "signIn", '{}'::text[] as limits, 0 as budget_month, 0 as budget_total,
      null::int as rate, null as last_used
    from sessions where digest = decode(${digest}, 'hex')`)
}

export type NewSession = {
  id: string
  org: OrgId
  user: string
  digest: string
  /** The digest of the grant it belongs to, and the brand of that grant. */
  signIn: string
  brand: string
  created: string
  expires: string
}

/** The membership and the grant must be locked meanwhile, so that ending either of them also ends the session. */
export async function insertAccountSession(db: Tx, session: NewSession): Promise<void> {
  const { id, org, user, digest, signIn, brand, created, expires } = session
  await db`insert into sessions (id, org, user_id, digest, sign_in, sign_in_brand, created, expires)
    values (${id}, ${org}, ${user}, decode(${digest}, 'hex'), decode(${signIn}, 'hex'), ${brand},
      ${created}, ${expires})`
}

/** Deletes the session with that digest and returns the digest of its sign-in's grant; null if there is none. */
export async function deleteAccountSession(db: Tx, digest: string): Promise<string | null> {
  const [row] = await db<{ signIn: string }>`delete from sessions where digest = decode(${digest}, 'hex')
    returning encode(sign_in, 'hex') as "signIn"`
  return row?.signIn ?? null
}

/** Updates when keys were last used, in one statement. Returns those that another transaction has locked: waiting for them
 *  would keep all others locked, and delay the charges of their calls. */
export async function updateLastUsed(db: Tx, uses: ReadonlyMap<string, string>): Promise<string[]> {
  const rows = await db<{ id: string }>`with given as (select * from unnest(${[...uses.keys()]}::text[],
        ${[...uses.values()]}::timestamptz[]) as u (id, at)),
      later as (select keys.id, given.at from keys join given on given.id = keys.id
        where last_used is null or last_used < given.at),
      used as materialized (select keys.id, later.at from keys join later on later.id = keys.id
        order by keys.id for no key update of keys skip locked),
      written as (update keys set last_used = used.at from used where keys.id = used.id)
    select id from later where id not in (select id from used)`
  return rows.map(({ id }) => id)
}

export type Spent = { spent: number; spent_month: number; budget_month: number; budget_total: number }

export function selectSpent(db: Sql, org: OrgId, id: string, month: string): Promise<Spent | null> {
  return oneRow(db<Spent>`select spent, case when month_of = ${month} then spent_month else 0 end as spent_month,
      budget_month, budget_total
    from keys where org = ${org} and id = ${id}`)
}

/** The keys are locked in one order, so that transactions that add to the same ones cannot deadlock. */
export async function addSpent(db: Tx, spent: readonly [id: string, amount: number][], month: string): Promise<void> {
  await db`with used as materialized (
      select keys.id, s.amount from keys join unnest(${spent.map(([id]) => id)}::text[],
        ${spent.map(([, amount]) => amount)}::bigint[]) as s (id, amount) on s.id = keys.id
      order by keys.id for no key update of keys)
    update keys set spent = spent + used.amount, month_of = ${month},
      spent_month = used.amount + case when month_of = ${month} then spent_month else 0 end
    from used where keys.id = used.id`
}
