// All SQL on leases. Time is the database's own, which all processes share.
import type { Sql } from '../../engines/engines.ts'

/** Takes or renews a lease; answers false while another holds it. */
export async function takeLease(db: Sql, name: string, holder: string, lastsMs: number): Promise<boolean> {
  const rows = await db`insert into leases (name, holder, until)
    values (${name}, ${holder}, clock_timestamp() + make_interval(secs => ${lastsMs / 1000}))
    on conflict (name) do update set holder = excluded.holder, until = excluded.until
      where leases.holder = excluded.holder or leases.until <= clock_timestamp()
    returning name`
  return rows.length > 0
}

export async function dropLease(db: Sql, name: string, holder: string): Promise<void> {
  await db`delete from leases where name = ${name} and holder = ${holder}`
}
