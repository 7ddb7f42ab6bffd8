// Runs the checks and the tests. With arguments, runs only those test files.
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { sectionsOf } from '../src/host/host.ts'
import { eventsOf } from '../src/kit/events.ts'
import { services } from '../src/services/index.ts'
import { check } from './check.ts'
import { passedAlone, type Results, timesTable } from './test/report.ts'
import { CACHE, run } from './test/run.ts'

/** Tests spend about half of their time waiting, for timers and for child processes. */
const PROCESSES = availableParallelism() * 2
/** Loading the product takes longer than most test files run, so files share a process. It ends after a while, because
 *  some tests leave things in memory. */
const WORK_MS = 90_000
/** If more files than these fail, they do not fail because of each other. */
const AGAIN_MAX = 8

const chosen = process.argv.slice(2)
const records = mkdtempSync(join(tmpdir(), 'stoa-record-'))
const env = {
  STOA_TEST_FAULTS: join(records, 'faults'),
  STOA_TEST_EVENTS: join(records, 'events'),
  STOA_TEST_CASES: join(records, 'cases'),
  STOA_TEST_HOSTS: join(records, 'hosts'),
}
const TIMES = join(CACHE, 'test-times.json')

/** All test files, those that took longest in the last run first, so that no process ends long after the others. */
async function everyTest(): Promise<string[]> {
  const known: Record<string, number> = existsSync(TIMES) ? JSON.parse(readFileSync(TIMES, 'utf8')) : {}
  // The suites over all operations take long; for the others, the file size is an estimate.
  const guessMs = (file: string) => statSync(file).size * (file.startsWith('test/') ? 10 : 1)
  const files: [file: string, ms: number][] = []
  for await (const file of glob(['src/**/*.test.ts', 'tools/*.test.ts', 'test/*.test.ts'])) {
    files.push([file, known[file] ?? guessMs(file)])
  }
  return files.sort(([, a], [, b]) => b - a).map(([file]) => file)
}

function linesIn(record: string): string[] {
  return existsSync(record) ? readFileSync(record, 'utf8').trim().split('\n') : []
}

/** Faults and events that are declared but were not produced by any test of this run. */
function unproven(): string[] {
  const [raised, emitted] = [new Set(linesIn(env.STOA_TEST_FAULTS)), new Set(linesIn(env.STOA_TEST_EVENTS))]
  const faults = sectionsOf(services)
    .flatMap(({ operations }) => Object.entries(operations))
    .flatMap(([id, { faults }]) => faults.map(code => `${id} ${code}`))
    .filter(line => !raised.has(line))
  const events = [...eventsOf(services).keys()].filter(subject => !emitted.has(subject))
  return [...faults.map(line => `fault: ${line}`), ...events.map(subject => `event: ${subject}`)]
}

const failedIn = (results: Results) => [...results].filter(([, { isPassed }]) => !isPassed).map(([file]) => file)

/** Runs the tests in parallel. Failed files are run again by themselves: a deadline that is missed only in parallel
 *  means that the machine was busy, and a defect fails again. Returns the number of failed files. */
function runAll(files: string[], workMs: number): number {
  const first = run(files, { processes: PROCESSES, workMs, needsSetup: true, env })
  if (workMs > 0) {
    const hosts = linesIn(env.STOA_TEST_HOSTS).map(line => JSON.parse(line))
    say(timesTable(first, hosts))
    writeFileSync(TIMES, JSON.stringify(Object.fromEntries([...first].map(([file, { ms }]) => [file, Math.round(ms)]))))
  }
  const failed = failedIn(first)
  if (failed.length === 0 || failed.length > AGAIN_MAX || files.length === 1) return failed.length
  say(`${failed.length} of ${files.length} files failed. They are run again, one after the other.`)
  const second = run(failed, { processes: 1, workMs: 0, needsSetup: true, env })
  const unreliable = passedAlone(first, second)
  if (unreliable.length > 0) say(`Failed in parallel and passed alone:\n\n${unreliable.join('\n\n')}\n`)
  const still = failedIn(second)
  if (still.length > 0) say(`Failed again: ${still.join(', ')}`)
  return still.length
}

function say(text: string): void {
  process.stderr.write(`${text}\n`)
}

let failed = chosen.length === 0 && !check() ? 1 : 0
failed ||= chosen.length > 0 ? runAll(chosen, 0) : runAll(await everyTest(), WORK_MS)
if (!failed && chosen.length === 0) {
  const missing = unproven()
  for (const line of missing) say(`No test produced a declared ${line}`)
  failed = missing.length
}
const counts = linesIn(env.STOA_TEST_CASES).map(Number)
if (counts.length > 0) say(`${counts.reduce((sum, count) => sum + count)} cases in ${counts.length} table tests`)
rmSync(records, { recursive: true, force: true })
process.exitCode = failed ? 1 : 0
