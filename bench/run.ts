// Runs all benchmarks or those named, and prints the results: `npm run bench`, `npm run bench -- bearer`. Exits with 1
// when a target is missed.
import { globSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Bench, type Finding, measure, type OwnBench } from './harness.ts'

const HEADINGS = ['benchmark', 'subject', 'control', 'ratio (CPU)', 'q1..q3', 'ratio (wall)', 'target', 'verdict']
const SUFFIX = '.bench.ts'

async function run(chosen: string[]): Promise<boolean> {
  const files = globSync(`*${SUFFIX}`, { cwd: import.meta.dirname }).sort()
  const names = files.map(file => basename(file, SUFFIX))
  const unknown = chosen.filter(name => !names.includes(name))
  if (unknown.length > 0) throw new Error(`unknown benchmark ${unknown.join(', ')}; available: ${names.join(', ')}`)

  const findings: Finding[] = []
  for (const name of chosen.length > 0 ? chosen : names) {
    const { href } = pathToFileURL(join(import.meta.dirname, name + SUFFIX))
    const benches = Object.values((await import(href)) as Record<string, Bench | OwnBench>)
    for (const bench of benches) findings.push(...(await ('measure' in bench ? bench.measure() : measure(bench))))
  }
  process.stdout.write(`\n${table([HEADINGS, ...findings.map(cellsOf)])}\n\n`)
  process.stdout.write(`node ${process.version}, ${process.arch}, ${availableParallelism()} cores\n`)
  return findings.every(finding => finding.met)
}

function cellsOf(finding: Finding): string[] {
  const { title, subject, control, cpu, wall, target, unit = 'us' } = finding
  return [
    title,
    `${subject.name}, ${subject.cpuUs.toFixed(1)} ${unit}`,
    `${control.name}, ${control.cpuUs.toFixed(1)} ${unit}`,
    cpu.median.toFixed(3),
    `${cpu.q1.toFixed(3)}..${cpu.q3.toFixed(3)}`,
    wall.median.toFixed(3),
    `>= ${target}`,
    verdictOf(finding),
  ]
}

/** The verdict is by the median of all rounds. If the target is between the quartiles, another run may have a different
 *  result. */
function verdictOf({ cpu, target, met }: Finding): string {
  const verdict = met ? 'met' : 'missed'
  return cpu.q1 <= target && target <= cpu.q3 ? `${verdict} (within spread)` : verdict
}

function table(rows: string[][]): string {
  const widths = HEADINGS.map((_, at) => Math.max(...rows.map(row => row[at]!.length)))
  const line = (row: string[]) => row.map((cell, at) => cell.padEnd(widths[at]!)).join(' | ')
  const [head, ...rest] = rows.map(line)
  return [head, widths.map(width => '-'.repeat(width)).join('-|-'), ...rest].join('\n')
}

try {
  process.exitCode = (await run(process.argv.slice(2))) ? 0 : 1
} catch (error) {
  process.stderr.write(`bench: ${(error as Error).message}\n`)
  process.exitCode = 1
}
