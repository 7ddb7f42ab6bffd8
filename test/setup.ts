// Runs before all tests: starts PostgreSQL, creates the template database that every test host clones, and a
// certificate.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../src/engines/clock/clock.ts'
import { DATABASE_USER, type EmbeddedServer, startEmbedded } from '../src/engines/db/embedded/server.ts'
import { migrate } from '../src/engines/db/migrate.ts'
import { openPostgres } from '../src/engines/db/postgres.ts'
import { openPasswords } from '../src/engines/passwords/passwords.ts'
import { systemRandom } from '../src/engines/random/random.ts'
import { localCertificate } from '../src/engines/tls/certificate.ts'
import { allMigrations } from '../src/start/migrations.ts'
import { CHEAP_HASH, OWNER_PASSWORD } from './database.ts'

/** In memory if there is enough: a run creates and deletes some hundred databases of 600 files each, which takes longer on a
 *  disk than many tests. */
const parent = hasMemory('/dev/shm') ? '/dev/shm' : tmpdir()
const directory = mkdtempSync(join(parent, `stoa-test-${process.pid}-`))
let server: EmbeddedServer

/** The data is deleted after the run, so writes need not wait for the disk, and a short log is enough. */
const UNSAFE_AND_FAST = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '300',
  max_wal_size: '128MB',
  min_wal_size: '64MB',
}

/** The databases of a run take up to 1 GiB at the same time. */
function hasMemory(path: string): boolean {
  if (!existsSync(path)) return false
  const { bavail, bsize } = statfsSync(path)
  return bavail * bsize > 2 * 1024 ** 3
}

/** A run that was killed leaves its directory, which takes memory. */
function removeLeft(): void {
  for (const name of readdirSync(parent)) {
    const pid = name.match(/^stoa-test-(\d+)-/)?.[1]
    if (pid === undefined || existsSync(`/proc/${pid}`)) continue
    try {
      rmSync(join(parent, name), { recursive: true, force: true })
    } catch {
      // It belongs to another user, who removes it in the next run.
    }
  }
}

export async function globalSetup(): Promise<void> {
  if (existsSync('/proc')) removeLeft()
  const dataDirectory = join(directory, 'data')
  mkdirSync(dataDirectory)
  for (const path of [directory, dataDirectory]) chmodSync(path, 0o711)
  server = await startEmbedded({
    dataDirectory,
    settings: UNSAFE_AND_FAST,
    log: () => {},
    lost: error => {
      throw error
    },
  })
  const open = (database: string) =>
    openPostgres({
      at: { socketDirectory: server.socketDirectory, database, user: DATABASE_USER },
      connectionsMax: 1,
      queueMax: 10,
    })
  const maintenance = open('postgres')
  await maintenance.script('create database template_stoa')
  await maintenance.close()
  const template = open('template_stoa')
  await migrate(template, allMigrations())
  await template.close()
  const tls = join(directory, 'tls')
  await localCertificate(tls, ['localhost', '127.0.0.1'], { clock: systemClock, random: systemRandom })
  process.env.STOA_TEST_SOCKETS = server.socketDirectory
  process.env.STOA_TEST_TLS = tls
  process.env.STOA_TEST_DIGEST = await openPasswords(undefined, CHEAP_HASH).hash('home', OWNER_PASSWORD)
}

export async function globalTeardown(): Promise<void> {
  await server.stop()
  rmSync(directory, { recursive: true, force: true })
}
