// Node 20, the oldest version that the client supports. It is not a dependency of Stoa, so it is installed into the cache.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const VERSION = '20.20.2'

/** Its path, or why it is not there. */
export function node20(): { path: string; skip: false } | { path: null; skip: string } {
  const name = `node-${process.platform}-${process.arch}`
  const directory = resolve('node_modules/.cache', `node-${VERSION}`)
  const path = join(directory, 'node_modules', name, 'bin', 'node')
  if (existsSync(path)) return { path, skip: false }
  mkdirSync(directory, { recursive: true })
  writeFileSync(join(directory, 'package.json'), '{"private":true}')
  const options = ['--ignore-scripts', '--no-save', '--no-audit', '--no-fund', '--loglevel=error']
  const { stderr } = spawnSync('npm', ['install', ...options, `${name}@${VERSION}`], {
    cwd: directory,
    encoding: 'utf8',
    timeout: 120_000,
  })
  if (existsSync(path)) return { path, skip: false }
  return { path: null, skip: `npm cannot install ${name}@${VERSION}: ${stderr.trim().split('\n')[0] ?? 'no answer'}` }
}
