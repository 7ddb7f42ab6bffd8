// The networks of Google Cloud's customers; Google publishes its own networks in another file.
import { openNetworkCollector } from './networks.ts'
import { inRegion } from './region.ts'
import type { Parsed, Source } from './source.ts'
import { jsonOf, lineFields, listOf } from './text.ts'

const VALUE = { class: 'hosting', operator: 'gcp' }

export const gcp: Source = {
  source: 'gcp',
  basis: 'operator',
  terms: 'Published by the operator for allow-listing (support.google.com/a/answer/10026322); no licence stated',
  origin: 'https://www.gstatic.com/ipranges/cloud.json',
  parse,
}

function parse(text: string): Parsed {
  const networks = openNetworkCollector()
  for (const entry of listOf(jsonOf(text), 'prefixes').map(lineFields)) {
    networks.add(entry.ipv4Prefix ?? entry.ipv6Prefix, inRegion(VALUE, entry.scope))
  }
  return networks.done()
}
