// The regional registry of each range of autonomous system numbers, by IANA: one table for 16-bit numbers, one for the
// rest.
import { openCollector } from './collector.ts'
import { csvColumns } from './csv.ts'
import type { Parsed, Source, Value } from './source.ts'

const table = (source: string, number: 1 | 2): Source => ({
  source,
  basis: 'registry',
  terms: 'IANA Autonomous System (AS) Numbers registry; CC0-1.0 (iana.org/help/licensing-terms)',
  origin: `https://www.iana.org/assignments/as-numbers/as-numbers-${number}.csv`,
  parse,
})
export const [iana, iana32] = [table('iana', 1), table('iana32', 2)]

function parse(text: string): Parsed {
  const numbers = openCollector('range')
  for (const row of csvColumns(text, 'Number', 'Description')) {
    const [number, description = ''] = row ?? []
    // The second table starts with a row that only refers to the first.
    if (/^see /i.test(description.trim())) numbers.drop()
    else numbers.add(number?.trim(), valueFrom(description))
  }
  return numbers.done()
}

const REGISTRIES = ['afrinic', 'apnic', 'arin', 'lacnic', 'ripe'] as const

function valueFrom(description: string): Value {
  const text = description.toLowerCase()
  const registry = REGISTRIES.find(name => new RegExp(`\\b${name}\\b`).test(text))
  const status = statusFrom(text)
  return registry === undefined ? { status } : { registry, status }
}

function statusFrom(text: string): string {
  if (text.includes('assigned by')) return 'delegated'
  if (text.includes('reserved')) return 'reserved'
  return text.includes('unallocated') ? 'unallocated' : 'other'
}
