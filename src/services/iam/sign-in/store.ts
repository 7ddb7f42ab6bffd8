// All SQL on the keys that tokens are signed with, and on who is signed in.
import type { Sql } from '../../../engines/engines.ts'
import type { OrgId } from '../../../kit/caller.ts'
import type { Place } from '../../../kit/page.ts'

export type SigningKey = { kid: string; alg: string; sealed: Uint8Array }
export type NewSigningKey = SigningKey & { brand: string; created: string; signsFrom: string }

/** Until the transaction ends, nobody else makes keys for that brand. */
export async function lockSigningKeys(db: Sql, brand: string): Promise<void> {
  await db`select pg_advisory_xact_lock(hashtextextended(${`signing keys ${brand}`}, 0))`
}

/** The published ones: those that sign already before those that do later, and of these the latest first. */
export function selectSigningKeys(db: Sql, brand: string, at: string): Promise<SigningKey[]> {
  return db<SigningKey>`select kid, alg, sealed from signing_keys
    where brand = ${brand} and (retired is null or retired > ${at})
    order by signs_from <= ${at} desc, signs_from desc`
}

/** Those that have no end yet get one, but for the kind that is kept. */
export async function retireSigningKeys(db: Sql, brand: string, kept: string, at: string): Promise<void> {
  await db`update signing_keys set retired = ${at} where brand = ${brand} and alg <> ${kept} and retired is null`
}

export async function insertSigningKey(db: Sql, key: NewSigningKey): Promise<void> {
  await db`insert into signing_keys (kid, brand, alg, sealed, created, signs_from)
    values (${key.kid}, ${key.brand}, ${key.alg}, ${key.sealed}, ${key.created}, ${key.signsFrom})`
}

/** Somebody signed in to an app; known outside by the beginning of its digest. */
export type SignIn = { id: string; user: string; email: string; app: string; created: string }
export type SignInFilter = { id: string | null; user: string | null }

/** Newest first, those that come after the one at `last`. */
export function selectSignIns(
  db: Sql,
  org: OrgId,
  { id, user }: SignInFilter,
  last: Place | null,
  count: number,
): Promise<SignIn[]> {
  return db<SignIn>`select * from (
      select 'sin_' || left(encode(oidc.digest, 'hex'), 32) as id, users.id as user, users.email, oidc.client as app,
        to_timestamp((oidc.payload->>'iat')::bigint) as created
      from oidc join apps on apps.id = oidc.client join users on users.id = oidc.user_id
      where oidc.model = 'Grant' and apps.org = ${org} and (${user}::text is null or users.id = ${user})
    ) as found
    where (${id}::text is null or id = ${id})
      and (${last?.id ?? null}::text is null or (created, id) < (${last?.created ?? null}, ${last?.id ?? null}))
    order by created desc, id desc limit ${count}`
}

/** Ends a sign-in: its tokens, and the browser session it was made in. */
export async function deleteSignIn(db: Sql, id: string): Promise<void> {
  const rows = await db<{ digest: Uint8Array; user_id: string }>`delete from oidc
    where model = 'Grant' and 'sin_' || left(encode(digest, 'hex'), 32) = ${id} returning digest, user_id`
  for (const { digest, user_id } of rows) {
    await db`delete from oidc where model = 'Session' and user_id = ${user_id} and exists (
      select from jsonb_each(payload->'authorizations') as one
      where sha256(convert_to(one.value->>'grantId', 'UTF8')) = ${digest})`
  }
}

/** Ends everything a person is signed in to, but for one sign-in, if that is given by the digest of its grant. */
export async function deleteSignInsOf(db: Sql, user: string, kept: Uint8Array | null): Promise<void> {
  await db`delete from oidc where user_id = ${user} and model in ('Grant', 'Session')
    and (${kept}::bytea is null or digest <> ${kept})
    and not (model = 'Session' and exists (
      select from jsonb_each(payload->'authorizations') as one
      where sha256(convert_to(one.value->>'grantId', 'UTF8')) = ${kept}))`
  // One who has said the old password, but not come back to the app with it yet.
  await db`delete from oidc where model = 'Interaction' and payload #>> '{result,login,accountId}' = ${user}`
}
