// Autonomous systems of hosting companies: `AS45090 # name`.
import { endsFrom } from '../match/range.ts'
import { openCollector } from './collector.ts'
import { type Parsed, type Source, Unreadable } from './source.ts'
import { linesOf, shortened } from './text.ts'

export const x4bnetHosting: Source = {
  source: 'x4bnet-hosting',
  basis: 'licence',
  terms: 'MIT (X4BNet/lists_vpn)',
  origin: 'https://raw.githubusercontent.com/X4BNet/lists_vpn/main/input/datacenter/ASN.txt',
  parse,
}

/** The list has single numbers. A wider range is an error and would classify all systems in it as hosting. */
const WIDTH_MAX = 1_000

function parse(text: string): Parsed {
  const numbers = openCollector('range')
  for (const line of linesOf(text)) {
    const hash = line.indexOf('#')
    const number = (hash < 0 ? line : line.slice(0, hash)).trim()
    if (number === '') continue
    const [low, high] = endsFrom(number) ?? [0, 0]
    if (high - low >= WIDTH_MAX) throw new Unreadable(`The list has an implausibly wide range: ${low} to ${high}`)
    const name = hash < 0 ? '' : shortened(line.slice(hash + 1))
    numbers.add(number, name === '' ? { class: 'hosting' } : { class: 'hosting', name })
  }
  return numbers.done()
}
