// Runs the checks and the tests. With arguments, runs those test files alone.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { sectionsOf } from '../src/host/host.ts'
import { services } from '../src/services/index.ts'
import { check } from './check.ts'

const chosen = process.argv.slice(2)
const record = join(mkdtempSync(join(tmpdir(), 'stoa-record-')), 'faults')

async function everyTest(): Promise<string[]> {
  const found: string[] = []
  for await (const file of glob(['src/**/*.test.ts', 'test/*.test.ts', 'tools/*.test.ts'])) found.push(file)
  return found.sort()
}

/** Every fault a declaration names must have been produced by some test of this run. */
function unproven(): string[] {
  const produced = new Set(existsSync(record) ? readFileSync(record, 'utf8').trim().split('\n') : [])
  return sectionsOf(services)
    .flatMap(({ operations }) => Object.entries(operations))
    .flatMap(([id, { faults }]) => faults.map(code => `${id} ${code}`))
    .filter(line => !produced.has(line))
}

function run(files: string[]): number {
  const { status } = spawnSync(
    process.execPath,
    ['--test', '--test-concurrency=2', '--test-global-setup=test/setup.ts', '--test-timeout=300000', ...files],
    {
      stdio: 'inherit',
      env: { ...process.env, STOA_TEST_RECORD: record, NODE_COMPILE_CACHE: resolve('node_modules/.cache/compile') },
    },
  )
  return status ?? 1
}

function say(text: string): void {
  process.stderr.write(`${text}\n`)
}

let failed = chosen.length === 0 && !check() ? 1 : 0
failed ||= run(chosen.length > 0 ? chosen : await everyTest())
if (!failed && chosen.length === 0) {
  const missing = unproven()
  for (const line of missing) say(`No test produced a fault that is declared: ${line}`)
  failed = missing.length
}
rmSync(join(record, '..'), { recursive: true, force: true })
process.exitCode = failed ? 1 : 0
