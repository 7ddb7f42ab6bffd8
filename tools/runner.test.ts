// Tests of the test runner, with test files that depend on each other, fail, or end their process.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { passedAlone, timesTable } from './test/report.ts'
import { type FileResult, type RunOptions, run } from './test/run.ts'

const file = (name: string) => `tools/test/specimen/${name}.test.ts`
const [FIRST, SECOND, FAILING, EXITING, LATE, OPEN] = ['first', 'second', 'failing', 'exiting', 'late', 'open'].map(
  file,
) as [string, string, string, string, string, string]
const runQuietly = (files: string[], options: Partial<RunOptions> = {}) =>
  run(files, { processes: 1, workMs: 60_000, needsSetup: false, isQuiet: true, ...options })
const passedOf = (results: Map<string, FileResult>) => [...results].map(([, { isPassed }]) => isPassed)

describe('a test that fails in parallel and passes alone', () => {
  const beside = runQuietly([FIRST, SECOND])
  const alone = runQuietly([SECOND], { workMs: 0 })

  it('fails the first time, and with it only its file', () => {
    assert.deepEqual([passedOf(beside), passedOf(alone)], [[true, false], [true]])
  })

  it('is listed by name with both outputs', () => {
    const [text = '', ...more] = passedAlone(beside, alone)
    assert.deepEqual(more, [], 'the test that passed both times is not listed')
    const [name, ...rest] = text.split('\n')
    assert.equal(name, `${SECOND} > a process > has no names of others`)
    const [before, after] = rest.join('\n').split(/^ {2}alone, passed after \d+ ms$/m)
    assert.match(before ?? '', /in parallel, failed after \d+ ms\n {4}AssertionError[\s\S]*something was left behind/)
    assert.match(after ?? '', /nothing was left behind/)
    assert.doesNotMatch(after ?? '', /Error/)
  })

  it('has outputs of bounded length', () => {
    const printed = 'x'.repeat(100_000)
    const long = (results: Map<string, FileResult>) =>
      new Map([...results].map(([name, result]) => [name, { ...result, printed }]))
    assert.ok((passedAlone(long(beside), long(alone))[0] ?? printed).length < 12_000)
  })
})

describe('a file', () => {
  it('that always fails is not listed as one that passed alone', () => {
    const results = runQuietly([FAILING])
    assert.deepEqual([passedOf(results), passedAlone(results, results)], [[false], []])
    assert.deepEqual([...(results.get(FAILING)?.tests.keys() ?? [])].sort(), ['', 'fails', 'passes'])
  })

  it('whose process exits has not passed, and another process continues', () => {
    assert.deepEqual(passedOf(runQuietly([EXITING, SECOND])), [false, true])
  })

  it('that leaves a server open has not passed, and the run ends', () => {
    assert.deepEqual(passedOf(runQuietly([OPEN], { leftOpenMs: 500 })), [false])
  })

  it('whose process fails although its tests pass has not passed', () => {
    assert.deepEqual(passedOf(runQuietly([LATE])), [false])
  })

  it('that cannot be loaded has not passed', () => {
    assert.deepEqual(passedOf(runQuietly([file('missing'), FIRST])), [false, true])
  })
})

it('reports slow files and the time to start hosts', () => {
  const ended = { isPassed: true, tests: new Map(), printed: '' }
  const results = new Map([
    ['quick', { ...ended, ms: 1_000, cpuMs: 500 }],
    ['slow', { ...ended, ms: 9_000, cpuMs: 4_000 }],
  ])
  const [, ...rows] = timesTable(results, [{ ms: 300, cpuMs: 200 }]).split('\n')
  assert.deepEqual(
    rows.map(row => row.trim().split(/ {2,}(?=\S)/)),
    [
      ['9.0', '4.0', 'slow'],
      ['1.0', '0.5', 'quick'],
      ['10.0', '4.5', 'all 2 files'],
      ['0.3', '0.2', 'of which starting 1 hosts'],
    ],
  )
})
