// The networks of Oracle Cloud, listed by region.
import { openNetworkCollector } from './networks.ts'
import { inRegion } from './region.ts'
import type { Parsed, Source } from './source.ts'
import { jsonOf, lineFields, listOf } from './text.ts'

const VALUE = { class: 'hosting', operator: 'oracle' }

export const oracle: Source = {
  source: 'oracle',
  basis: 'operator',
  terms:
    'Published by the operator for allow-listing (docs.oracle.com/iaas/Content/General/Concepts/addressranges.htm); ' +
    'no licence stated',
  origin: 'https://docs.oracle.com/en-us/iaas/tools/public_ip_ranges.json',
  parse,
}

function parse(text: string): Parsed {
  const networks = openNetworkCollector()
  for (const { region, cidrs } of listOf(jsonOf(text), 'regions').map(lineFields)) {
    if (!Array.isArray(cidrs)) networks.bad(region)
    else for (const entry of cidrs) networks.add(lineFields(entry).cidr, inRegion(VALUE, region))
  }
  return networks.done()
}
