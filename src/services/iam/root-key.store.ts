// The proof that the root key is the one the secrets were sealed under.
import type { Tx } from '../../engines/engines.ts'

/** Stores the proof if there is none yet; returns the stored one. */
export async function insertProof(db: Tx, proof: Uint8Array): Promise<Uint8Array> {
  await db`insert into root_key (proof) values (${proof}) on conflict do nothing`
  const [row] = await db<{ proof: Uint8Array }>`select proof from root_key`
  return row?.proof ?? proof
}
