// Autonomous systems of hosting companies: `AS45090 # whose it is`.
import { gather } from './gathering.ts'
import type { Parsed, Source } from './source.ts'
import { cleanText, shortened } from './text.ts'

export const x4bnetHosting: Source = {
  source: 'x4bnet-hosting',
  basis: 'licence',
  terms: 'MIT (X4BNet/lists_vpn)',
  origin: 'https://raw.githubusercontent.com/X4BNet/lists_vpn/main/input/datacenter/ASN.txt',
  parse,
}

function parse(text: string): Parsed {
  const numbers = gather('range')
  for (const line of cleanText(text).split('\n')) {
    const [number = '', ...comment] = line.split('#')
    if (number.trim() === '') continue
    const name = shortened(comment.join('#'))
    numbers.add(number.trim(), name === '' ? { class: 'hosting' } : { class: 'hosting', name })
  }
  return numbers.done()
}
