// `npm run build`: builds the console if its sources changed. A host does the same in the background, in a process of its own.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { brotliCompressSync } from 'node:zlib'
import { lockName } from '../engines/db/embedded/lock.ts'
import { BUILT, isBuilt, SOURCES, STAMP, sourcesDigest } from './sources.ts'

const FRESH = `${BUILT}.new`
const FORMER = `${BUILT}.old`
const COMPRESSED = /\.(js|css|svg|html)$/

// Several hosts of a checkout may start together.
let release = await lockName(SOURCES)
while (!release) {
  await wait(200)
  release = await lockName(SOURCES)
}
if (!isBuilt()) {
  install()
  build()
}
release()

/** The tools of the build are in the console's own `package.json`, so that a host with a finished build does without. */
function install(): void {
  const packages = join(SOURCES, 'node_modules')
  const stamp = join(packages, 'installed.txt')
  const wanted = createHash('sha256')
    .update(readFileSync(join(SOURCES, 'package-lock.json')))
    .digest('hex')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  // Not `npm ci`: it refuses the lock file of rolldown, some of whose platform packages not all registries have.
  run('npm', ['install', '--no-save', '--include=dev', '--ignore-scripts', '--loglevel=error'])
  writeFileSync(stamp, wanted)
}

/** Into another directory, which then replaces the former build. */
function build(): void {
  const digest = sourcesDigest()
  rmSync(FRESH, { recursive: true, force: true })
  run(process.execPath, ['node_modules/vite/bin/vite.js', 'build', '--outDir', FRESH, '--logLevel', 'warn'])
  for (const name of readdirSync(FRESH, { recursive: true, encoding: 'utf8' })) {
    const path = join(FRESH, name)
    if (COMPRESSED.test(name)) writeFileSync(`${path}.br`, brotliCompressSync(readFileSync(path)))
  }
  writeFileSync(join(FRESH, STAMP), digest)
  rmSync(FORMER, { recursive: true, force: true })
  if (existsSync(BUILT)) renameSync(BUILT, FORMER)
  renameSync(FRESH, BUILT)
  rmSync(FORMER, { recursive: true, force: true })
}

function run(command: string, args: string[]): void {
  const { status, error } = spawnSync(command, args, { cwd: SOURCES, stdio: ['ignore', 'ignore', 'inherit'] })
  if (status === 0) return
  process.stderr.write(
    `stoa: the console could not be built: ${command} ${args[0]} failed${error ? `: ${error.message}` : ''}\n`,
  )
  process.exit(1)
}
