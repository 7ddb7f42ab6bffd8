// All SQL on the entries of the identity provider: browser sessions, grants, codes, tokens and interactions.

import type { Sql, Tx } from '../../../engines/engines.ts'
import type { CallerRole, OrgId } from '../../../kit/caller.ts'
import { anyRow, fragment, oneRow } from '../../../kit/sql.ts'
import { isLiveOrg } from '../orgs/store.ts'
import { isCustomerId } from '../people/accounts.ts'

export type EntryType = { brand: string; model: string }
export type Entry = { payload: Record<string, unknown>; consumed: string | null }
export type NewEntry = {
  payload: string
  grantId: string | null
  uid: string | null
  user: string | null
  client: string | null
  expires: string | null
}

export async function insertEntry(
  db: Tx,
  { brand, model }: EntryType,
  digest: Uint8Array,
  { payload, grantId, uid, user, client, expires }: NewEntry,
): Promise<void> {
  await db`insert into oidc (brand, model, digest, payload, grant_id, uid, user_id, client, expires)
    values (${brand}, ${model}, ${digest}, ${payload}::text::jsonb, ${grantId}, ${uid}, ${user}, ${client}, ${expires})`
}

/** Stores the session of a person; returns false if the password has changed since it was checked, or, for a customer, if
 *  all sign-ins were ended since. A concurrent change waits for this statement, and then ends this session too. */
export function insertSession(
  db: Tx,
  { brand, model }: EntryType,
  digest: Uint8Array,
  { payload, uid, user, expires }: NewEntry,
  proof: string,
): Promise<boolean> {
  const account = isCustomerId(user)
    ? fragment`org from customers where generation::text = ${proof} and blocked is null`
    : fragment`null as org from users where encode(sha256(convert_to(password, 'UTF8')), 'hex') = ${proof}`
  return anyRow(db`with person as (select id, ${account} and id = ${user} for share)
    insert into oidc (brand, model, digest, payload, uid, user_id, org, expires)
    select ${brand}, ${model}, ${digest}, ${payload}::text::jsonb, ${uid}, id, org, ${expires} from person
    returning digest`)
}

/** Updates an entry if it is unchanged since it was read, and returns whether it was. The expiry of a grant is not
 *  changed here: `redeemCode` sets it. */
export function updateEntry(
  db: Tx,
  { brand, model }: EntryType,
  digest: Uint8Array,
  before: Entry['payload'],
  { payload, grantId, uid, user, client, expires }: NewEntry,
): Promise<boolean> {
  return anyRow(db`update oidc set payload = ${payload}::text::jsonb, grant_id = ${grantId}, uid = ${uid},
      user_id = ${user}, client = ${client}, expires = case model when 'Grant' then expires else ${expires} end
    where brand = ${brand} and model = ${model} and digest = ${digest}
      and payload = ${JSON.stringify(before)}::text::jsonb
    returning digest`)
}

export function selectEntry(
  db: Sql,
  { brand, model }: EntryType,
  digest: Uint8Array,
  at: string,
): Promise<Entry | null> {
  return oneRow(db<Entry>`select payload, consumed from oidc
    where brand = ${brand} and model = ${model} and digest = ${digest} and (expires is null or expires > ${at})`)
}

/** A person as a member or customer of the organisation that a sign-in is for. */
export type SignedInMember = {
  user: string
  email: string
  emailVerified: boolean
  name: string
  org: OrgId
  role: CallerRole
  metadata?: Record<string, unknown>
}
type TokenRow = Entry & Record<'session' | 'signIn', Entry['payload'] | null> & { person: SignedInMember | null }
export type FoundToken = Entry & { session: Entry | null; grant: Entry | null; person: SignedInMember | null }

