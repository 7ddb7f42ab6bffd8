// Migrates the database: numbered .sql files, each applied once, under a lock that admits one process at a time.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { type Database, EngineUnavailable, type Session, type Tx } from '../engines.ts'

export type Migration = { service: string; name: string; text: string }
/** `count` is the position among the new ones: `3 of 7`. */
export type MigrationLog = (fields: { migration?: string; count?: string; ms?: number }, text: string) => void

export function readMigrations(service: string, directory: URL): Migration[] {
  if (!existsSync(directory)) return []
  const names = readdirSync(directory).sort()
  return names.map((name, i) => {
    if (!/^\d{4}-[a-z0-9-]+\.sql$/.test(name) || Number(name.slice(0, 4)) !== i + 1) {
      throw new Error(`${service}/migrations/${name}: files are numbered 0001-….sql upwards without a gap`)
    }
    const migration = { service, name, text: readFileSync(new URL(name, directory), 'utf8') }
    separateStatements(migration) // Checks them.
    return migration
  })
}

/** The statements of a file whose first line is `-- no transaction`; null for all other files. They may be interrupted
 *  and run again. An interrupted `create index concurrently` leaves an invalid index, so each is dropped first. */
function separateStatements({ service, name, text }: Migration): string[] | null {
  const [first = '', ...lines] = text.split('\n')
  if (first.trim() !== '-- no transaction') return null
  const code = lines.filter(line => !/^\s*--/.test(line)).join('\n')
  const statements = code.split(/;\s*$/m).flatMap(one => one.replace(/\s+/g, ' ').trim() || [])
  const dropped = new Set<string>()
  for (const statement of statements) {
    const drop = statement.match(/^drop index concurrently if exists (\w+)$/i)?.[1]
    const create = statement.match(/^create (?:unique )?index concurrently (\w+) on [^;]+$/i)?.[1]
    if (drop) dropped.add(drop)
    else if (!create || !dropped.has(create))
      throw new Error(
        `${service}/migrations/${name}: without a transaction, only \`drop index concurrently if exists x;\` and after ` +
          `it \`create index concurrently x on …;\` may run, not \`${statement}\``,
      )
  }
  return statements
}

/** An arbitrary number that nothing else in this database uses as a lock. */
const LOCK = 7_860_412
const LOCK_POLL_MS = 250

/** Applies the new migrations and returns them. Consecutive ones run in one transaction, except those that run without
 *  one. Each is logged; in an empty database, all of them in one line. */
export async function migrate(
  db: Database,
  migrations: Migration[],
  log: MigrationLog = () => {},
): Promise<Migration[]> {
  return db.session(async session => {
    await lock(session, log)
    const fresh = await unapplied(session, migrations)
    const isNew = fresh.length === migrations.length
    const beganMs = performance.now()
    const apply = async (tx: Tx, migration: Migration) => {
      if (isNew) return applyOne(tx, migration)
      const progress = {
        migration: keyOf(migration),
        count: `${fresh.indexOf(migration) + 1} of ${fresh.length}`,
      }
      log(progress, 'migrating')
      const beginMs = performance.now()
      await applyOne(tx, migration)
      log({ ...progress, ms: Math.round(performance.now() - beginMs) }, 'migrated')
    }
    for (const batch of batchesOf(fresh)) {
      const applyAll = async (tx: Tx) => {
        for (const migration of batch) await apply(tx, migration)
      }
      await (separateStatements(batch[0] as Migration) ? applyAll(session) : session.transaction(applyAll))
    }
    if (isNew) log({ count: String(fresh.length), ms: Math.round(performance.now() - beganMs) }, 'created the tables')
    // The end of the session frees it too, but slightly later.
    await session`select pg_advisory_unlock(${LOCK}::bigint)`
    return fresh
  })
}

/** Polls: a process that waits in `pg_advisory_lock` has a snapshot, and `create index concurrently` of another process
 *  waits for all snapshots to end. */
async function lock(session: Session, log: MigrationLog): Promise<void> {
  for (let tries = 0; ; tries++) {
    const [row] = await session<{ locked: boolean }>`select pg_try_advisory_lock(${LOCK}::bigint) as locked`
    if (row?.locked) return
    if (tries === 0) log({}, 'another process is migrating the database; waiting for it')
    await wait(LOCK_POLL_MS)
  }
}

/** The migrations that the database does not have yet. */
async function unapplied(session: Session, migrations: Migration[]): Promise<Migration[]> {
  await session.script(`create table if not exists migrations (
    service text not null, name text not null, checksum text not null,
    applied timestamptz not null default now(), primary key (service, name))`)
  const rows = await session<{ service: string; name: string; checksum: string }>`
    select service, name, checksum from migrations`
  const applied = new Map(rows.map(row => [keyOf(row), row.checksum]))
  const fresh = migrations.filter(migration => {
    const key = keyOf(migration)
    const appliedChecksum = applied.get(key)
    applied.delete(key)
    if (appliedChecksum && appliedChecksum !== checksumOf(migration))
      throw new MigrationRefused(`${key} was changed after it was applied; add a new migration instead`)
    return !appliedChecksum
  })
  const [unknown] = applied.keys()
  if (unknown) throw new MigrationRefused(`the database has ${unknown}, which this version of Stoa does not know`)
  return fresh
}

/** Groups consecutive migrations, except those without a transaction. */
function batchesOf(fresh: Migration[]): Migration[][] {
  const batches: Migration[][] = []
  let isOpen = false
  for (const migration of fresh) {
    const isSeparate = separateStatements(migration) !== null
    if (isOpen && !isSeparate) batches.at(-1)?.push(migration)
    else batches.push([migration])
    isOpen = !isSeparate
  }
  return batches
}

async function applyOne(tx: Tx, migration: Migration): Promise<void> {
  try {
    for (const text of separateStatements(migration) ?? [migration.text]) await tx.script(text)
  } catch (error) {
    const { message } = (
      error instanceof EngineUnavailable && error.cause instanceof Error ? error.cause : error
    ) as Error
    throw new Error(`the migration ${keyOf(migration)} failed: ${message}`, { cause: error })
  }
  await tx`insert into migrations (service, name, checksum)
    values (${migration.service}, ${migration.name}, ${checksumOf(migration)})`
}

const keyOf = ({ service, name }: { service: string; name: string }) => `${service}/${name}`
const checksumOf = ({ text }: Migration) => createHash('sha256').update(text).digest('hex')

/** The database does not match this version of Stoa; a person must decide what to do. */
export class MigrationRefused extends Error {}
