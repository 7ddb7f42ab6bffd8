// Runs a script of this project on the pinned Node, whatever Node started us, installing first what is missing.
// Plain JavaScript without dependencies: on a fresh clone nothing else exists yet.
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
const stamp = `${platform} ${createHash('sha256')
  .update(readFileSync(join(root, 'package-lock.json')))
  .digest('hex')}\n`

const words = process.argv.slice(2)
const flags = words.slice(
  0,
  words.findIndex(word => !word.startsWith('--')),
)
const [script, ...args] = words.slice(flags.length)

if (!['linux-x64', 'linux-arm64'].includes(platform)) {
  stop(`Stoa ships its runtime and its database for Linux on x64 and arm64; this is ${platform}.`)
}
if (!installed()) await install()

if (flags.length === 0 && realpathSync(process.execPath) === realpathSync(pinned)) {
  // The process that spawned us (below) holds the other end of this channel: when it dies, even by kill -9, we stop.
  if (process.channel) {
    process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'))
    process.channel.unref()
  }
  process.argv = [process.execPath, resolve(script), ...args]
  nodeModule.enableCompileCache?.(join(root, 'node_modules', '.cache', 'compile')) // Saves a second start about half a second.
  await import(pathToFileURL(resolve(script)).href)
} else {
  const command = flags.length ? [...flags, script, ...args] : [fileURLToPath(import.meta.url), script, ...args]
  const child = spawn(pinned, command, { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)))
}

function installed() {
  return existsSync(pinned) && existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp
}

/** Installs once, also when `npm start` and `npm test` are typed at the same moment: the abstract socket is the lock,
 *  and the kernel frees it however its holder ends. */
async function install() {
  const name = `\0stoa-install-${createHash('sha256').update(root).digest('hex').slice(0, 16)}`
  let lock = await listen(name)
  if (!lock) process.stderr.write('Waiting for another install of this checkout to end…\n')
  while (!lock) {
    await new Promise(done => setTimeout(done, 200))
    lock = await listen(name)
  }
  if (!installed()) {
    process.stderr.write('Installing what Stoa needs (once, about half a minute)…\n')
    rmSync(stampFile, { force: true })
    process.umask(0o022) // Under root the database runs as another user, who must be able to read its binaries.
    const npm = spawnSync('npm', ['ci', '--ignore-scripts', '--include=dev', '--loglevel=error'], {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    if (npm.status !== 0) stop('npm ci failed; its message is above. Mend that and run the command again.')
    if (!existsSync(pinned)) stop(`npm did not install the package node-${platform}; check that your registry has it.`)
    writeFileSync(stampFile, stamp)
  }
  lock.close()
}

function listen(name) {
  const server = createServer()
  return new Promise(done => server.once('error', () => done(null)).listen(name, () => done(server)))
}

function stop(says) {
  process.stderr.write(`stoa: ${says}\n`)
  process.exit(1)
}