/** A refresh token with its browser session, its grant and its person, who are always read next. */
export async function selectRefreshToken(
  db: Sql,
  brand: string,
  digest: Uint8Array,
  at: string,
): Promise<FoundToken | null> {
  const [row] = await db<TokenRow>`select
      token.payload, token.consumed, session.payload as session, sign_in.payload as "signIn",
      case when users.id is not null then jsonb_build_object('user', users.id, 'email', users.email,
          'emailVerified', users.email_verified is not null, 'name', users.name, 'org', members.org, 'role', members.role)
        when customers.id is not null then jsonb_build_object('user', customers.id, 'email', customers.email,
          'emailVerified', customers.email_verified is not null, 'name', customers.name, 'org', customers.org,
          'role', 'user', 'metadata', customers.metadata)
        end as person
    from oidc as token
    left join oidc as session on session.brand = token.brand and session.uid = token.payload->>'sessionUid'
      and session.model = 'Session' and (session.expires is null or session.expires > ${at})
    left join oidc as sign_in on sign_in.brand = token.brand and sign_in.model = 'Grant'
      and sign_in.digest = sha256(convert_to(token.grant_id, 'UTF8'))
      and (sign_in.expires is null or sign_in.expires > ${at})
    left join apps on apps.brand = token.brand and apps.id = token.client
    left join members on members.user_id = token.user_id and apps.people = 'team'
      and members.org = case when apps.chooses then sign_in.org else apps.org end and ${isLiveOrg(fragment`members.org`)}
    left join users on users.id = members.user_id
    left join customers on customers.id = token.user_id and apps.people = 'users' and customers.org = apps.org
      and customers.blocked is null and ${isLiveOrg(fragment`customers.org`)}
    where token.brand = ${brand} and token.model = 'RefreshToken' and token.digest = ${digest}
      and (token.expires is null or token.expires > ${at})`
  if (!row) return null
  const { payload, consumed, session, signIn, person } = row
  const entryOf = (payload: Entry['payload'] | null) => payload && { payload, consumed: null }
  return { payload, consumed, session: entryOf(session), grant: entryOf(signIn), person }
}

export function selectEntryByUid(db: Sql, { brand, model }: EntryType, uid: string, at: string): Promise<Entry | null> {
  return oneRow(db<Entry>`select payload, consumed from oidc
    where brand = ${brand} and uid = ${uid} and model = ${model} and (expires is null or expires > ${at})`)
}

/** Marks a refresh token as used and inserts its successor, unless an earlier use has. Returns false if the token was
 *  already used, unless the first use was after `since`. */
export function replaceToken(
  db: Tx,
  { brand, model }: EntryType,
  used: { digest: Uint8Array; at: string; since: string },
  digest: Uint8Array,
  { payload, grantId, uid, user, client, expires }: NewEntry,
): Promise<boolean> {
  return anyRow(db`with used as (
      update oidc set consumed = coalesce(consumed, ${used.at})
      where brand = ${brand} and model = ${model} and digest = ${used.digest}
        and (consumed is null or consumed > ${used.since})
      returning digest
    ), added as (
      insert into oidc (brand, model, digest, payload, grant_id, uid, user_id, client, expires)
      select ${brand}, ${model}, ${digest}, ${payload}::text::jsonb, ${grantId}, ${uid}, ${user}, ${client}, ${expires}
      from used on conflict do nothing
    )
    select from used`)
}

/** Marks a code as used, and returns false if it already was. Also marks its grant as having tokens, which lists it as a
 *  sign-in to the organisation chosen for it or of its app, and extends it to its full lifetime; before that, the grant
 *  expires soon. */
export function redeemCode(db: Tx, brand: string, digest: Uint8Array, at: string): Promise<boolean> {
  return anyRow(db`with code as (
      update oidc set consumed = ${at}
      where brand = ${brand} and model = 'AuthorizationCode' and digest = ${digest} and consumed is null
      returning grant_id
    ), extended as (
      update oidc set consumed = coalesce(oidc.consumed, ${at}), expires = ${at}::timestamptz
        + make_interval(secs => (payload->>'exp')::bigint - (payload->>'iat')::bigint),
        signed_in = to_timestamp((payload->>'iat')::bigint),
        org = coalesce(oidc.org, (select apps.org from apps
          where apps.brand = oidc.brand and apps.id = oidc.client and not apps.chooses))
      from code where brand = ${brand} and model = 'Grant' and digest = sha256(convert_to(code.grant_id, 'UTF8'))
    ) select from code`)
}

export async function deleteEntry(db: Tx, { brand, model }: EntryType, digest: Uint8Array): Promise<void> {
  await db`delete from oidc where brand = ${brand} and model = ${model} and digest = ${digest}`
}

/** Deletes a browser session and the grants of all apps it was signed in to. */
export async function deleteSession(db: Tx, { brand, model }: EntryType, digest: Uint8Array): Promise<void> {
  await db`with ended as (
      delete from oidc where brand = ${brand} and model = ${model} and digest = ${digest} returning payload
    )
    delete from oidc using ended, jsonb_each(ended.payload->'authorizations') as one
    where oidc.brand = ${brand} and oidc.model = 'Grant'
      and oidc.digest = sha256(convert_to(one.value->>'grantId', 'UTF8'))`
}

