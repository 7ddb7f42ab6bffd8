// All SQL on API keys, browser sessions, and the sign-ins they and access tokens come of.
import type { Sql } from '../../engines/engines.ts'
import type { Budget, OrgId, Role } from '../../kit/caller.ts'
import type { Place } from '../../kit/page.ts'
import type { KeyType } from './key-text.ts'

/** What a key is held to. */
export type Bounds = { expires: string | null; limits: string[]; budget: Budget; rate: number | null }

export type NewKey = Bounds & {
  id: string
  org: OrgId
  user: string
  name: string
  type: KeyType
  prefix: string
  /** Kept of a publishable key alone. */
  text: string | null
  digest: string
  created: string
}

export type KeyRow = Omit<NewKey, 'org' | 'digest'> & {
  email: string
  spent: number
  spent_month: number
  last_used: string | null
  revoked_at: string | null
  revoked_by: string | null
}

export async function insertKey(db: Sql, key: NewKey): Promise<void> {
  await db`insert into keys (id, org, user_id, name, type, prefix, text, digest, created,
      expires, limits, budget_month, budget_total, rate)
    values (${key.id}, ${key.org}, ${key.user}, ${key.name}, ${key.type}, ${key.prefix}, ${key.text},
      decode(${key.digest}, 'hex'), ${key.created},
      ${key.expires}, ${key.limits}, ${key.budget.month}, ${key.budget.total}, ${key.rate})`
}

/** How many keys of the organisation work. Until the transaction ends, nobody else is told. */
export async function countLiveKeys(db: Sql, org: OrgId, at: string): Promise<number> {
  await db`select from orgs where slug = ${org} for no key update`
  const [row] = await db<{ count: number }>`select count(*) from keys
    where org = ${org} and revoked_at is null and (expires is null or expires > ${at})`
  return row?.count ?? 0
}

/** Which keys: null lets all pass. `at` and `month` are what status and spending are told by. */
export type KeyFilter = {
  id: string | null
  user: string | null
  status: string | null
  at: string
  month: string
}

/** Newest first, those that come after the one at `last`. */
export function selectKeys(
  db: Sql,
  org: OrgId,
  { id, user, status, at, month }: KeyFilter,
  last: Place | null,
  count: number,
): Promise<KeyRow[]> {
  return db<KeyRow>`select keys.id, keys.user_id as user, name, type, prefix, text, keys.created, expires, limits,
      json_build_object('month', budget_month, 'total', budget_total) as budget, rate, spent, case when month_of = ${month} then spent_month else 0 end as spent_month,
      last_used, revoked_at, revoked_by, users.email
    from keys join users on users.id = keys.user_id
    where org = ${org}
      and (${id}::text is null or keys.id = ${id})
      and (${user}::text is null or keys.user_id = ${user})
      and (${last?.id ?? null}::text is null
        or (keys.created, keys.id) < (${last?.created ?? null}, ${last?.id ?? null}))
      and (${status}::text is null or ${status} = case
        when revoked_at is not null then 'revoked' when expires <= ${at} then 'expired' else 'active' end)
    order by keys.created desc, keys.id desc limit ${count}`
}

/** Until the transaction ends, nobody else changes that key. */
export async function lockKey(db: Sql, org: OrgId, id: string): Promise<void> {
  await db`select from keys where org = ${org} and id = ${id} for no key update`
}

export async function updateKey(
  db: Sql,
  org: OrgId,
  id: string,
  { name, expires, limits, budget, rate }: Bounds & { name: string },
): Promise<void> {
  await db`update keys set name = ${name}, expires = ${expires}, limits = ${limits},
      budget_month = ${budget.month}, budget_total = ${budget.total}, rate = ${rate}
    where org = ${org} and id = ${id}`
}

export async function revokeKey(db: Sql, org: OrgId, id: string, by: string, at: string): Promise<void> {
  await db`update keys set revoked_at = ${at}, revoked_by = ${by} where org = ${org} and id = ${id}`
}

