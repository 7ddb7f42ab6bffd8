// Which registry IANA gave each range of autonomous system numbers to: a table for those of 16 bits, one for the rest.

import { openCollector } from './collector.ts'
import { columnsOf } from './csv.ts'
import type { Parsed, Source, Value } from './source.ts'

const TERMS = 'IANA Autonomous System (AS) Numbers registry; CC0-1.0 (iana.org/help/licensing-terms)'

export const iana: Source = {
  source: 'iana',
  basis: 'registry',
  terms: TERMS,
  origin: 'https://www.iana.org/assignments/as-numbers/as-numbers-1.csv',
  parse,
}

export const iana32: Source = {
  source: 'iana32',
  basis: 'registry',
  terms: TERMS,
  origin: 'https://www.iana.org/assignments/as-numbers/as-numbers-2.csv',
  parse,
}

function parse(text: string): Parsed {
  const numbers = openCollector('range')
  for (const row of columnsOf(text, 'Number', 'Description')) {
    const [number, description = ''] = row ?? []
    // The second table starts with a row that only points at the first.
    if (/^see /i.test(description.trim())) numbers.drop()
    else numbers.add(number?.trim(), holderFrom(description))
  }
  return numbers.done()
}

const REGISTRIES = ['afrinic', 'apnic', 'arin', 'lacnic', 'ripe'] as const

function holderFrom(description: string): Value {
  const words = description.toLowerCase()
  const registry = REGISTRIES.find(name => new RegExp(`\\b${name}\\b`).test(words))
  const status = statusFrom(words)
  return registry === undefined ? { status } : { registry, status }
}

function statusFrom(words: string): string {
  if (words.includes('assigned by')) return 'delegated'
  if (words.includes('reserved')) return 'reserved'
  return words.includes('unallocated') ? 'unallocated' : 'other'
}