/** Sets the grant of a session for an app if the current one is still `before`; returns whether it was. */
export function updateGrantOf(
  db: Tx,
  { brand, model }: EntryType,
  digest: Uint8Array,
  { client, before, grant }: { client: string; before: string | null; grant: string },
): Promise<boolean> {
  return anyRow(db`update oidc set payload = payload || jsonb_build_object('authorizations',
      coalesce(payload->'authorizations', '{}') || jsonb_build_object(${client}::text,
        coalesce(payload->'authorizations'->${client}::text, '{}') || jsonb_build_object('grantId', ${grant}::text)))
    where brand = ${brand} and model = ${model} and digest = ${digest}
      and payload->'authorizations'->${client}::text->>'grantId' is not distinct from ${before}
    returning digest`)
}

export async function selectGrantOf(
  db: Sql,
  { brand, model }: EntryType,
  digest: Uint8Array,
  client: string,
): Promise<string | null> {
  const [row] = await db<{ grant: string | null }>`select
      payload->'authorizations'->${client}::text->>'grantId' as grant
    from oidc where brand = ${brand} and model = ${model} and digest = ${digest}`
  return row?.grant ?? null
}

/** Deletes all entries of the model that were issued under a grant. */
export async function deleteByGrant(db: Tx, { brand, model }: EntryType, grantId: string): Promise<void> {
  await db`delete from oidc where brand = ${brand} and model = ${model} and grant_id = ${grantId}`
}

/** Stores the organisation that was chosen for a grant. */
export async function updateGrantOrg(
  db: Tx,
  { brand, model }: EntryType,
  digest: Uint8Array,
  org: OrgId,
): Promise<void> {
  await db`update oidc set org = ${org} where brand = ${brand} and model = ${model} and digest = ${digest}`
}

export async function selectGrantOrg(db: Sql, { brand, model }: EntryType, digest: Uint8Array): Promise<string | null> {
  const [row] = await db<{ org: OrgId | null }>`select org from oidc
    where brand = ${brand} and model = ${model} and digest = ${digest}`
  return row?.org ?? null
}

export type SignedIn = {
  email: string
  role: CallerRole
  isPlanted: boolean
  app: string
  isTrusted: boolean
  mayWrite: boolean
}

/** The member or customer of that organisation who is signed in under the grant with that digest, and the app, `<brand> <id>`. */
export function findSignIn(
  db: Sql,
  digest: string,
  { user, org }: { user: string; org: OrgId },
): Promise<SignedIn | null> {
  const app = fragment`apps.brand || ' ' || apps.id as app, apps.may_write as "mayWrite"`
  if (isCustomerId(user)) {
    return oneRow(db<SignedIn>`select customers.email, 'user' as role, false as "isPlanted", false as "isTrusted", ${app}
      from oidc
      join apps on apps.brand = oidc.brand and apps.id = oidc.client and apps.people = 'users'
      join customers on customers.id = oidc.user_id and customers.org = ${org} and customers.blocked is null
      where oidc.brand in (select name from brands) and oidc.model = 'Grant' and oidc.digest = decode(${digest}, 'hex')
        and customers.id = ${user} and apps.org = customers.org and ${isLiveOrg(fragment`customers.org`)}`)
  }
  return oneRow(db<SignedIn>`select users.email, members.role, users.password_by is not null as "isPlanted",
      apps.trusted as "isTrusted", ${app}
    from oidc
    join apps on apps.brand = oidc.brand and apps.id = oidc.client and apps.people = 'team'
    join users on users.id = oidc.user_id
    join members on members.user_id = users.id and members.org = ${org}
    where oidc.brand in (select name from brands) and oidc.model = 'Grant' and oidc.digest = decode(${digest}, 'hex')
      and users.id = ${user} and ${isLiveOrg(fragment`members.org`)}`)
}

/** The brand of a grant, if it exists and the person is a member. Locks both until the transaction ends. */
export async function lockSignIn(
  db: Tx,
  digest: string,
  { org, user }: { org: OrgId; user: string },
): Promise<string | null> {
  const members = await db`select from members
    where org = ${org} and user_id = ${user} and ${isLiveOrg(fragment`org`)} for key share`
  const [grant] = await db<{ brand: string }>`select brand from oidc where brand in (select name from brands)
    and model = 'Grant' and digest = decode(${digest}, 'hex') for key share`
  return members.length > 0 ? (grant?.brand ?? null) : null
}

