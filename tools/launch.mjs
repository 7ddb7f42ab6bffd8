// Runs a script of this project with the pinned Node version. Missing dependencies are installed first: runtime
// dependencies for the product, development dependencies too for everything else. Plain JavaScript without dependencies,
// because it runs on a fresh clone.
import { spawn, spawnSync } from 'node:child_process'
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

if (!['linux-x64', 'linux-arm64'].includes(platform)) {
  stop(`Stoa ships its runtime and its database for Linux on x64 and arm64; this is ${platform}.`)
}
if (!installed()) await install()

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
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)))
}

function installed() {
  return existsSync(pinned) && (stamp() === ALL || (isProduct && stamp() === PRODUCT))
}

function stamp() {
  return existsSync(stampFile) ? readFileSync(stampFile, 'utf8') : ''
}

/** Installs once, even if `npm start` and `npm test` run at the same time: the lock is an abstract socket, which the
 *  kernel releases however its owner ends. */
async function install() {
  const name = `\0stoa-install-${createHash('sha256').update(root).digest('hex').slice(0, 16)}`
  let lock = await listen(name)
  if (!lock) process.stderr.write('Waiting for another installation of this checkout to finish…\n')
  while (!lock) {
    await new Promise(done => setTimeout(done, 200))
    lock = await listen(name)
  }
  if (!installed()) {
    // Development tools that were installed before an upgrade are kept.
    const wanted = isProduct && !stamp().endsWith(' all\n') ? PRODUCT : ALL
    // A host may be running from here: adding packages must not remove what it has not loaded yet, as `npm ci` would.
    const isAddition = existsSync(pinned) && stamp() === PRODUCT
    const dev = wanted === ALL ? '--include=dev' : '--omit=dev'
    const what = isAddition ? 'the development tools' : 'the dependencies'
    process.stderr.write(`Installing ${what} of Stoa (once, about half a minute)…\n`)
    if (!isAddition) rmSync(stampFile, { force: true })
    process.umask(0o022) // Under root the database runs as another user, which must be able to read the binaries.
    const npmCommand = isAddition ? ['install', '--no-save'] : ['ci']
    const npm = spawnSync('npm', [...npmCommand, '--ignore-scripts', dev, '--loglevel=error'], {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    if (npm.status !== 0)
      stop('the installation failed; see the npm message above. Fix the cause and run the command again.')
    if (!existsSync(pinned))
      stop(`npm did not install the package node-${platform}; check that your registry has this package.`)
    writeFileSync(stampFile, wanted)
  }
  lock.close()
}

function listen(name) {
  const server = createServer()
  return new Promise(done => server.once('error', () => done(null)).listen(name, () => done(server)))
}

function stop(message) {
  process.stderr.write(`stoa: ${message}\n`)
  process.exit(1)
}
