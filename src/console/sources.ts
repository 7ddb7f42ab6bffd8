// Where the console is, and whether what was built is of the present sources.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))
export const SOURCES = join(ROOT, 'console')
export const BUILT = join(SOURCES, 'dist')
/** In the directory of the build: the digest of its sources, then its files, with their sizes. */
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
  try {
    const [digest = '', ...files] = readFileSync(join(BUILT, STAMP), 'utf8').split('\n')
    return files.length > 0 && files.every(isWhole) ? digest : null
  } catch {
    return null
  }
}

function isWhole(line: string): boolean {
  const at = line.indexOf(' ')
  return statSync(join(BUILT, line.slice(at + 1)), ABSENT)?.size === Number(line.slice(0, at))
}

/** The content of the stamp. */
export const stampOf = (digest: string, directory: string): string =>
  [digest, ...filesIn(directory).map(path => `${statSync(path).size} ${relative(directory, path)}`)].join('\n')

const ABSENT = { throwIfNoEntry: false } as const

/** A link that leads nowhere, such as the lock of an editor, is left out. */
function filesIn(directory: string): string[] {
  return readdirSync(directory)
    .filter(name => !NOT_SOURCES.has(name) && !name.endsWith('.test.ts'))
    .sort()
    .map(name => join(directory, name))
    .flatMap(path => {
      const found = statSync(path, ABSENT)
      return found?.isDirectory() ? filesIn(path) : found ? [path] : []
    })
}
