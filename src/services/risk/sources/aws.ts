// Amazon's networks. A network is listed once for each service that uses it; the collector merges those rows.
import { openNetworkCollector } from './networks.ts'
import { inRegion } from './region.ts'
import type { Parsed, Source } from './source.ts'
import { jsonOf, lineFields, listOf } from './text.ts'

const VALUE = { class: 'hosting', operator: 'aws' }

export const aws: Source = {
  source: 'aws',
  basis: 'operator',
  terms:
    'Published by the operator for allow-listing (docs.aws.amazon.com/vpc/latest/userguide/aws-ip-ranges); ' +
    'no licence stated',
  origin: 'https://ip-ranges.amazonaws.com/ip-ranges.json',
  parse,
}

function parse(text: string): Parsed {
  const json = jsonOf(text)
  const networks = openNetworkCollector()
  for (const entry of listOf(json, 'prefixes').map(lineFields)) {
    networks.add(entry.ip_prefix, inRegion(VALUE, entry.region))
  }
  for (const entry of listOf(json, 'ipv6_prefixes').map(lineFields)) {
    networks.add(entry.ipv6_prefix, inRegion(VALUE, entry.region))
  }
  return networks.done()
}
