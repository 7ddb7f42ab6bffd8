// The SQL that lists and finds sign-ins: grants of the identity provider that have tokens.
import type { Sql } from '../../../engines/engines.ts'
import type { OrgId } from '../../../kit/caller.ts'
import { fragment } from '../../../kit/sql.ts'
import { accountsOf } from '../people/accounts.ts'

/** A sign-in to an app. Its public id is a prefix of the grant's digest. */
export type SignIn = { id: string; user: string; email: string; app: string; created: string }
/** The public id of the sign-in whose grant has this digest, in hex. */
export const signInId = (digest: string): string => `sin_${digest.slice(0, 32)}`
/** `digest` is the prefix that the id of the last sign-in of a page names. */
export type SignInPosition = { created: string; digest: Uint8Array }

/** The sign-ins of a person, or of all members of the team if `user` is null, newest first. The address is a subquery for each row of the
 *  page: a join could read all people. */
export function selectSignIns(
  db: Sql,
  org: OrgId,
  user: string | null,
  last: SignInPosition,
  count: number,
): Promise<SignIn[]> {
  const own =
    user === null
      ? fragment`org = ${org} and left(user_id, 4) = 'usr_'`
      : fragment`user_id = ${user} and org = ${org} and signed_in is not null`
  return db<SignIn>`select 'sin_' || left(encode(digest, 'hex'), 32) as id, user_id as user, client as app,
      (select email from ${accountsOf(user ?? '')} where id = user_id) as email, signed_in as created
    from oidc where ${own} and (signed_in, digest) < (${last.created}, ${last.digest})
    order by signed_in desc, digest desc limit ${count}`
}

/** A browser that is signed in at the identity origin, and where it is used. `id` is the hex digest of its session. */
export type BrowserSession = { id: string; since: string; apps: { app: string; org: OrgId }[] }

/** Newest first. */
export function selectBrowsers(db: Sql, user: string, at: string, count: number): Promise<BrowserSession[]> {
  return db<BrowserSession>`select encode(digest, 'hex') as id, to_timestamp((payload->>'loginTs')::bigint) as since,
      (select coalesce(jsonb_agg(jsonb_build_object('app', apps.name, 'org', orgs.name)
          order by apps.name, orgs.name), '[]')
        from jsonb_each(browser.payload->'authorizations') as one
        join oidc as sign_in on sign_in.brand = browser.brand and sign_in.model = 'Grant'
          and sign_in.digest = sha256(convert_to(one.value->>'grantId', 'UTF8')) and sign_in.signed_in is not null
        join apps on apps.brand = sign_in.brand and apps.id = sign_in.client
        join orgs on orgs.slug = sign_in.org) as apps
    from oidc as browser where user_id = ${user} and client is null and model = 'Session' and expires > ${at}
    order by since desc, digest limit ${count}`
}

/** When the person signed in with a browser that is signed in; null with none. `digest` is, in hex, that of its session or of
 *  one of its sign-ins. */
export async function selectSignedIn(db: Sql, user: string, digest: string): Promise<string | null> {
  const [row] = await db<{ at: string }>`select to_timestamp((payload->>'loginTs')::bigint) as at
    from oidc where user_id = ${user} and client is null and model = 'Session' and (digest = decode(${digest}, 'hex')
      or exists (select from jsonb_each(payload->'authorizations') as one
        where sha256(convert_to(one.value->>'grantId', 'UTF8')) = decode(${digest}, 'hex')))`
  return row?.at ?? null
}

/** The person who is signed in, by the hex prefix of the grant's digest; null if there is no such sign-in. */
export async function selectSignInUser(db: Sql, org: OrgId, prefix: string): Promise<string | null> {
  const [row] = await db<{ user: string }>`select user_id as user from oidc
    where brand in (select name from brands) and model = 'Grant'
      and digest between decode(${prefix}, 'hex') and decode(${prefix.padEnd(64, 'f')}, 'hex')
      and org = ${org} and signed_in is not null`
  return row?.user ?? null
}
