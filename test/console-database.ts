// The embedded database of a started host, for rows that no API creates quickly.
import { join } from 'node:path'
import { DATABASE_USER } from '../src/engines/db/embedded/server.ts'
import { openPostgres } from '../src/engines/db/postgres.ts'
import type { Database } from '../src/engines/engines.ts'
import type { World } from './console.ts'

export async function withDatabase<Result>({ data }: World, run: (db: Database) => Promise<Result>): Promise<Result> {
  const at = { socketDirectory: join(data, 'postgres'), database: 'postgres', user: DATABASE_USER }
  const db = openPostgres({ at, connectionsMax: 1, queueMax: 10 })
  try {
    return await run(db)
  } finally {
    await db.close()
  }
}
