// PostgreSQL as a child process on a Unix socket: created on first use, cleaned up after a crash, restarted if it dies.
import type { ChildProcess } from 'node:child_process'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { clearLeftovers, endProcesses } from './leftovers.ts'
import { type Account, BINARIES, binaries, clusterHome, createPrivateDirectory, serverAccount } from './location.ts'
import { lockDirectory } from './lock.ts'
import { spawnWatched } from './watched.ts'

export const DATABASE_USER = 'stoa'

export type EmbeddedServer = {
  socketDirectory: string
  /** The directory of the cluster; see `clusterHome`. */
  home: string
  stop(): Promise<void>
  /** Signals the server to stop without waiting, for a process that exits immediately. */
  abandon(): void
}

/** Crash recovery replays the log since the last checkpoint, which takes a few minutes on a slow disk. */
const READY_MS = 300_000
/** The pause after a failed restart, for example for lack of file descriptors. */
const RESTART_AGAIN_MS = 1_000
/** The number of restarts within one minute; another one would not help. */
const RESTARTS_MAX = 5
/** The longest path in a Unix socket address, less the name of the file. */
const SOCKET_DIRECTORY_MAX = 107 - '/.s.PGSQL.5432'.length

const SETTINGS = {
  listen_addresses: '',
  max_connections: '50',
  shared_buffers: '64MB',
  huge_pages: 'off',
  dynamic_shared_memory_type: 'mmap',
  wal_level: 'replica', // For backups while the server runs.
  max_wal_senders: '0',
  jit: 'off',
  // Statements and row values are customer data and must not be logged.
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
}

export type EmbeddedOptions = {
  dataDirectory: string
  log: (line: string, level: 'debug' | 'warn') => void
  /** Called when the server cannot be kept running. */
  lost: (error: Error) => void
  /** Overrides of SETTINGS: the number of connections, and no durability for test clusters. */
  settings?: Record<string, string>
}

export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const account = serverAccount()
  const { home: location, confirm } = clusterHome(options.dataDirectory, account)
  mkdirSync(dirname(location), { recursive: true })
  const home = join(realpathSync(dirname(location)), basename(location))
  const bin = binaries(join(dirname(home), BINARIES), account)
  await initialise(home, bin, account)
  confirm()
  // A copied data directory refers to the same cluster, so the cluster needs its own lock.
  const unlock = await lockDirectory(home)
  if (!unlock) throw new Error(`the database in ${home} is in use by another Stoa`)

  const socketDirectory = socketLocation(home, account)
  const settings = { ...SETTINGS, ...options.settings, unix_socket_directories: socketDirectory }
  let stopping = false
  const deaths: number[] = []
  let child = await start()

  async function start(): Promise<ChildProcess> {
    await clearLeftovers(home, socketDirectory)
    const started = await launch(home, bin, account, settings, options.log)
    if (hasEnded(started))
      void restart() // It died after becoming ready and before this line.
    else started.once('exit', () => void restart())
    return started
  }

  async function restart(): Promise<void> {
    if (stopping) return
    options.log('the embedded PostgreSQL stopped unexpectedly; restarting it', 'warn')
    deaths.push(performance.now())
    const recent = deaths.filter(at => at > performance.now() - 60_000)
    try {
      if (recent.length > RESTARTS_MAX)
        throw new Error(`the embedded PostgreSQL died ${recent.length} times in a minute`)
      child = await start()
      if (stopping) child.kill('SIGINT')
    } catch (error) {
      if (recent.length > RESTARTS_MAX) return options.lost(error as Error)
      options.log(`the embedded PostgreSQL could not be restarted: ${(error as Error).message}`, 'warn')
      setTimeout(() => void restart(), RESTART_AGAIN_MS).unref()
    }
  }

  return {
    socketDirectory,
    home,
    abandon: () => {
      stopping = true
      child.kill('SIGINT')
      unlock()
    },
    stop: async () => {
      stopping = true
      if (!hasEnded(child)) {
        const exited = new Promise(resolve => child.once('exit', resolve))
        child.kill('SIGINT') // Fast shutdown: rolls back running statements; committed data is on disk.
        await exited
      }
      unlock()
    },
  }
}

