// PostgreSQL as a child process on a unix socket: made on first use, cleaned up after any crash, restarted if it dies.
import { type ChildProcess, spawn } from 'node:child_process'
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
import { type Account, binaries, clusterHome, ownDirectory, serverAccount } from './location.ts'
import { lockDirectory } from './lock.ts'

export const DATABASE_USER = 'stoa'

export type EmbeddedServer = {
  socketDirectory: string
  /** Where the cluster is; not below the data directory when the server's account cannot walk there. */
  home: string
  stop(): Promise<void>
  /** Asks the server to stop and does not wait: for a process that is ending at once. */
  abandon(): void
}

/** Crash recovery replays the log since the last checkpoint; on a slow disk that can take minutes, not more. */
const READY_MS = 300_000
/** A server that dies this often within a minute will not be helped by one more start. */
const RESTARTS_MAX = 5
/** The longest path a unix socket address can hold, less the file's own name. */
const SOCKET_DIRECTORY_MAX = 107 - '/.s.PGSQL.5432'.length

const SETTINGS = {
  listen_addresses: '',
  max_connections: '50',
  shared_buffers: '64MB',
  huge_pages: 'off',
  dynamic_shared_memory_type: 'mmap',
  wal_level: 'minimal',
  max_wal_senders: '0',
  jit: 'off',
  // Statements and row values stay out of the log: they are the customers'.
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
}

export type EmbeddedOptions = {
  dataDirectory: string
  log: (line: string) => void
  /** Called when the server cannot be kept running. */
  lost: (error: Error) => void
  /** Settings on top of ours: how many connections, and for test clusters that they need no durability. */
  settings?: Record<string, string>
}

export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const account = serverAccount()
  const location = clusterHome(options.dataDirectory, account)
  mkdirSync(dirname(location), { recursive: true })
  const home = join(realpathSync(dirname(location)), basename(location))
  const bin = binaries(join(dirname(home), 'postgres-binaries'), account)
  await initialise(home, bin, account)
  // Data directories that were copied name the same cluster, so it has a lock of its own.
  const unlock = await lockDirectory(home)
  if (!unlock) throw new Error(`the database in ${home} is in use by another Stoa`)

  const socketDirectory = socketLocation(home, account)
  const settings = { ...SETTINGS, ...options.settings, unix_socket_directories: socketDirectory }
  let stopping = false
  let child = await start()
  const deaths: number[] = []

  async function start(): Promise<ChildProcess> {
    await clearLeftovers(home, socketDirectory)
    const started = await launch(home, bin, account, settings, options.log)
    started.once('exit', () => void revive())
    return started
  }

  async function revive(): Promise<void> {
    if (stopping) return
    options.log('the embedded PostgreSQL stopped by itself; starting it again')
    deaths.push(performance.now())
    const recent = deaths.filter(at => at > performance.now() - 60_000)
    try {
      if (recent.length > RESTARTS_MAX)
        throw new Error(`the embedded PostgreSQL died ${recent.length} times in a minute`)
      child = await start()
      if (stopping) child.kill('SIGINT')
    } catch (error) {
      options.lost(error as Error)
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
      if (child.exitCode === null && child.signalCode === null) {
        const exited = new Promise(resolve => child.once('exit', resolve))
        child.kill('SIGINT') // "Fast": running statements are rolled back, everything committed is on disk.
        await exited
      }
      unlock()
    },
  }
}

/** Makes the cluster beside its final place and renames it there whole, so that a kill leaves either none or a good one. */
async function initialise(home: string, bin: string, account: Account): Promise<void> {
  if (existsSync(join(home, 'PG_VERSION'))) return
  if (existsSync(home)) throw new Error(`${home} is there and is not a database; move it away`)
  const fresh = `${home}.new`
  await endProcesses(fresh, 0) // An earlier try that was killed may still be making it.
  rmSync(fresh, { recursive: true, force: true })
  ownDirectory(fresh, account)
  const options = ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C', '--encoding=UTF8']
  const child = spawn(join(bin, 'initdb'), ['-D', fresh, '-U', DATABASE_USER, '-A', 'peer', ...options], {
    ...account.ids,
    cwd: '/',
    env: {}, // PGDATA, PGOPTIONS and their like must not steer it.
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let complaint = ''
  child.stderr.on('data', chunk => {
    complaint += chunk
  })
  const code = await new Promise(resolve => child.once('error', resolve).once('close', resolve))
  if (code !== 0) throw new Error(`the database could not be made: ${complaint.trim().split('\n')[0] || code}`)
  // Over the socket the kernel says who calls; only the account that runs Stoa is let in.
  const caller = account.ids ? 'root' : account.name
  writeFileSync(join(fresh, 'pg_hba.conf'), 'local all all peer map=stoa\n')
  writeFileSync(join(fresh, 'pg_ident.conf'), `stoa ${caller} ${DATABASE_USER}\n`)
  renameSync(fresh, home)
}

async function launch(
  home: string,
  bin: string,
  account: Account,
  settings: Record<string, string>,
  log: (line: string) => void,
): Promise<ChildProcess> {
  const words = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const child = spawn(join(bin, 'postgres'), ['-D', home, ...words], {
    ...account.ids,
    cwd: '/',
    env: {},
    detached: true, // Ctrl-C reaches the whole foreground group; the server must outlive the requests being finished.
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let last = ''
  let over = false
  child.once('error', error => {
    last = error.message
    over = true
  })
  child.once('close', () => {
    over = true // Not 'exit': what it said last may still be on its way then.
  })
  child.stderr!.on('data', chunk => {
    for (const line of String(chunk).trim().split('\n')) {
      if (/FATAL|PANIC|WARNING/.test(line)) last = line
      log(line)
    }
  })
  const deadline = performance.now() + READY_MS
  while (!isReady(home, child.pid)) {
    if (over) {
      throw new Error(`the embedded PostgreSQL did not start: ${last || `exit code ${child.exitCode}`}`)
    }
    if (performance.now() > deadline) throw new Error('the embedded PostgreSQL did not become ready in five minutes')
    await wait(10)
  }
  return child
}

/** The server tells its state in line 8 of this file; line 1 shows that it is ours and not a dead one's. */
function isReady(home: string, pid: number | undefined): boolean {
  const file = join(home, 'postmaster.pid')
  if (!existsSync(file)) return false
  const lines = readFileSync(file, 'utf8').split('\n')
  return Number(lines[0]) === pid && lines[7]?.trim() === 'ready'
}

/** The socket lies in the cluster itself, which only the account may enter. A path too long for a socket address gets
 *  a short directory of its own. */
function socketLocation(home: string, account: Account): string {
  if (home.length <= SOCKET_DIRECTORY_MAX) return home
  const short = join(tmpdir(), `stoa-${lstatSync(home).ino}`)
  ownDirectory(short, account)
  const owner = lstatSync(short)
  if (!owner.isDirectory() || owner.uid !== (account.ids?.uid ?? process.getuid?.())) {
    throw new Error(`${short} belongs to somebody else; choose a shorter STOA_DATA`)
  }
  return short
}
