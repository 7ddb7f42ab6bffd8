// Runs test files in several processes and reports the outcome of each test.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

/** The state shared by the processes of a run. A process claims files until it has worked for this long. */
export type Queue = { files: readonly string[]; workMs: number; leftOpenMs: number }

/** The outcome of a test: its path consists of the file, the suites and the test. An error is empty if only nested tests
 *  failed. */
export type Outcome = { path: string[]; ms: number; error?: string }

/** A process's report about itself: a file has started or ended, its output, or, without a file, that the process ended
 *  without an error. */
export type Progress = { file?: string; printed?: string; ms?: number; cpuMs?: number }

type OfEntry = Progress & { entry: string }

export type Ended = { ms: number; error?: string }
export type FileResult = {
  isPassed: boolean
  /** By the names of the suites and of the test. */
  tests: Map<string, Ended>
  printed: string
  ms: number
  cpuMs: number
}

export type RunOptions = {
  processes: number
  /** After this time a process ends and another one continues. 0: every file has its own process. */
  workMs: number
  /** How long a process may go on after its last test, if something was left open. */
  leftOpenMs?: number
  /** Whether the tests need the database that `test/setup.ts` starts. */
  needsSetup: boolean
  /** Prints nothing while it runs. */
  isQuiet?: boolean
  env?: Record<string, string>
}

/** A file that never ends would otherwise block the run forever. */
const RUN_MS = 30 * 60_000
/** Long enough for a busy machine; a hanging test fails all the same. */
const TEST_MS = 600_000
const LEFT_OPEN_MS = 20_000
/** Enough for a machine that is four times as slow as ours. Processes that find no file left end immediately. */
const ENTRIES_MAX = 32

export const CACHE = resolve('node_modules/.cache')
const HERE = import.meta.dirname

export function run(files: readonly string[], options: RunOptions): Map<string, FileResult> {
  mkdirSync(CACHE, { recursive: true })
  const directory = mkdtempSync(join(tmpdir(), 'stoa-queue-'))
  const outcomes = join(directory, 'outcomes')
  const queue: Queue = { files, workMs: options.workMs, leftOpenMs: options.leftOpenMs ?? LEFT_OPEN_MS }
  writeFileSync(join(directory, 'queue.json'), JSON.stringify(queue))
  const { NODE_TEST_CONTEXT: _, ...inherited } = process.env // Within a test, it would make Node run nothing.
  const flags = [
    `--test-concurrency=${options.processes}`,
    `--test-timeout=${TEST_MS}`,
    ...(options.needsSetup ? ['--test-global-setup=test/setup.ts'] : []),
    ...['--test-reporter=spec', '--test-reporter-destination=stdout'],
    ...[`--test-reporter=${join(HERE, 'reporter.ts')}`, `--test-reporter-destination=${outcomes}`],
  ]
  spawnSync(process.execPath, ['--test', ...flags, ...entriesFor(directory, files.length, options)], {
    stdio: options.isQuiet ? 'ignore' : 'inherit',
    timeout: RUN_MS,
    env: { ...inherited, ...options.env, STOA_TEST_QUEUE: directory, NODE_COMPILE_CACHE: join(CACHE, 'compile') },
  })
  const result = resultsOf(files, linesIn(outcomes), linesIn(join(directory, 'progress')))
  rmSync(directory, { recursive: true })
  return result
}

/** Writes the start file of each process. The last processes work until no file is left. */
function entriesFor(directory: string, files: number, { processes, workMs }: RunOptions): string[] {
  mkdirSync(join(directory, 'entries'))
  const count = workMs === 0 ? files : Math.min(files, ENTRIES_MAX)
  return Array.from({ length: count }, (_, n) => {
    const entry = join(directory, 'entries', `${String(n).padStart(3, '0')}.mjs`)
    const isLast = workMs > 0 && n >= count - processes
    const worker = JSON.stringify(pathToFileURL(join(HERE, 'worker.ts')).href)
    writeFileSync(entry, `import { work } from ${worker}\nawait work(import.meta.filename, ${isLast})\n`)
    return entry
  })
}

function linesIn<T>(file: string): T[] {
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines.filter(line => line !== '').map(line => JSON.parse(line))
}

function resultsOf(files: readonly string[], outcomes: Outcome[], progress: OfEntry[]): Map<string, FileResult> {
  const results = new Map<string, FileResult>(
    files.map(file => [file, { isPassed: false, tests: new Map(), printed: '', ms: 0, cpuMs: 0 }]),
  )
  for (const { path, ms, error } of outcomes) {
    const [file = '', ...names] = path
    const result = results.get(file)
    if (!result) continue
    result.tests.set(names.join(' > '), { ms, ...(error !== undefined && { error }) })
    if (names.length === 0) result.isPassed = error === undefined
  }
  for (const { file = '', printed = '', ms, cpuMs } of progress) {
    const result = results.get(file)
    if (!result) continue
    result.printed += printed
    Object.assign(result, { ms: ms ?? result.ms, cpuMs: cpuMs ?? result.cpuMs })
  }
  for (const failed of unclean(progress, results)) failed.isPassed = false
  return results
}

/** The results of processes that ended with an error although all tests of their files passed. */
function unclean(progress: OfEntry[], results: Map<string, FileResult>): FileResult[] {
  return [...Map.groupBy(progress, ({ entry }) => entry).values()].flatMap(lines => {
    const own = lines.flatMap(({ file }) => results.get(file ?? '') ?? [])
    const isClean = lines.some(({ file }) => file === undefined)
    return isClean || own.some(({ isPassed }) => !isPassed) ? [] : own
  })
}
