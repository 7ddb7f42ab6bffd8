// All SQL on signing keys.
import type { Sql, Tx } from '../../../engines/engines.ts'

export type SigningKey = { kid: string; alg: string; sealed: Uint8Array }
export type NewSigningKey = SigningKey & { brand: string; created: string; signsFrom: string }

/** The published keys: active ones first, then future ones; each group newest first. */
export function selectSigningKeys(db: Sql, brand: string, at: string): Promise<SigningKey[]> {
  return db<SigningKey>`select kid, alg, sealed from signing_keys
    where brand = ${brand} and (retired is null or retired > ${at})
    order by signs_from <= ${at} desc, signs_from desc`
}

/** Sets the retirement of all keys that have none, except those with the `alg` `except`. */
export async function retireSigningKeys(db: Tx, brand: string, except: string, at: string): Promise<void> {
  await db`update signing_keys set retired = ${at} where brand = ${brand} and alg <> ${except} and retired is null`
}

export async function insertSigningKey(db: Tx, key: NewSigningKey): Promise<void> {
  await db`insert into signing_keys (kid, brand, alg, sealed, created, signs_from)
    values (${key.kid}, ${key.brand}, ${key.alg}, ${key.sealed}, ${key.created}, ${key.signsFrom})`
}
