// Installs and runs the tools that build the console.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SOURCES } from './sources.ts'

/** They are in the console's own `package.json`, so that a host with a finished build does without. */
export function installTools(): void {
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

export function run(command: string, args: string[]): void {
  const { status, error } = spawnSync(command, args, { cwd: SOURCES, stdio: ['ignore', 'ignore', 'inherit'] })
  if (status === 0) return
  process.stderr.write(
    `stoa: the console could not be built: ${command} ${args[0]} failed${error ? `: ${error.message}` : ''}\n`,
  )
  process.exit(1)
}
