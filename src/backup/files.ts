// The contents of a backup: its description first, then the database, then the other files of the data directory. The files
// come last because the database may refer to files written before it.
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { ArchiveEntry } from '../engines/archive/archive.ts'
import { type ClusterBackup, fileIfPresent } from '../engines/db/embedded/backup.ts'
import { isOfDatabase } from '../engines/db/embedded/location.ts'
import { RESTORING } from '../start/data-directory.ts'
import { VERSION } from '../start/version.ts'

export type About = { format: 1; stoa: string; postgres: string; architecture: string; created: string; bytes: number }

export const ABOUT = 'stoa-backup.json'
export const DATABASE = 'database/'
export const FILES = 'files/'

/** In the data directory: the files of the process that uses it, and what a file system has at its top. */
const LEFT_OUT = ['in-use', '.writable', RESTORING, 'lost+found']

/** Whether a name at the top of the data directory belongs to the files of a backup. */
export const isBackedUp = (name: string): boolean => !isOfDatabase(name) && !LEFT_OUT.includes(name)

export async function* backupOf(
  dataDirectory: string,
  { bytes, postgres, entries }: ClusterBackup,
  created: string,
  leaveOut: (name: string) => void,
): AsyncIterable<ArchiveEntry> {
  const about: About = { format: 1, stoa: VERSION, postgres, architecture: process.arch, created, bytes }
  const text = Buffer.from(`${JSON.stringify(about)}\n`)
  yield { kind: 'file', name: ABOUT, mode: 0o600, size: text.length, chunks: [text] }
  yield* below(DATABASE, entries)
  yield* below(FILES, filesOf(dataDirectory, '', leaveOut))
}

async function* below(prefix: string, entries: AsyncIterable<ArchiveEntry>): AsyncIterable<ArchiveEntry> {
  for await (const entry of entries) yield { ...entry, name: prefix + entry.name }
}

/** A link is not followed: it may lead to a directory above, or to former backups. */
async function* filesOf(
  dataDirectory: string,
  directory: string,
  leaveOut: (name: string) => void,
): AsyncIterable<ArchiveEntry> {
  for (const entry of await readdir(join(dataDirectory, directory))) {
    if (directory === '' && !isBackedUp(entry)) continue
    const name = `${directory}${entry}`
    const info = await lstat(join(dataDirectory, name)).catch(() => null) // It was removed in the meantime.
    if (info === null) continue
    if (info.isFile()) yield* fileIfPresent(dataDirectory, name)
    else if (info.isDirectory()) {
      yield { kind: 'directory', name, mode: info.mode & 0o777 }
      yield* filesOf(dataDirectory, `${name}/`, leaveOut)
    } else leaveOut(name)
  }
}
