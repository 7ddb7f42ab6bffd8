// All SQL on leases. Uses the database's clock, which all processes share.
import type { Sql, Tx } from '../engines/engines.ts'

/** Acquires or renews a lease and returns its fencing number; null while another process holds it. */
export async function acquireLease(db: Tx, name: string, holder: string, durationMs: number): Promise<number | null> {
  const [row] = await db<{ fence: number }>`insert into leases (name, holder, until, fence)
    values (${name}, ${holder}, clock_timestamp() + make_interval(secs => ${durationMs / 1000}), 1)
    on conflict (name) do update set holder = excluded.holder, until = excluded.until,
      fence = leases.fence + (leases.holder <> excluded.holder)::int
      where leases.holder = excluded.holder or leases.until <= clock_timestamp()
    returning fence`
  return row?.fence ?? null
}

/** Whether the holder still has the lease. Locks it against takeover until the transaction ends. */
export async function holdsLease(db: Tx, name: string, holder: string, fence: number): Promise<boolean> {
  const rows = await db`select from leases where name = ${name} and holder = ${holder} and fence = ${fence}
    and until > clock_timestamp() for share`
  return rows.length > 0
}

/** Keeps the row, so that the fencing number keeps growing. */
export async function endLease(db: Tx, name: string, holder: string): Promise<void> {
  await db`update leases set until = 'epoch' where name = ${name} and holder = ${holder}`
}

/** When a schedule last completed and when it is next due; both null before its first run. */
export async function selectLastRun(db: Sql, name: string): Promise<{ done: string | null; due: string | null }> {
  const [row] = await db<{ done: string | null; due: string | null }>`select done, due from leases where name = ${name}`
  return row ?? { done: null, due: null }
}

/** `done` is null after a run that is not complete. */
export async function updateDue(db: Tx, name: string, done: string | null, due: string): Promise<void> {
  await db`update leases set due = ${due}, done = coalesce(${done}, done) where name = ${name}`
}
