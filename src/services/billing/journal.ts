// Double entry: every transfer takes an amount from one account of an organisation and adds it to another.
import type { Tx } from '../../engines/engines.ts'
import * as store from './store.ts'

/** Writes transfers, and ends the holds of these ids. Returns the new balances. Raises a violated uniqueness if
 *  one of them was already written. */
export async function writeTransfers(
  db: Tx,
  transfers: readonly store.NewTransfer[],
  holds: readonly string[] = [],
): Promise<store.Account[]> {
  const movements = transfers.flatMap(({ org, from, to, amount }) => [
    { org, kind: from, amount: -amount },
    { org, kind: to, amount },
  ])
  // Sent together.
  const [, accounts] = await Promise.all([
    store.insertTransfers(db, transfers),
    store.addToAccounts(db, movements, holds),
  ])
  return accounts
}
