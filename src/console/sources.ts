// Where the console is, and whether what was built is of the present sources.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))
export const SOURCES = join(ROOT, 'console')
export const BUILT = join(SOURCES, 'dist')
/** In the directory of the build: the digest of its sources. */
export const STAMP = 'sources.txt'

const NOT_SOURCES = new Set(['node_modules', 'dist', 'dist.new', 'dist.old'])

export function sourcesDigest(): string {
  const hash = createHash('sha256')
  for (const path of [...filesIn(SOURCES), join(ROOT, 'client/stoa.js')]) {
    hash.update(`${relative(ROOT, path)}\0`).update(readFileSync(path))
  }
  return hash.digest('hex')
}

/** Without the sources, as in a container, what was built is what there is. */
export const isBuilt = () =>
  builtDigest() === (existsSync(join(SOURCES, 'package.json')) ? sourcesDigest() : builtDigest())

/** Null if there is no build, or not a whole one. */
export function builtDigest(): string | null {
  const stamp = join(BUILT, STAMP)
  return existsSync(stamp) && existsSync(join(BUILT, 'index.html')) ? readFileSync(stamp, 'utf8') : null
}

function filesIn(directory: string): string[] {
  return readdirSync(directory)
    .filter(name => !NOT_SOURCES.has(name) && !name.endsWith('.test.ts'))
    .sort()
    .map(name => join(directory, name))
    .flatMap(path => (statSync(path).isDirectory() ? filesIn(path) : [path]))
}
