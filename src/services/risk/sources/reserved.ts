// Special-purpose address blocks of IANA, one registry for each address family.
import { memberFrom } from '../match/match.ts'
import { openCollector } from './collector.ts'
import { csvColumns } from './csv.ts'
import { lengthOf } from './networks.ts'
import { type Member, type Parsed, type Source, Unreadable } from './source.ts'
import { shortened } from './text.ts'

const reserved = (family: 4 | 6): Source => ({
  source: `reserved${family}`,
  basis: 'registry',
  terms: `IANA IPv${family} Special-Purpose Address Registry; CC0-1.0 (iana.org/help/licensing-terms)`,
  origin: `https://www.iana.org/assignments/iana-ipv${family}-special-registry/iana-ipv${family}-special-registry-1.csv`,
  parse,
})
export const [reserved4, reserved6] = [reserved(4), reserved(6)]

const FOOTNOTE = /\[\d+\]/g

function parse(text: string): Parsed {
  const blocks = openCollector('net')
  for (const row of csvColumns(text, 'Address Block', 'Name')) {
    const [cell, title = ''] = row ?? []
    if (cell === undefined) blocks.bad(row)
    const name = shortened(title.replace(FOOTNOTE, '').replaceAll('"', ''))
    for (const [block] of (cell ?? '').replace(FOOTNOTE, '').matchAll(BLOCK)) {
      const key = memberFrom('net', block)
      if (key === null) blocks.bad(block)
      // The block of IPv4-mapped addresses is read as all of IPv4.
      else if (key === '0.0.0.0/0' && block.includes(':')) blocks.drop()
      else blocks.keep(key, { class: 'reserved', operator: 'iana', name })
    }
  }
  const parsed = blocks.done()
  requireSmallShare(parsed.members)
  return parsed
}

/** A cell may list several blocks. */
const BLOCK = /[^\s,]+/g

/** The maximum share of public unicast addresses that may be reserved: slightly more than the registries reserve, as
 *  reserved addresses were never assigned to users. */
const SHARE_MAX = { ipv4: 1 / 64, ipv6: 1 / 4096 }

function requireSmallShare(members: readonly Member[]): void {
  const share = { ipv4: 0, ipv6: 0 }
  for (const { key } of members) share[key.includes(':') ? 'ipv6' : 'ipv4'] += shareOf(key)
  if (share.ipv4 > SHARE_MAX.ipv4 || share.ipv6 > SHARE_MAX.ipv6)
    throw new Unreadable('The list reserves too many public unicast addresses')
}

/** The share of a block in the public unicast addresses: those below 224.0.0.0, and 2000::/3. */
function shareOf(key: string): number {
  const bits = lengthOf(key)
  const first = key.startsWith(':') ? 0 : Number.parseInt(key, key.includes(':') ? 16 : 10)
  if (!key.includes(':')) return bits > 2 && first >= 224 ? 0 : 2 ** -bits
  return bits > 2 && first >> 13 !== 1 ? 0 : 2 ** (3 - bits)
}
