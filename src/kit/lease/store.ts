// All SQL on leases. Time is the database's own, which all processes share.
import type { Sql, Tx } from '../../engines/engines.ts'

/** Takes or renews a lease, and answers its number; null while another holds it. */
export async function acquireLease(db: Tx, name: string, holder: string, lastsMs: number): Promise<number | null> {
  const [row] = await db<{ fence: number }>`insert into leases (name, holder, until, fence)
    values (${name}, ${holder}, clock_timestamp() + make_interval(secs => ${lastsMs / 1000}), 1)
    on conflict (name) do update set holder = excluded.holder, until = excluded.until,
      fence = leases.fence + (leases.holder <> excluded.holder)::int
      where leases.holder = excluded.holder or leases.until <= clock_timestamp()
    returning fence`
  return row?.fence ?? null
}

/** Whether it is still that holder's. Until the transaction ends, nobody takes it over. */
export async function holdsLease(db: Tx, name: string, holder: string, fence: number): Promise<boolean> {
  const rows = await db`select from leases where name = ${name} and holder = ${holder} and fence = ${fence}
    and until > clock_timestamp() for share`
  return rows.length > 0
}

/** The row stays, so that the number goes on growing. */
export async function endLease(db: Tx, name: string, holder: string): Promise<void> {
  await db`update leases set until = 'epoch' where name = ${name} and holder = ${holder}`
}

/** When a schedule last did all it had to, and when it is due; both null before its first run. */
export async function selectDue(db: Sql, name: string): Promise<{ done: string | null; due: string | null }> {
  const [row] = await db<{ done: string | null; due: string | null }>`select done, due from leases where name = ${name}`
  return row ?? { done: null, due: null }
}

/** `done` is null for a run that has to come back before its time. */
export async function updateDue(db: Tx, name: string, done: string | null, due: string): Promise<void> {
  await db`update leases set due = ${due}, done = coalesce(${done}, done) where name = ${name}`
}