/** Every key of one person in one organisation. */
export async function revokeKeysOf(db: Sql, org: OrgId, user: string, by: string, at: string): Promise<void> {
  await db`update keys set revoked_at = ${at}, revoked_by = ${by}
    where org = ${org} and user_id = ${user} and revoked_at is null`
}

export type Found = {
  id: string
  kind: KeyType | 'session' | 'token'
  org: OrgId
  user: string
  email: string
  /** Null when its holder is not a member any more. */
  role: Role | null
  expires: string | null
  revoked: boolean
  limits: string[]
  budget_month: number
  budget_total: number
  rate: number | null
  last_used: string | null
}

export async function findKey(db: Sql, digest: string): Promise<Found | null> {
  const [row] = await db<Found>`select keys.id, type as kind, keys.org, keys.user_id as user, users.email, members.role,
      expires, revoked_at is not null as revoked, limits, budget_month, budget_total, rate, last_used
    from keys
    join users on users.id = keys.user_id
    left join members on members.org = keys.org and members.user_id = keys.user_id
    where digest = decode(${digest}, 'hex')`
  return row ?? null
}

export async function findSession(db: Sql, digest: string): Promise<Found | null> {
  const [row] =
    await db<Found>`select sessions.id, 'session' as kind, sessions.org, sessions.user_id as user, users.email,
      members.role, expires, false as revoked, '{}'::text[] as limits, 0 as budget_month, 0 as budget_total,
      null::int as rate, null as last_used
    from sessions
    join users on users.id = sessions.user_id
    join members on members.org = sessions.org and members.user_id = sessions.user_id
    where digest = decode(${digest}, 'hex')`
  return row ?? null
}

/** Somebody who is still signed in, as a member of that organisation, under the grant with that digest. */
export async function findSignIn(
  db: Sql,
  digest: string,
  { user, org, signIn, expiresMs }: { user: string; org: string; signIn: string; expiresMs: number },
): Promise<Found | null> {
  const [row] = await db<Found>`select ${signIn} as id, 'token' as kind, members.org, users.id as user, users.email,
      members.role, ${new Date(expiresMs).toISOString()} as expires, false as revoked, '{}'::text[] as limits,
      0 as budget_month, 0 as budget_total, null::int as rate, null as last_used
    from oidc
    join users on users.id = oidc.user_id
    join members on members.user_id = users.id and members.org = ${org}
    where oidc.model = 'Grant' and oidc.digest = decode(${digest}, 'hex') and users.id = ${user}`
  return row ?? null
}

/** A workspace of whichever organisation, as its tokens name it. */
export async function findWorkspace(
  db: Sql,
  id: string,
): Promise<{ org: OrgId; workspace: string; secret: Uint8Array } | null> {
  const [row] = await db<{ org: OrgId; workspace: string; secret: Uint8Array }>`select org, id as workspace, secret
    from workspaces where id = ${id}`
  return row ?? null
}

export type NewSession = {
  id: string
  org: OrgId
  user: string
  digest: string
  /** The digest of the grant it came of. */
  signIn: string | null
  created: string
  expires: string
}

/** Answers false when the membership or the sign-in it is to come of is there no more. Both are held until it is written:
 *  whoever ends them then ends the session too. */
export async function insertSession(db: Sql, session: NewSession): Promise<boolean> {
  const { id, org, user, digest, signIn, created, expires } = session
  const rows = await db`with held as (
      select from oidc where brand in (select name from brands) and model = 'Grant'
        and digest = decode(${signIn}, 'hex') for key share
    )
    insert into sessions (id, org, user_id, digest, sign_in, created, expires)
    select ${id}, org, user_id, decode(${digest}, 'hex'), decode(${signIn}, 'hex'), ${created}, ${expires}
    from members where org = ${org} and user_id = ${user} and (${signIn}::text is null or exists (select from held))
    for key share returning id`
  return rows.length > 0
}

