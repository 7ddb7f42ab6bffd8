// The SQL that lists and finds sign-ins: grants of the identity provider that have tokens.
import type { Sql } from '../../../engines/engines.ts'
import type { OrgId } from '../../../kit/caller.ts'

/** A sign-in to an app. Its public id is a prefix of the grant's digest. */
export type SignIn = { id: string; user: string; email: string; app: string; created: string }
/** The public id of the sign-in whose grant has this digest, in hex. */
export const signInId = (digest: string): string => `sin_${digest.slice(0, 32)}`
/** `digest` is the prefix that the id of the last sign-in of a page names. */
export type SignInPosition = { created: string; digest: Uint8Array }

// Newest first. The address is a subquery for each row of the page: a join could read all people.

export function selectSignIns(db: Sql, org: OrgId, last: SignInPosition, count: number): Promise<SignIn[]> {
  return db<SignIn>`select 'sin_' || left(encode(digest, 'hex'), 32) as id, user_id as user, client as app,
      (select email from users where id = user_id) as email, signed_in as created
    from oidc where org = ${org} and (signed_in, digest) < (${last.created}, ${last.digest})
    order by signed_in desc, digest desc limit ${count}`
}

export function selectSignInsOf(
  db: Sql,
  org: OrgId,
  user: string,
  last: SignInPosition,
  count: number,
): Promise<SignIn[]> {
  return db<SignIn>`select 'sin_' || left(encode(digest, 'hex'), 32) as id, user_id as user, client as app,
      (select email from users where id = user_id) as email, signed_in as created
    from oidc where user_id = ${user} and org = ${org} and signed_in is not null
      and (signed_in, digest) < (${last.created}, ${last.digest})
    order by signed_in desc, digest desc limit ${count}`
}

/** The person who is signed in, by the hex prefix of the grant's digest; null if there is no such sign-in. */
export async function selectSignInUser(db: Sql, org: OrgId, prefix: string): Promise<string | null> {
  const [row] = await db<{ user: string }>`select user_id as user from oidc
    where brand in (select name from brands) and model = 'Grant'
      and digest between decode(${prefix}, 'hex') and decode(${prefix.padEnd(64, 'f')}, 'hex')
      and org = ${org} and signed_in is not null`
  return row?.user ?? null
}
