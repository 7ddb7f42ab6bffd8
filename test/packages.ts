// Packages that only one suite needs, in a folder with its own package.json and lock file: they are installed when that
// suite runs, so they are not dependencies of the product.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { accessSync, constants, copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const INSTALL_MS = 5 * 60_000
/** What npm reports if it cannot reach the registry. */
export const UNREACHABLE =
  /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ERR_SOCKET_TIMEOUT)\b/

/** Where they are, or why they are not. */
export type Installed = { directory: string; skip: false } | { directory: ''; skip: string }

export function installPackages(folder: URL): Installed {
  const from = folder.pathname
  const lock = readFileSync(join(from, 'package-lock.json'))
  const digest = createHash('sha256').update(lock).digest('hex').slice(0, 16)
  const directory = join(cacheDirectory(), `packages-${digest}`)
  if (existsSync(directory)) return { directory, skip: false }
  const building = `${directory}-${process.pid}`
  mkdirSync(building, { recursive: true })
  for (const name of ['package.json', 'package-lock.json']) copyFileSync(join(from, name), join(building, name))
  copyFileSync(new URL('../.npmrc', import.meta.url), join(building, '.npmrc'))
  const run = spawnSync('npm', ['ci', '--ignore-scripts'], { cwd: building, encoding: 'utf8', timeout: INSTALL_MS })
  if (run.status !== 0) {
    rmSync(building, { recursive: true, force: true })
    // A lock file that does not match must not look like a missing network.
    if (run.status !== null && !UNREACHABLE.test(run.stderr)) throw new Error(`npm ci failed: ${run.stderr}`)
    const reason = run.stderr?.trim().split('\n').at(-1) ?? String(run.error)
    return {
      directory: '',
      skip: `the packages of ${folder.pathname.split('/').at(-2)} cannot be installed: ${reason}`,
    }
  }
  if (existsSync(directory)) rmSync(building, { recursive: true, force: true })
  else renameSync(building, directory) // Complete or not there, whatever happens meanwhile.
  return { directory, skip: false }
}

/** Beside the other caches, or elsewhere if this user may not write there. */
function cacheDirectory(): string {
  const own = new URL('../node_modules/.cache', import.meta.url).pathname
  try {
    mkdirSync(own, { recursive: true })
    accessSync(own, constants.W_OK)
    return own
  } catch {
    const other = join(tmpdir(), `stoa-packages-${process.getuid?.() ?? 0}`)
    mkdirSync(dirname(join(other, 'x')), { recursive: true, mode: 0o700 })
    return other
  }
}