/** Ends the session with that digest, and answers the digest of the sign-in it came of, if there was one. */
export async function deleteSession(db: Sql, digest: string): Promise<string | null> {
  const [row] = await db<{ signIn: string | null }>`delete from sessions where digest = decode(${digest}, 'hex')
    returning encode(sign_in, 'hex') as "signIn"`
  return row?.signIn ?? null
}

/** Ends the tokens of a sign-in, but leaves its person signed in at the identity origin. */
export async function deleteGrant(db: Sql, digest: string): Promise<void> {
  await db`delete from oidc where brand in (select name from brands) and model = 'Grant'
    and digest = decode(${digest}, 'hex')`
}

/** Ends a sign-in, found by the digest of its grant or the beginning of that in hex: its tokens, and the browser's session
 *  at the identity origin. */
export async function deleteSignIn(db: Sql, digest: string): Promise<void> {
  const ended = await db<{ digest: Uint8Array; user_id: string }>`delete from oidc
    where brand in (select name from brands) and model = 'Grant'
      and digest between decode(${digest}, 'hex') and decode(${digest.padEnd(64, 'f')}, 'hex')
    returning digest, user_id`
  for (const { digest: grant, user_id } of ended) {
    // The browser is signed out of all it was signed in to: of the rest, nothing would be left but what is listed.
    await db`with browsers as (
        delete from oidc where model = 'Session' and user_id = ${user_id} and exists (
          select from jsonb_each(payload->'authorizations') as one
          where sha256(convert_to(one.value->>'grantId', 'UTF8')) = ${grant})
        returning brand, payload
      )
      delete from oidc using browsers, jsonb_each(browsers.payload->'authorizations') as one
      where oidc.brand = browsers.brand and oidc.model = 'Grant'
        and oidc.digest = sha256(convert_to(one.value->>'grantId', 'UTF8'))`
  }
}

/** Ends everything a person is signed in to, but for what the credential with that digest belongs to. */
export async function deleteSignInsOf(db: Sql, user: string, kept: string): Promise<void> {
  const [own] = await db<{ grant: Uint8Array | null }>`select coalesce(
      (select sign_in from sessions where digest = decode(${kept}, 'hex')), decode(${kept}, 'hex')) as grant`
  const grant = own?.grant ?? null
  await db`delete from sessions where user_id = ${user} and digest <> decode(${kept}, 'hex')
    and sign_in is distinct from ${grant}`
  await db`delete from oidc where user_id = ${user} and model in ('Grant', 'Session') and digest <> ${grant}
    and not (model = 'Session' and exists (
      select from jsonb_each(payload->'authorizations') as one
      where sha256(convert_to(one.value->>'grantId', 'UTF8')) = ${grant}))`
  // One who has said the old password, but not come back to the app with it yet.
  await db`delete from oidc where model = 'Interaction' and payload #>> '{result,login,accountId}' = ${user}`
}

/** Notes when keys were used, all in one statement. */
export async function updateLastUsed(db: Sql, uses: ReadonlyMap<string, string>): Promise<void> {
  await db`update keys set last_used = used.at
    from unnest(${[...uses.keys()]}::text[], ${[...uses.values()]}::timestamptz[]) as used (id, at)
    where keys.id = used.id and (last_used is null or last_used < used.at)`
}

export type Spent = { spent: number; spent_month: number; budget_month: number; budget_total: number }

export async function selectSpent(db: Sql, org: OrgId, id: string, month: string): Promise<Spent | null> {
  const [row] = await db<Spent>`select spent, case when month_of = ${month} then spent_month else 0 end as spent_month,
      budget_month, budget_total
    from keys where org = ${org} and id = ${id}`
  return row ?? null
}

export async function addSpent(db: Sql, org: OrgId, id: string, amount: number, month: string): Promise<void> {
  await db`update keys set spent = spent + ${amount}, month_of = ${month},
      spent_month = ${amount} + case when month_of = ${month} then spent_month else 0 end
    where org = ${org} and id = ${id}`
}
