// Serves the console at `/`. It is built in the background if that is due; until then a page says so.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { FindFile } from '../host/files.ts'
import { openSite, type Site, statusPage } from '../host/site.ts'
import { BUILT, builtDigest, isBuilt, SOURCES } from './sources.ts'

export type Console = { find: FindFile; close(): void }

/** `build`: whether to build it if that is due. `say` logs what happens. */
export function openConsole(build: boolean, say: (text: string) => void, fail: (text: string) => void): Console {
  let site: Site | null = null
  let status = build ? BUILDING : NOT_BUILT
  const serve = () => {
    try {
      site = openSite(BUILT)
    } catch (error) {
      status = FAILED
      fail(`the console cannot be served: ${(error as Error).message}`)
    }
  }
  if (builtDigest() !== null) serve()
  const child = build && existsSync(SOURCES) && isDue() ? start() : null

  /** Not if the sources cannot be read: the API works without the console. */
  function isDue(): boolean {
    try {
      return !isBuilt()
    } catch (error) {
      status = FAILED
      fail(`the sources of the console cannot be read: ${(error as Error).message}`)
      return false
    }
  }

  /** A former build is served until the new one is there. */
  function start() {
    say('building the console')
    const script = fileURLToPath(new URL('build.ts', import.meta.url))
    // A process group of its own, so that npm ends with it.
    const running = spawn(process.execPath, [script], { stdio: ['ignore', 'ignore', 'pipe'], detached: true })
    let output = ''
    running.stderr.setEncoding('utf8').on('data', text => {
      output = (output + text).slice(0, OUTPUT_MAX)
    })
    running.on('error', error => fail(`the console could not be built: ${error.message}`))
    running.on('exit', code => {
      if (code === 0) {
        serve()
        say('the console is built')
      } else if (code !== null) {
        status = FAILED
        fail(`the console could not be built; the API is not affected:\n${output.trim()}`)
      }
    })
    running.unref()
    return running
  }

  return {
    find: (method, path, headers) => (site ? site(method, path, headers) : statusPage(method, path, status)),
    close: () => {
      if (child?.pid && child.exitCode === null && child.signalCode === null) process.kill(-child.pid, 'SIGTERM')
    },
  }
}

/** The first of what npm prints says why. */
const OUTPUT_MAX = 1_000

const BUILDING = {
  title: 'The console is being built',
  says: 'This takes about a quarter of a minute, once. This page reloads by itself. The API works already.',
  again: true,
}
const NOT_BUILT = {
  title: 'The console is not built',
  says: 'Run `npm run build` in the directory of Stoa, and start it again. The API works.',
  again: false,
}
const FAILED = {
  title: 'The console could not be built',
  says: 'The log of Stoa says why. Run `npm run build` to try again. The API works.',
  again: false,
}