/** Creates the cluster under another name and renames it when complete, so that a kill never leaves a partial one. */
async function initialise(home: string, bin: string, account: Account): Promise<void> {
  if (existsSync(join(home, 'PG_VERSION'))) return
  if (existsSync(home)) throw new Error(`${home} exists and is not a database; move it away`)
  const fresh = `${home}.new`
  await endProcesses(fresh, 0) // A killed earlier start may have left initdb running.
  rmSync(fresh, { recursive: true, force: true })
  createPrivateDirectory(fresh, account)
  const options = ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C', '--encoding=UTF8']
  // While initdb runs the server, its shared memory is in the directory too, and not in /dev/shm, where a kill leaves it.
  options.push(`--set=dynamic_shared_memory_type=${SETTINGS.dynamic_shared_memory_type}`)
  const command = [join(bin, 'initdb'), '-D', fresh, '-U', DATABASE_USER, '-A', 'peer', ...options]
  const child = spawnWatched('initdb', command, account)
  let errors = ''
  child.stderr!.on('data', chunk => {
    errors += chunk
  })
  const code = await new Promise(resolve => child.once('error', resolve).once('close', resolve))
  if (code !== 0) throw new Error(`the database could not be created: ${errors.trim().split('\n')[0] || code}`)
  admitAccount(fresh, account)
  renameSync(fresh, home)
}

/** Peer authentication: only the account that runs Stoa may connect. */
export function admitAccount(home: string, account: Account): void {
  const caller = account.ids ? 'root' : account.name
  writeFileSync(join(home, 'pg_hba.conf'), 'local all all peer map=stoa\n')
  writeFileSync(join(home, 'pg_ident.conf'), `stoa ${caller} ${DATABASE_USER}\n`)
}

async function launch(
  home: string,
  bin: string,
  account: Account,
  settings: Record<string, string>,
  log: EmbeddedOptions['log'],
): Promise<ChildProcess> {
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const child = spawnWatched('server', [join(bin, 'postgres'), '-D', home, ...options], account)
  let lastError = ''
  let ended = false
  child.once('error', error => {
    lastError = error.message
    ended = true
  })
  child.once('close', () => {
    ended = true // Not on 'exit': its last output may still be unread then.
  })
  child.stderr!.on('data', chunk => {
    for (const line of String(chunk).trim().split('\n')) {
      if (!/(LOG|HINT|DETAIL|CONTEXT): /.test(line)) lastError = line
      log(line, 'debug')
    }
  })
  const deadline = performance.now() + READY_MS
  while (!isReady(home, child.pid)) {
    if (ended) throw new Error(`the embedded PostgreSQL did not start: ${lastError || `exit code ${child.exitCode}`}`)
    if (performance.now() > deadline) throw new Error('the embedded PostgreSQL did not become ready in five minutes')
    await wait(10)
  }
  return child
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null

/** The process id rules out the file of a dead server. */
const isReady = (home: string, pid: number | undefined) => {
  const state = stateOf(home)
  return state !== null && state.pid === pid && state.isReady
}

/** The server's description of itself in its file: process id, socket directory and state are lines 1, 5 and 8. */
export function stateOf(home: string): { pid: number; socketDirectory: string; isReady: boolean } | null {
  const file = join(home, 'postmaster.pid')
  if (!existsSync(file)) return null
  const lines = readFileSync(file, 'utf8').split('\n')
  return { pid: Number(lines[0]), socketDirectory: lines[4] ?? '', isReady: lines[7]?.trim() === 'ready' }
}

/** The socket is in the cluster's directory, which only the account can access; if that path is too long for a socket
 *  address, in a short temporary directory. */
function socketLocation(home: string, account: Account): string {
  if (home.length <= SOCKET_DIRECTORY_MAX) return home
  const short = join(tmpdir(), `stoa-${lstatSync(home).ino}`)
  createPrivateDirectory(short, account)
  const info = lstatSync(short)
  if (!info.isDirectory() || info.uid !== (account.ids?.uid ?? process.getuid?.())) {
    throw new Error(`${short} belongs to another user; choose a shorter STOA_DATA`)
  }
  return short
}
