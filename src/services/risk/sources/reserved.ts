// Blocks that IANA sets aside for special purposes, in a registry for each address family.
import { memberFrom } from '../match/match.ts'
import { openCollector } from './collector.ts'
import { columnsOf } from './csv.ts'
import { lengthOf } from './networks.ts'
import { type Member, type Parsed, type Source, Unreadable } from './source.ts'
import { shortened } from './text.ts'

const TERMS = 'CC0-1.0 (iana.org/help/licensing-terms)'

export const reserved4: Source = {
  source: 'reserved4',
  basis: 'registry',
  terms: `IANA IPv4 Special-Purpose Address Registry; ${TERMS}`,
  origin: 'https://www.iana.org/assignments/iana-ipv4-special-registry/iana-ipv4-special-registry-1.csv',
  parse,
}

export const reserved6: Source = {
  source: 'reserved6',
  basis: 'registry',
  terms: `IANA IPv6 Special-Purpose Address Registry; ${TERMS}`,
  origin: 'https://www.iana.org/assignments/iana-ipv6-special-registry/iana-ipv6-special-registry-1.csv',
  parse,
}

const FOOTNOTE = /\[\d+\]/g

function parse(text: string): Parsed {
  const blocks = openCollector('net')
  for (const row of columnsOf(text, 'Address Block', 'Name')) {
    const [cell, title = ''] = row ?? []
    if (cell === undefined) blocks.bad(row)
    const name = shortened(title.replace(FOOTNOTE, '').replaceAll('"', ''))
    for (const [block] of (cell ?? '').replace(FOOTNOTE, '').matchAll(BLOCK)) {
      const key = memberFrom('net', block)
      if (key === null) blocks.bad(block)
      // The block of mapped addresses is read as the IPv4 it carries, and that is all of it.
      else if (key === '0.0.0.0/0' && block.includes(':')) blocks.drop()
      else blocks.keep(key, { class: 'reserved', operator: 'iana', name })
    }
  }
  const parsed = blocks.done()
  requireLittle(parsed.members)
  return parsed
}

/** A cell may name several blocks. */
const BLOCK = /[^\s,]+/g

/** How much of the addresses that people come from is set aside: of either family a little more than the registries have
 *  had, since what is set aside was never given to anybody. */
const SHARE_MAX = { four: 1 / 64, six: 1 / 4096 }

function requireLittle(members: readonly Member[]): void {
  const share = { four: 0, six: 0 }
  for (const { key } of members) share[key.includes(':') ? 'six' : 'four'] += shareOf(key)
  if (share.four > SHARE_MAX.four || share.six > SHARE_MAX.six)
    throw new Unreadable('The list sets aside addresses that people come from')
}

/** People come from below 224.0.0.0, and from 2000::/3. */
function shareOf(key: string): number {
  const [bits, first] = [lengthOf(key), key.startsWith(':') ? 0 : Number.parseInt(key, key.includes(':') ? 16 : 10)]
  if (!key.includes(':')) return bits > 2 && first >= 224 ? 0 : 2 ** -bits
  return bits > 2 && first >> 13 !== 1 ? 0 : 2 ** (3 - bits)
}
