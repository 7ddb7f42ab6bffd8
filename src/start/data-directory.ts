import { existsSync, mkdirSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { lockDirectory } from '../engines/db/embedded/lock.ts'
import { StartRefused } from '../kit/setting.ts'

export type DataDirectory = { path: string; release(): void }

/** Exists from the beginning of a restore until it is complete. */
export const RESTORING = 'restoring'

/** Creates and locks the directory of a host. */
export async function openDataDirectory(path: string): Promise<DataDirectory> {
  const opened = await lockDataDirectory(path)
  if (!opened) throw new StartRefused(`${path} is in use by another Stoa; stop it, or set STOA_DATA`)
  if (!existsSync(join(opened.path, RESTORING))) return opened
  opened.release()
  throw new StartRefused(`a restore into ${path} was interrupted; run npm run restore again, or set STOA_DATA`)
}

/** Creates the data directory if necessary and locks it for this process; null if it is in use. Other accounts may
 *  traverse it but not list it, because under root the database runs as `nobody`. Each secret in it is protected by its
 *  own file mode. */
export async function lockDataDirectory(path: string): Promise<DataDirectory | null> {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === false) {
    throw new StartRefused(`STOA_DATA: ${path} is not a directory`)
  }
  try {
    mkdirSync(path, { recursive: true, mode: 0o711 })
    const probe = join(path, '.writable')
    writeFileSync(probe, '')
    rmSync(probe)
  } catch (error) {
    throw new StartRefused(`STOA_DATA: ${path} cannot be written (${(error as NodeJS.ErrnoException).code})`)
  }
  const real = realpathSync(path)
  const release = await lockDirectory(real)
  return release && { path: real, release }
}