/** Ends the tokens of a sign-in, but keeps the browser session at the identity origin. */
export async function endGrant(db: Tx, digest: string): Promise<void> {
  await db`delete from oidc where brand in (select name from brands) and model = 'Grant'
    and digest = decode(${digest}, 'hex')`
}

/** Ends the tokens of all sign-ins to an app. People who are signed in at the identity origin get new ones. */
export async function endSignInsTo(db: Tx, { brand, id }: { brand: string; id: string }): Promise<void> {
  await db`delete from oidc where brand = ${brand} and client = ${id} and model = 'Grant'`
}

/** Whether a browser session of that person exists; it cannot end before the transaction does. `digest` is in hex. */
export function lockBrowser(db: Tx, user: string, digest: string): Promise<boolean> {
  return anyRow(db`select from oidc where brand in (select name from brands) and model = 'Session'
    and digest = decode(${digest}, 'hex') and user_id = ${user} for key share`)
}

/** Ends a sign-in: its tokens, and the browser session at the identity origin. `digest` is the hex digest of the grant
 *  or a prefix of it. Returns whether there was one. */
export async function endSignIn(db: Tx, digest: string): Promise<boolean> {
  const ended = await db<{ digest: Uint8Array; user_id: string }>`delete from oidc
    where brand in (select name from brands) and model = 'Grant'
      and digest between decode(${digest}, 'hex') and decode(${digest.padEnd(64, 'f')}, 'hex')
    returning digest, user_id`
  for (const { digest: grant, user_id } of ended) {
    // Signs the browser out of all apps: without its session, the other grants would be listed but of no use.
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
  return ended.length > 0
}

/** Ends a browser session of that person, with its sign-ins; returns the organisations and digests of those. */
export function endBrowser(db: Tx, user: string, digest: string): Promise<{ org: OrgId; grant: string }[]> {
  return db<{ org: OrgId; grant: string }>`with browser as (
      delete from oidc where brand in (select name from brands) and model = 'Session' and user_id = ${user}
        and digest = decode(${digest}, 'hex')
      returning brand, payload
    ), ended as (
      delete from oidc using browser, jsonb_each(browser.payload->'authorizations') as one
      where oidc.brand = browser.brand and oidc.model = 'Grant'
        and oidc.digest = sha256(convert_to(one.value->>'grantId', 'UTF8'))
      returning oidc.org, oidc.digest, oidc.signed_in
    )
    select org, encode(digest, 'hex') as grant from ended where org is not null and signed_in is not null`
}

/** Deletes all entries of a person whose account is deleted. */
export async function deleteEntriesOf(db: Tx, user: string): Promise<void> {
  await db`delete from oidc where user_id = ${user}`
}

/** What has ended: a browser session or a grant. `signIn` is the digest of a grant that had tokens, in hex. */
export type Ended = { org: OrgId | null; signIn: string | null }

/** Ends all sign-ins of a person, except the one with the digest `kept`, if given: a grant with its browser session, or
 *  a browser session with its grants. */
export async function endSignInsOf(db: Tx, user: string, kept: string | null): Promise<Ended[]> {
  const digest = kept === null ? new Uint8Array() : Buffer.from(kept, 'hex')
  const ended =
    await db<Ended>`delete from oidc where user_id = ${user} and model in ('Grant', 'Session') and digest <> ${digest}
    and not (model = 'Session' and exists (
      select from jsonb_each(payload->'authorizations') as one
      where sha256(convert_to(one.value->>'grantId', 'UTF8')) = ${digest}))
    and not (model = 'Grant' and exists (
      select from oidc as browser, jsonb_each(browser.payload->'authorizations') as one
      where browser.brand = oidc.brand and browser.model = 'Session' and browser.digest = ${digest}
        and sha256(convert_to(one.value->>'grantId', 'UTF8')) = oidc.digest))
    returning org, case when signed_in is not null then encode(digest, 'hex') end as "signIn"`
  // Sign-ins in progress in which the old password was already accepted.
  await db`delete from oidc where brand in (select name from brands) and model = 'Interaction'
    and payload #>> '{result,login,accountId}' = ${user}`
  return ended
}
