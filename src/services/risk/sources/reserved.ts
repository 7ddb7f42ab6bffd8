// Blocks that IANA sets aside for special purposes, in a registry for each address family.
import { memberFrom } from '../match/match.ts'
import { columnsOf } from './csv.ts'
import { gather } from './gathering.ts'
import { isWhole } from './networks.ts'
import type { Parsed, Source } from './source.ts'
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
  const blocks = gather('net')
  for (const row of columnsOf(text, 'Address Block', 'Name')) {
    const [cell, title = ''] = row ?? []
    if (cell === undefined) blocks.bad(row)
    const name = shortened(title.replace(FOOTNOTE, '').replaceAll('"', ''))
    for (const block of blocksIn(cell ?? '')) {
      const key = memberFrom('net', block)
      if (key === null) blocks.bad(block)
      // The block of mapped addresses is read as the IPv4 it carries, and that is all of it.
      else if (isWhole(key)) blocks.drop()
      else blocks.keep(key, { class: 'reserved', operator: 'iana', name })
    }
  }
  return blocks.done()
}

/** A cell may name several blocks, and carry the marks of footnotes. */
function blocksIn(cell: string): string[] {
  const blocks = cell.replace(FOOTNOTE, '').split(/[\s,]+/)
  return blocks.filter(block => block !== '')
}
