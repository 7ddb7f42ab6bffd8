import { mkdirSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { lockDirectory } from '../engines/db/embedded/lock.ts'
import { StartRefused } from '../kit/setting.ts'

export type DataDirectory = { path: string; release(): void }

/** Creates the data directory if necessary and locks it for this process. Other accounts may traverse it, because under
 *  root the database runs as `nobody`, but not list it; each secret in it is protected by its own mode. */
export async function openDataDirectory(path: string): Promise<DataDirectory> {
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
  if (!release) throw new StartRefused(`${path} is in use by another Stoa; stop it, or set STOA_DATA`)
  return { path: real, release }
}
