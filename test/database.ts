// Databases for tests: clones of a template on the server that the run has started.
import { DATABASE_USER } from '../src/engines/db/embedded/server.ts'
import { openPostgres } from '../src/engines/db/postgres.ts'
import type { Database, Tx } from '../src/engines/engines.ts'
import { systemRandom } from '../src/engines/random/random.ts'

/** Of every owner and member that tests create without a password of its own; the run hashes it once. */
/** Argon2id takes a tenth of a second on purpose, and tests sign in thousands of times. */
export const CHEAP_HASH = { memoryCost: 64, timeCost: 1, parallelism: 1 }
export const OWNER_PASSWORD = 'chosen by the person'

export type DatabaseAt = { socketDirectory: string; database: string; user: string }

/** The test machine may be so busy that the database takes many times as long as usual. */
const PATIENT = {
  waitMs: 120_000,
  deadlineMs: 240_000,
  heartbeat: { everyMs: 1_000, answerMs: 60_000 },
  parameters: { statement_timeout: 200_000, idle_in_transaction_session_timeout: 200_000 },
}

/** A clone of the migrated template database, or of an empty one; `drop` closes and drops it. */
export async function testDatabase(
  { dbConnections = 5, dbQueue = 200 }: { dbConnections?: number; dbQueue?: number } = {},
  template: 'template_stoa' | 'template1' = 'template_stoa',
): Promise<{
  db: Database
  at: DatabaseAt
  drop(): Promise<void>
}> {
  const socketDirectory = env('STOA_TEST_SOCKETS')
  const open = (database: string, connectionsMax: number, queueMax: number) =>
    openPostgres({ ...PATIENT, at: { socketDirectory, database, user: DATABASE_USER }, connectionsMax, queueMax })
  const name = `test_${systemRandom.token(12).toLowerCase()}`
  const script = async (text: string) => {
    const maintenance = open('postgres', 1, 1)
    await maintenance.script(text)
    await maintenance.close()
  }
  // Copying the files takes a tenth of the time of the default, which writes every page to the log.
  await script(`create database ${name} template ${template} strategy file_copy`)
  const db = open(name, dbConnections, dbQueue)
  return {
    db,
    at: { socketDirectory, database: name, user: DATABASE_USER },
    drop: async () => {
      await db.close()
      await script(`drop database ${name} with (force)`)
    },
  }
}

export function sameDatabase(at: DatabaseAt) {
  const db = openPostgres({ ...PATIENT, at, connectionsMax: 5, queueMax: 200 })
  return { db, at, drop: db.close }
}

export function env(name: string): string {
  const value = process.env[name]
  if (!value) throw new Error('Run tests with `npm test`, or `npm test -- path/to/one.test.ts`: it starts the database')
  return value
}

/** Locks rows by `lock`, in a transaction that stays open until what it returns is called. */
export async function holdLock(db: Database, lock: (tx: Tx) => Promise<unknown>): Promise<() => Promise<void>> {
  const [locked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const holding = db.transaction(async tx => {
    await lock(tx)
    locked.resolve()
    await released.promise
  })
  await Promise.race([locked.promise, holding])
  return async () => {
    released.resolve()
    await holding
  }
}
