// SQL on the database itself.
import type { Sql } from '../../engines/engines.ts'

export type DatabaseFacts = { version: string; bytes: number; used: number; max: number }

/** `used` counts the connections of all databases of the server, which share its maximum. */
export async function selectDatabaseFacts(db: Sql): Promise<DatabaseFacts> {
  const [row] = await db<DatabaseFacts>`select current_setting('server_version') as version,
    pg_database_size(current_database()) as bytes,
    (select sum(numbackends) from pg_stat_database)::int as used, current_setting('max_connections')::int as max`
  return row as DatabaseFacts
}
