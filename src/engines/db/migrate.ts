// Migrates the database: numbered .sql files, each applied once. All new ones run in one transaction, under a lock that
// admits one process at a time.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import type { Database } from '../engines.ts'

export type Migration = { service: string; name: string; text: string }

export function readMigrations(service: string, directory: URL): Migration[] {
  if (!existsSync(directory)) return []
  const names = readdirSync(directory).sort()
  return names.map((name, i) => {
    if (!/^\d{4}-[a-z0-9-]+\.sql$/.test(name) || Number(name.slice(0, 4)) !== i + 1) {
      throw new Error(`${service}/migrations/${name}: files are numbered 0001-….sql upwards without a gap`)
    }
    return { service, name, text: readFileSync(new URL(name, directory), 'utf8') }
  })
}

/** An arbitrary number that nothing else in this database uses as a lock. */
const LOCK = 7_860_412

export async function migrate(db: Database, migrations: Migration[]): Promise<Migration[]> {
  return db.transaction(async tx => {
    await tx`select pg_advisory_xact_lock(${LOCK}::bigint)`
    await tx`set local statement_timeout = 0`
    await tx.script(`create table if not exists migrations (
      service text not null, name text not null, checksum text not null,
      applied timestamptz not null default now(), primary key (service, name))`)
    const rows = await tx<{ service: string; name: string; checksum: string }>`
      select service, name, checksum from migrations`
    const applied = new Map(rows.map(row => [`${row.service}/${row.name}`, row.checksum]))

    const fresh: Migration[] = []
    for (const migration of migrations) {
      const key = `${migration.service}/${migration.name}`
      const checksum = createHash('sha256').update(migration.text).digest('hex')
      const appliedChecksum = applied.get(key)
      applied.delete(key)
      if (appliedChecksum === checksum) continue
      if (appliedChecksum)
        throw new MigrationRefused(`${key} was changed after it was applied; add a new migration instead`)
      await tx.script(migration.text)
      await tx`insert into migrations (service, name, checksum)
        values (${migration.service}, ${migration.name}, ${checksum})`
      fresh.push(migration)
    }
    const [unknown] = applied.keys()
    if (unknown) throw new MigrationRefused(`the database has ${unknown}, which this version of Stoa does not know`)
    return fresh
  })
}

/** The database does not match this version of Stoa; a person must decide what to do. */
export class MigrationRefused extends Error {}
