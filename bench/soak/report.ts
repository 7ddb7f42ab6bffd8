// The results of the soak: times of the ordinary tenant with the hostile load elsewhere and here, and memory.
import type { Metrics } from './hosts.ts'
import type { Outcome } from './ordinary.ts'

export type Side = 'control' | 'subject'
export type Measured = Outcome & { side: Side }

const SLOWEST = 10

/** The value that the given part of all values do not exceed. */
export function quantile(values: number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? Number.NaN
}

/** A line for each kind of request, and one for all of them together. */
export function timesTable(all: Measured[]): string {
  const kinds = [...new Set(all.map(({ kind }) => kind))].sort()
  const rows = kinds.map(kind =>
    timesRow(
      kind,
      all.filter(one => one.kind === kind),
    ),
  )
  const headings = ['requests', 'control', 'subject', 'not 2xx', 'p50 control', 'p50 subject']
  return table([
    [...headings, 'p99 control', 'p99 subject', 'max control', 'max subject', 'p99 ratio'],
    ...rows,
    timesRow('all without sign-in', all.filter(isRequest)),
  ])
}

/** A sign-in is several requests and a password hash, far slower than the rest; its times are a line of their own. */
export const isRequest = ({ kind }: Outcome) => kind !== 'sign-in'

function timesRow(name: string, all: Measured[]): string[] {
  const [control, subject] = [timesOf(all, 'control'), timesOf(all, 'subject')]
  const both = (part: number) => [control, subject].map(times => `${quantile(times, part).toFixed(1)} ms`)
  const failed = all.filter(({ ok }) => !ok).length
  const counts = [control.length, subject.length, failed].map(String)
  return [name, ...counts, ...both(0.5), ...both(0.99), ...both(1), ratioOf(all).toFixed(2)]
}

const timesOf = (all: Measured[], side: Side) => all.filter(one => one.side === side).map(({ ms }) => ms)

export const ratioOf = (all: Measured[]) =>
  quantile(timesOf(all, 'subject'), 0.99) / quantile(timesOf(all, 'control'), 0.99)

/** Every request that failed and the slowest ones of each side, with the time that the host logged for it. */
export function notable(all: Measured[], log: string[]): string {
  const slowest = (['control', 'subject'] as const).flatMap(side =>
    all
      .filter(one => one.side === side && one.ok && isRequest(one))
      .sort((a, b) => b.ms - a.ms)
      .slice(0, SLOWEST),
  )
  const chosen = [...all.filter(({ ok }) => !ok), ...slowest]
  const logged = loggedMs(chosen, log)
  return chosen
    .map(one => {
      const host = logged.get(one.requestId ?? '')
      const times = `${one.ms.toFixed(0)} ms${host === undefined ? '' : `, ${host} ms in the host's log`}`
      return `  ${one.at.toISOString()} ${one.side} ${one.kind}: ${one.status}, ${times} ${one.says}`
    })
    .join('\n')
}

function loggedMs(chosen: Outcome[], log: string[]): Map<string, number> {
  const ids = new Set(chosen.map(({ requestId }) => requestId))
  const lines = log.filter(line => ids.has(line.match(/"request":"([^"]+)"/)?.[1] ?? ''))
  return new Map(lines.map(line => JSON.parse(line)).map(({ request, ms }) => [request, ms]))
}

const MEMORY = {
  resident: 'process_resident_memory_bytes',
  heap: 'nodejs_heap_size_used_bytes',
  external: 'nodejs_external_memory_bytes',
}
type Name = keyof typeof MEMORY
const NAMES = Object.keys(MEMORY) as Name[]
export type Memory = Record<Name, number>

const each = (bytes: (name: Name) => number) => Object.fromEntries(NAMES.map(name => [name, bytes(name)])) as Memory

export const memoryOf = (metrics: Metrics): Memory => each(name => metrics.get(MEMORY[name]) ?? Number.NaN)

export const reduced = (all: Memory[], choose: (...values: number[]) => number): Memory =>
  each(name => choose(...all.map(one => one[name])))

/** At the start, the most in the first round of control and subject and in the whole run, and after the rest. */
export type MemoryOverTime = { base: Memory; firstRound: Memory; most: Memory; rested: Memory }

export function memoryTable({ base, firstRound, most, rested }: MemoryOverTime): string {
  const mb = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`
  const rows = NAMES.map(name => [
    name,
    ...[base, firstRound, most, rested].map(one => mb(one[name])),
    (rested[name] / base[name]).toFixed(2),
  ])
  return table([['memory of the host', 'base', 'first round', 'maximum', 'after rest', 'ratio'], ...rows])
}

export const refusalsOf = (metrics: Metrics) =>
  [...metrics]
    .filter(([name]) => name.startsWith('stoa_refused_total'))
    .map(([name, value]) => `${name.match(/"(.*)"/)?.[1]} ${value}`)
    .join(', ')

function table(rows: string[][]): string {
  const widths = (rows[0] as string[]).map((_, at) => Math.max(...rows.map(row => row[at]!.length)))
  const line = (row: string[]) => row.map((cell, at) => cell.padEnd(widths[at]!)).join(' | ')
  const [head, ...rest] = rows.map(line)
  return [head, widths.map(width => '-'.repeat(width)).join('-|-'), ...rest].join('\n')
}
