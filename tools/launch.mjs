// Runs a script of this project with the pinned Node version. Missing dependencies are installed first: runtime
// dependencies for the product, development dependencies too for everything else. Plain JavaScript without dependencies,
// because it runs on a fresh clone.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import * as nodeModule from 'node:module'
import { createServer } from 'node:net'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const platform = `${process.platform}-${process.arch}`
const pinned = join(root, 'node_modules', `node-${platform}`, 'bin', 'node')
const stampFile = join(root, 'node_modules', '.stoa-installed')
const digest = createHash('sha256')
  .update(readFileSync(join(root, 'package-lock.json')))
  .digest('hex')
const PRODUCT = `${platform} ${digest} product\n`
const ALL = `${platform} ${digest} all\n`

const argv = process.argv.slice(2)
const flags = argv.slice(
  0,
  argv.findIndex(arg => !arg.startsWith('--')),
)
const [script, ...args] = argv.slice(flags.length)
const isProduct = script.startsWith('src/')
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP']
// Locks are abstract sockets, which the kernel releases however their owner ends.
const checkout = createHash('sha256').update(root).digest('hex').slice(0, 16)
const RUNNING = `stoa-running-${checkout}-`
/** An ending host may be running for a moment. */
const ENDING_MS = 1_000

if (!['linux-x64', 'linux-arm64'].includes(platform)) {
  stop(`Stoa ships its runtime and its database for Linux on x64 and arm64; this is ${platform}.`)
}
let running = await holdRunning()
if (!installed()) {
  running?.close()
  await install()
}
// No handle of the launcher keeps the process running.
running?.unref()

if (flags.length === 0 && realpathSync(process.execPath) === realpathSync(pinned)) {
  // The parent process (below) holds the other end of this channel: when it ends, even by kill -9, this process stops too.
  if (process.channel) {
    process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'))
    process.channel.unref()
  }
  process.argv = [process.execPath, resolve(script), ...args]
  // Makes later starts about half a second faster.
  nodeModule.enableCompileCache?.(join(root, 'node_modules', '.cache', 'compile'))
  await import(pathToFileURL(resolve(script)).href)
} else {
  const command = flags.length ? [...flags, script, ...args] : [fileURLToPath(import.meta.url), script, ...args]
  const child = spawn(pinned, command, { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] })
  for (const signal of SIGNALS) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)))
}

function installed() {
  if (!existsSync(pinned)) return false
  // A backup runs with the packages that are there: the host that is running may use them, and needs no others.
  if (script.startsWith('src/backup/')) return stamp().startsWith(`${platform} `)
  return stamp() === ALL || (isProduct && stamp() === PRODUCT)
}

function stamp() {
  return existsSync(stampFile) ? readFileSync(stampFile, 'utf8') : ''
}

/** While this process runs, no package of this checkout is removed. */
function holdRunning() {
  return listen(`\0${RUNNING}${process.pid}`)
}

/** The other processes of this checkout, also those of other users. The kernel lists abstract sockets with an `@`; old
 *  versions of Node fill the name up. */
function othersRunning() {
  const listed = readFileSync('/proc/net/unix', 'utf8').matchAll(new RegExp(`@${RUNNING}(\\d+)@*$`, 'gm'))
  return [...listed].map(([, pid]) => pid)
}

/** Installs once, even if `npm start` and `npm test` run at the same time. */
async function install() {
  const name = `\0stoa-install-${checkout}`
  let lock = await listen(name)
  if (!lock) process.stderr.write('Waiting for another installation of this checkout to finish…\n')
  while (!lock) {
    await wait(200)
    lock = await listen(name)
  }
  if (!installed()) {
    // Development tools that were installed before an upgrade are kept.
    const wanted = isProduct && !stamp().endsWith(' all\n') ? PRODUCT : ALL
    // A host may be running from here: adding packages must not remove what it has not loaded yet, as `npm ci` would.
    const isAddition = existsSync(pinned) && stamp() === PRODUCT
    if (!isAddition) {
      await requireNoOthers()
      rmSync(stampFile, { force: true })
    }
    const what = isAddition ? 'the development tools' : 'the dependencies'
    process.stderr.write(`Installing ${what} of Stoa (once, about half a minute)…\n`)
    await runNpm(isAddition ? ['install', '--no-save'] : ['ci'], wanted === ALL ? '--include=dev' : '--omit=dev', lock)
    if (!existsSync(pinned))
      stop(`npm did not install the package node-${platform}; check that your registry has this package.`)
    writeFileSync(stampFile, wanted)
  }
  running = await holdRunning()
  lock.close()
}

async function requireNoOthers() {
  for (const deadline = Date.now() + ENDING_MS; othersRunning().length > 0; await wait(100)) {
    if (Date.now() < deadline) continue
    const pids = othersRunning().join(', ')
    stop(
      `the dependencies must be installed, but this checkout is in use (process ${pids}): stop Stoa first, then run the command again.`,
    )
  }
}

/** npm inherits the lock, so that even after a kill -9 of this process the next installation waits for npm to end. */
async function runNpm(command, dev, lock) {
  process.umask(0o022) // Under root the database runs as another user, which must be able to read the binaries.
  const npm = spawn('npm', [...command, '--ignore-scripts', dev, '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit', lock._handle?.fd ?? 'ignore'],
    detached: true, // A process group of its own, so that a signal also reaches what npm starts.
  })
  let interruptedBy = null
  const interrupt = signal => {
    interruptedBy = signal
    process.kill(-npm.pid, signal)
  }
  for (const signal of SIGNALS) process.on(signal, interrupt)
  const code = await new Promise(done => npm.once('error', done).once('exit', done))
  for (const signal of SIGNALS) process.off(signal, interrupt)
  if (interruptedBy) stop(`the installation was interrupted by ${interruptedBy}; the next start begins it again.`)
  if (code instanceof Error) stop(`npm could not be started: ${code.message}`)
  if (code !== 0) stop('the installation failed; see the npm message above. Fix the cause and run the command again.')
}

function wait(ms) {
  return new Promise(done => setTimeout(done, ms))
}

function listen(name) {
  const server = createServer()
  return new Promise(done => server.once('error', () => done(null)).listen(name, () => done(server)))
}

function stop(message) {
  process.stderr.write(`stoa: ${message}\n`)
  process.exit(1)
}
