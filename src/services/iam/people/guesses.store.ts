// All SQL on the counts of wrong passwords.
import type { Sql, Tx } from '../../../engines/engines.ts'

/** Something whose attempts are counted: the digest of its name, and how many attempts it has in a window. */
export type Counter = { name: Uint8Array; max: number }
/** The time at which the window ends in which an attempt was counted; null if it was not counted. */
export type Counted = { network: string | null; account: string | null }

/** Counts an attempt in both counters unless one of them is full. New windows end at `ends`. The network comes first, so
 *  that attempts at the same time wait for each other in the same order. Of several such attempts, one that finds the
 *  account full only after it was counted for the network has a `network` but no `account`. */
export async function countGuess(
  db: Tx,
  network: Counter | null,
  account: Counter,
  at: string,
  ends: string,
): Promise<Counted> {
  const [row] = await db<Counted>`with of_network as (
      insert into guesses as counter (name, count, ends)
        select ${network?.name ?? null}::bytea, 1, ${ends}::timestamptz where ${network !== null} and not exists (
          select from guesses where name = ${account.name} and ends > ${at} and count >= ${account.max})
      on conflict (name) do update set
          count = case when counter.ends > ${at} then counter.count + 1 else 1 end,
          ends = case when counter.ends > ${at} then counter.ends else excluded.ends end
        where counter.ends <= ${at} or counter.count < ${network?.max ?? 0}
      returning ends
    ), of_account as (
      insert into guesses as counter (name, count, ends)
        select ${account.name}::bytea, 1, ${ends}::timestamptz
          where ${network === null} or exists (select from of_network)
      on conflict (name) do update set
          count = case when counter.ends > ${at} then counter.count + 1 else 1 end,
          ends = case when counter.ends > ${at} then counter.ends else excluded.ends end
        where counter.ends <= ${at} or counter.count < ${account.max}
      returning ends
    ) select (select ends from of_network) as network, (select ends from of_account) as account`
  return row ?? { network: null, account: null }
}

/** When the last window of full counters ends; null if none is full. */
export async function selectEnd(db: Sql, counters: readonly Counter[], at: string): Promise<string | null> {
  const names = counters.map(({ name }) => Buffer.from(name).toString('hex'))
  const [row] = await db<{ ends: string | null }>`select max(ends) as ends from guesses
    join unnest(${names}::text[], ${counters.map(({ max }) => max)}::int[]) as full_at (name, max)
      on guesses.name = decode(full_at.name, 'hex')
    where ends > ${at} and count >= full_at.max`
  return row?.ends ?? null
}

/** Undoes a `countGuess` in the window that ends at `ends`. */
export async function uncountGuess(db: Tx, name: Uint8Array, ends: string): Promise<void> {
  const rows = await db`delete from guesses where name = ${name} and ends = ${ends} and count <= 1 returning name`
  if (rows.length > 0) return
  await db`update guesses set count = count - 1 where name = ${name} and ends = ${ends} and count > 0`
}
