// The contents of a backup: its description first, then the database, then the other files of the data directory. The files
// come last because the database may refer to files written before it.
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ArchiveEntry } from '../engines/archive/archive.ts'
import { type ClusterBackup, fileIfPresent } from '../engines/db/embedded/backup.ts'
import { isOfDatabase } from '../engines/db/embedded/location.ts'
import { VERSION } from '../start/version.ts'

export type About = { format: 1; stoa: string; postgres: string; architecture: string; created: string; bytes: number }

export const ABOUT = 'stoa-backup.json'
export const DATABASE = 'database/'
export const FILES = 'files/'

/** Files of the process that uses the directory. */
const OF_THE_PROCESS = ['in-use', '.writable']

export async function* backupOf(
  dataDirectory: string,
  { bytes, postgres, entries }: ClusterBackup,
  created: string,
): AsyncIterable<ArchiveEntry> {
  const about: About = { format: 1, stoa: VERSION, postgres, architecture: process.arch, created, bytes }
  const text = Buffer.from(`${JSON.stringify(about)}\n`)
  yield { kind: 'file', name: ABOUT, mode: 0o600, size: text.length, chunks: [text] }
  yield* below(DATABASE, entries)
  yield* below(FILES, filesOf(dataDirectory, ''))
}

async function* below(prefix: string, entries: AsyncIterable<ArchiveEntry>): AsyncIterable<ArchiveEntry> {
  for await (const entry of entries) yield { ...entry, name: prefix + entry.name }
}

async function* filesOf(dataDirectory: string, directory: string): AsyncIterable<ArchiveEntry> {
  for (const entry of await readdir(join(dataDirectory, directory))) {
    if (directory === '' && (isOfDatabase(entry) || OF_THE_PROCESS.includes(entry))) continue
    const name = `${directory}${entry}`
    const info = await stat(join(dataDirectory, name)).catch(() => null) // It was removed in the meantime.
    if (info?.isFile()) yield* fileIfPresent(dataDirectory, name)
    if (!info?.isDirectory()) continue
    yield { kind: 'directory', name, mode: info.mode & 0o777 }
    yield* filesOf(dataDirectory, `${name}/`)
  }
}
