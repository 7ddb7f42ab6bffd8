// Copies the cluster while its server runs and writes, with PostgreSQL's low-level backup. The files are copied as they
// are; the write-ahead log segments from the beginning to the end of the copy make them consistent at the first start.
import { type FileHandle, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type ArchiveEntry, chunksOf } from '../../archive/archive.ts'
import type { Session } from '../../engines.ts'
import { runSession } from '../session.ts'
import { DATABASE_USER } from './server.ts'

/** Their content is recreated at each start. PostgreSQL's own tool excludes the same directories. */
const WITHOUT_CONTENT = 'pg_wal pg_replslot pg_dynshmem pg_notify pg_serial pg_snapshots pg_stat_tmp pg_subtrans'.split(
  ' ',
)
/** The state of the running server, of this process, and of temporary tables. */
const LEFT_OUT =
  /^(postmaster\.(pid|opts)|in-use|\.s\.PGSQL\..*|pg_internal\.init.*|pgsql_tmp.*|backup_label|current_logfiles)$/
/** Written at each checkpoint, and copied last: the other files must not be newer than it says. */
const CONTROL = 'global/pg_control'
/** The time limit for connecting only; the first checkpoint may take a while on a busy disk. */
const CONNECT_MS = 10_000

export type ClusterBackup = { bytes: number; postgres: string; entries: AsyncIterable<ArchiveEntry> }

/** `work` reads all entries in order. If it fails, or this process dies, the server ends the backup by itself. */
export function backUpCluster<T>(
  home: string,
  socketDirectory: string,
  work: (backup: ClusterBackup) => Promise<T>,
): Promise<T> {
  const at = { socketDirectory, database: 'postgres', user: DATABASE_USER }
  return runSession(at, 'stoa backup', CONNECT_MS, async session => {
    const [state] = await session<{ bytes: number; version: string; level: string }>`
      select (select sum(pg_database_size(oid)) from pg_database)::bigint as bytes,
        current_setting('server_version') as version, current_setting('wal_level') as level`
    if (!state) throw new Error('the database did not answer')
    if (state.level === 'minimal') {
      throw new Error('the running Stoa is too old to be backed up while running; restart it first')
    }
    return work({ bytes: state.bytes, postgres: state.version, entries: entriesOf(session, home) })
  })
}

async function* entriesOf(session: Session, home: string): AsyncIterable<ArchiveEntry> {
  // A temporary slot keeps the segments of the log until the session ends.
  await session`select pg_create_physical_replication_slot('stoa_backup_' || pg_backend_pid(), true, true)`
  const [begun] = await session<{ segment: string }>`
    select pg_walfile_name(lsn) as segment from pg_backup_start('stoa', true) as lsn`
  for await (const name of filesBelow(home, '')) {
    if (name.endsWith('/')) yield { kind: 'directory', name: name.slice(0, -1), mode: 0o700 }
    else if (name !== CONTROL) yield* fileIfPresent(home, name)
  }
  yield* fileIfPresent(home, CONTROL)
  const [ended] = await session<{ segment: string; label: string; tablespaces: string }>`
    select pg_walfile_name(lsn) as segment, labelfile as label, spcmapfile as tablespaces from pg_backup_stop(false)`
  if (!begun || !ended) throw new Error('the database did not answer')
  if (ended.tablespaces) throw new Error('the database has tablespaces, which a backup does not contain')
  const label = Buffer.from(ended.label)
  yield { kind: 'file', name: 'backup_label', mode: 0o600, size: label.length, chunks: [label] }
  const segments = (await readdir(join(home, 'pg_wal'))).filter(name => /^[0-9A-F]{24}$/.test(name)).sort()
  const needed = segments.filter(name => name >= begun.segment && name <= ended.segment)
  if (needed[0] !== begun.segment || needed.at(-1) !== ended.segment) {
    throw new Error(`the write-ahead log from ${begun.segment} to ${ended.segment} is not complete`)
  }
  for (const name of needed) yield* fileIfPresent(home, `pg_wal/${name}`)
}

/** Directories end with a slash, and come before what is in them. */
async function* filesBelow(home: string, directory: string): AsyncIterable<string> {
  for (const entry of await readdir(join(home, directory), { withFileTypes: true })) {
    const name = `${directory}${entry.name}`
    if (LEFT_OUT.test(entry.name)) continue
    if (entry.isFile()) yield name
    else if (entry.isDirectory()) {
      yield `${name}/`
      if (!WITHOUT_CONTENT.includes(name)) yield* filesBelow(home, `${name}/`)
    } else throw new Error(`${join(home, name)} is neither a file nor a directory`)
  }
}

/** A table that was dropped meanwhile no longer has a file; the log tells the restored server about it. */
export async function* fileIfPresent(directory: string, name: string): AsyncIterable<ArchiveEntry> {
  let file: FileHandle
  try {
    file = await open(join(directory, name))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw error
  }
  const { size, mode } = await file.stat()
  yield { kind: 'file', name, mode: mode & 0o777, size, chunks: chunksOf(file) }
}
