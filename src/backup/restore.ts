// `npm run restore -- <file>`: creates a data directory from a backup and starts its database once.
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type ArchiveEntry, readArchive, writeFileOf } from '../engines/archive/archive.ts'
import { isOfDatabase, removeClusterElsewhere } from '../engines/db/embedded/location.ts'
import { restoreCluster } from '../engines/db/embedded/restore.ts'
import { StartRefused } from '../kit/setting.ts'
import { lockDataDirectory, RESTORING } from '../start/data-directory.ts'
import { VERSION } from '../start/version.ts'
import { runCommand } from './command.ts'
import { ABOUT, type About, DATABASE, FILES, isBackedUp } from './files.ts'

const USAGE = `Restores a backup made by npm run backup into a data directory that is empty or does not exist:

  npm run restore -- <file> [--data <directory>]
`

const ROOT_KEY = 'root.key'

runCommand({
  usage: USAGE,
  run: async (file, config, signal) => {
    if (config.DATABASE_URL)
      throw new StartRefused('DATABASE_URL is set: a backup is restored into an embedded database')
    if (!statSync(file, { throwIfNoEntry: false })?.isFile()) throw new StartRefused(`there is no file ${file}`)
    const opened = await lockDataDirectory(config.STOA_DATA)
    if (!opened) throw new StartRefused(`${config.STOA_DATA} is in use by another Stoa; stop it, or set STOA_DATA`)
    const { path, release } = opened
    try {
      requireEmpty(path)
    } catch (error) {
      release()
      throw error
    }
    writeFileSync(join(path, RESTORING), '')
    try {
      const about = await restore(file, path, signal)
      rmSync(join(path, RESTORING))
      const hasKey = existsSync(join(path, ROOT_KEY)) || config.STOA_ROOT_KEY !== null
      process.stdout.write(
        `Restored the backup of ${about.created} to ${path}.\n` +
          `${hasKey ? '' : 'It contains no root key: set STOA_ROOT_KEY to the key of the host that was backed up.\n'}` +
          'Keys and sessions that were ended after that time are valid again, and webhooks sent since then may be sent again.\n',
      )
    } catch (error) {
      clear(path)
      rmSync(join(path, RESTORING))
      throw new Error(`${file} was not restored: ${reason(error as NodeJS.ErrnoException)}`)
    } finally {
      release()
    }
  },
})

/** The decompressor has errors of its own, such as `Z_BUF_ERROR`. */
const reason = ({ code = '', message }: NodeJS.ErrnoException) =>
  /^(Z_|ZSTD_|TAR_)/.test(code) ? `it is damaged, incomplete or not a backup (${message})` : message

/** Removes what a killed restore left behind: no host has started with it. */
function requireEmpty(dataDirectory: string): void {
  if (existsSync(join(dataDirectory, RESTORING))) clear(dataDirectory)
  const [found] = contentOf(dataDirectory)
  if (found !== undefined) {
    throw new StartRefused(
      `${dataDirectory} is not empty (${found}); move it away, or set STOA_DATA to another directory`,
    )
  }
}

const contentOf = (dataDirectory: string) =>
  readdirSync(dataDirectory).filter(name => isBackedUp(name) || isOfDatabase(name))

function clear(dataDirectory: string): void {
  removeClusterElsewhere(dataDirectory)
  for (const name of contentOf(dataDirectory)) rmSync(join(dataDirectory, name), { recursive: true, force: true })
}

async function restore(file: string, dataDirectory: string, signal: AbortSignal): Promise<About> {
  let about: About | null = null
  const cluster = restoreCluster(dataDirectory)
  const placeEntry = async (entry: ArchiveEntry) => {
    const { name } = entry
    const [top = ''] = name.slice(FILES.length).split('/', 1)
    if (about === null) about = await aboutFrom(entry)
    else if (name.startsWith(DATABASE)) await cluster.place(within(entry, DATABASE))
    else if (name.startsWith(FILES) && isBackedUp(top)) await place(dataDirectory, within(entry, FILES))
    else throw new Error(`it contains ${name}, which does not belong in a backup`)
  }
  await readArchive(file, placeEntry, signal)
  if (about === null) throw new Error('it is empty')
  await cluster.start()
  return about
}

const within = (entry: ArchiveEntry, prefix: string) => ({ ...entry, name: entry.name.slice(prefix.length) })

/** What it says has about 200 bytes. */
const ABOUT_BYTES_MAX = 10_000

async function aboutFrom(entry: ArchiveEntry): Promise<About> {
  const isOurs = entry.name === ABOUT && entry.kind === 'file' && entry.size <= ABOUT_BYTES_MAX
  const about = isOurs ? aboutIn(await text(entry.chunks as AsyncIterable<Uint8Array>)) : null
  if (about === null) throw new Error('it was not made by npm run backup')
  if (about.format !== 1)
    throw new Error(`it was made by Stoa ${about.stoa}; this is ${VERSION}. Use that version or a newer one`)
  // PostgreSQL does not promise that its files can be read on another architecture.
  if (about.architecture !== process.arch) {
    throw new Error(`it was made on ${about.architecture}, and this machine is ${process.arch}`)
  }
  return about
}

function aboutIn(json: string): About | null {
  try {
    const about = JSON.parse(json) as About | null
    return typeof about?.format === 'number' ? about : null
  } catch {
    return null // Not JSON.
  }
}

async function place(dataDirectory: string, entry: ArchiveEntry): Promise<void> {
  const path = join(dataDirectory, entry.name)
  if (entry.kind === 'directory') mkdirSync(path, { mode: entry.mode })
  else await writeFileOf(path, entry)
}
