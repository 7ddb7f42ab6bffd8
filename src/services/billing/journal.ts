// Double entry: every transfer takes an amount from one account of an organisation and adds it to another.
import type { Tx } from '../../engines/engines.ts'
import * as store from './store.ts'

/** Writes those of the transfers that were not written before, and returns them. */
export async function writeTransfers<T extends store.NewTransfer>(
  db: Tx,
  transfers: readonly T[],
  at: string,
): Promise<T[]> {
  const fresh = await store.insertTransfers(db, transfers, at)
  const written = transfers.filter(({ id }) => fresh.has(id))
  if (written.length === 0) return []
  await store.addToAccounts(
    db,
    written.flatMap(({ org, from, to, amount }) => [
      { org, kind: from, amount: -amount },
      { org, kind: to, amount },
    ]),
  )
  return written
}
