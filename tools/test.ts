// Runs the checks and the tests. With arguments, runs those test files alone.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { sectionsOf } from '../src/host/host.ts'
import { eventsOf } from '../src/kit/events.ts'
import { services } from '../src/services/index.ts'
import { check } from './check.ts'

const CACHE = resolve('node_modules/.cache')
/** Loading the product takes longer than most test files run, so several of a folder share one process. */
const FILES_PER_PROCESS = 6
/** Tests spend about half of their time waiting, for timers and for child processes. */
const PROCESSES = availableParallelism() * 2

/** A file that never ends would otherwise keep the run waiting for ever. */
const RUN_MS = 30 * 60_000
/** More failed processes than these fail for another reason than each other. */
const AGAIN_MAX = 8

const chosen = process.argv.slice(2)
const records = mkdtempSync(join(tmpdir(), 'stoa-record-'))
const faultRecord = join(records, 'faults')
const eventRecord = join(records, 'events')
const caseRecord = join(records, 'cases')
const passRecord = join(records, 'passed')

/** The files to run: the long suites first, each in its own process, then several tests of one folder together. */
async function everyTest(): Promise<string[]> {
  const folders = Map.groupBy(await filesIn('src/**/*.test.ts', 'tools/*.test.ts'), topFolder)
  const together = [...folders.values()].flatMap(files => chunks(files, FILES_PER_PROCESS))
  const alone = (await filesIn('test/*.test.ts')).map(file => [file])
  return entriesFor([...alone, ...together])
}

/** Writes an entry file for each process, which imports its test files. */
function entriesFor(processes: readonly string[][]): string[] {
  const directory = join(CACHE, 'tests')
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(directory, { recursive: true })
  return processes.map((files, n) => {
    const entry = join(directory, `${String(n).padStart(3, '0')}.mjs`)
    writeFileSync(entry, entryText(files))
    return entry
  })
}

/** Node ends a run when every test it knows of has ended, so one test waits until all files are loaded. A process that exits
 *  before its tests have ended, with whatever code, has not passed. */
function entryText(files: readonly string[]): string {
  const urls = files.map(file => pathToFileURL(file).href)
  return [
    "import { appendFileSync } from 'node:fs'",
    "import { after, test } from 'node:test'",
    'const { promise, resolve } = Promise.withResolvers()',
    'let isDone = false',
    "process.on('exit', code => {",
    '  if (!isDone) process.exitCode = 1',
    `  else if (code === 0) appendFileSync(process.env.STOA_TEST_PASSED, import.meta.filename + '\\n')`,
    '})',
    "test('every file of this process is loaded', () => promise)",
    // What the file had started by then would keep the process from ending.
    'const fail = error => { console.error(error); process.exit(1) }',
    `for (const url of ${JSON.stringify(urls)}) await import(url).catch(fail)`,
    'after(() => { isDone = true })', // Registered last, so that it runs after the hooks of the files.
    'resolve()',
    '',
  ].join('\n')
}

async function filesIn(...patterns: string[]): Promise<string[]> {
  const found: string[] = []
  for await (const file of glob(patterns)) found.push(file)
  return found.sort()
}

/** `src/services/risk` for everything below it. */
function topFolder(file: string): string {
  const parts = dirname(file).split('/')
  return parts.slice(0, parts[1] === 'services' ? 3 : 2).join('/')
}

function chunks<T>(all: readonly T[], size: number): T[][] {
  const count = Math.ceil(all.length / size)
  return Array.from({ length: count }, (_, n) => all.filter((_, at) => at % count === n))
}

function linesIn(record: string): string[] {
  return existsSync(record) ? readFileSync(record, 'utf8').trim().split('\n') : []
}

/** Faults and events that a declaration names and no test of this run produced. */
function unproven(): string[] {
  const [raised, emitted] = [new Set(linesIn(faultRecord)), new Set(linesIn(eventRecord))]
  const faults = sectionsOf(services)
    .flatMap(({ operations }) => Object.entries(operations))
    .flatMap(([id, { faults }]) => faults.map(code => `${id} ${code}`))
    .filter(line => !raised.has(line))
  const events = [...eventsOf(services).keys()].filter(subject => !emitted.has(subject))
  return [...faults.map(line => `fault: ${line}`), ...events.map(subject => `event: ${subject}`)]
}

function run(files: string[], processes: number): void {
  const flags = [
    `--test-concurrency=${processes}`,
    '--test-global-setup=test/setup.ts',
    '--test-timeout=600000', // For a machine that is busy; a test that hangs fails all the same.
  ]
  spawnSync(process.execPath, ['--test', ...flags, ...files], {
    stdio: 'inherit',
    timeout: RUN_MS,
    env: {
      ...process.env,
      STOA_TEST_FAULTS: faultRecord,
      STOA_TEST_EVENTS: eventRecord,
      STOA_TEST_CASES: caseRecord,
      STOA_TEST_PASSED: passRecord,
      NODE_COMPILE_CACHE: join(CACHE, 'compile'),
    },
  })
}

/** The processes that did not pass. */
function failedOf(entries: readonly string[]): string[] {
  const passed = new Set(linesIn(passRecord))
  return entries.filter(entry => !passed.has(entry))
}

/** Runs the tests side by side. What fails then is run again by itself: a deadline that is missed only beside others says
 *  that the machine was busy, and a fault fails again. */
function runAll(entries: string[]): number {
  run(entries, PROCESSES)
  const failed = failedOf(entries)
  if (failed.length === 0 || failed.length > AGAIN_MAX || entries.length === 1) return failed.length
  say(`${failed.length} of ${entries.length} processes failed. They are run again, one after the other.`)
  run(failed, 1)
  const still = failedOf(failed).length
  say(still === 0 ? 'Passed by themselves; see above for what failed beside others.' : `${still} failed again.`)
  return still
}

function say(text: string): void {
  process.stderr.write(`${text}\n`)
}

let failed = chosen.length === 0 && !check() ? 1 : 0
failed ||= runAll(chosen.length > 0 ? entriesFor(chosen.map(file => [file])) : await everyTest())
if (!failed && chosen.length === 0) {
  const missing = unproven()
  for (const line of missing) say(`No test produced a declared ${line}`)
  failed = missing.length
}
const counts = linesIn(caseRecord).map(Number)
if (counts.length > 0) say(`${counts.reduce((sum, count) => sum + count)} cases in ${counts.length} table tests`)
rmSync(records, { recursive: true, force: true })
process.exitCode = failed ? 1 : 0
