// The end of a run's output: tests that failed in parallel and passed alone, and the slowest parts.
import type { Ended, FileResult } from './run.ts'

export type Results = Map<string, FileResult>

const SLOWEST = 15
/** The limit of each output; the full output is above. */
const OUTPUT_MAX = 3_000

/** Each test that failed in the first run and passed in the second, with both outputs. */
export function passedAlone(first: Results, second: Results): string[] {
  return [...second].flatMap(([file, alone]) => {
    const beside = first.get(file) as FileResult
    const failed = [...beside.tests].filter(([, { error }]) => error)
    // If the process ended during the file, the test is unknown.
    const named = failed.length > 0 ? failed : [['', { ms: beside.ms, error: 'The process ended.' }] as [string, Ended]]
    return named
      .filter(([name]) => alone.isPassed || alone.tests.get(name)?.error === undefined)
      .map(([name, { ms, error = '' }]) => {
        const passed = alone.tests.get(name)
        return [
          name === '' ? file : `${file} > ${name}`,
          section(`in parallel, failed after ${Math.round(ms)} ms`, error, beside.printed),
          section(`alone, passed after ${Math.round(passed?.ms ?? alone.ms)} ms`, '', alone.printed),
        ].join('\n')
      })
  })
}

function section(title: string, error: string, printed: string): string {
  const texts = [error, printed && `The file printed:\n${printed}`, !error && !printed && 'The file printed nothing.']
  const lines = texts.flatMap(text => (text ? bounded(text).split('\n') : []))
  return [`  ${title}`, ...lines.map(line => `    ${line}`)].join('\n')
}

function bounded(text: string): string {
  const trimmed = text.trimEnd()
  return trimmed.length > OUTPUT_MAX ? `${trimmed.slice(0, OUTPUT_MAX)}… (${trimmed.length} characters)` : trimmed
}

/** The slowest files, and what starting hosts took. `hosts` are the durations in milliseconds, elapsed and of the CPU. */
export function timesTable(results: Results, hosts: readonly { ms: number; cpuMs: number }[]): string {
  const slowest = [...results].sort(([, a], [, b]) => b.ms - a.ms).slice(0, SLOWEST)
  const row = (ms: number, cpuMs: number, what: string) => `${seconds(ms)} ${seconds(cpuMs)}  ${what}`
  const all = [...results.values()]
  return [
    'elapsed     CPU  (seconds; without those of PostgreSQL and other child processes)',
    ...slowest.map(([file, { ms, cpuMs }]) => row(ms, cpuMs, file)),
    row(sum(all, 'ms'), sum(all, 'cpuMs'), `all ${all.length} files`),
    row(sum(hosts, 'ms'), sum(hosts, 'cpuMs'), `of which starting ${hosts.length} hosts`),
  ].join('\n')
}

const seconds = (ms: number) => (ms / 1_000).toFixed(1).padStart(7)
const sum = <K extends string>(all: readonly Record<K, number>[], field: K) =>
  all.reduce((total, one) => total + one[field], 0)
