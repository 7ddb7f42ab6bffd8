// The networks of Fastly's edge.
import { openNetworkCollector } from './networks.ts'
import type { Parsed, Source } from './source.ts'
import { jsonOf, listOf } from './text.ts'

const VALUE = { class: 'cdn', operator: 'fastly' }

export const fastly: Source = {
  source: 'fastly',
  basis: 'operator',
  terms:
    'Published by the operator for allow-listing (fastly.com/documentation/reference/api/utils/public-ip-list); ' +
    'no licence stated',
  origin: 'https://api.fastly.com/public-ip-list',
  parse,
}

function parse(text: string): Parsed {
  const json = jsonOf(text)
  const networks = openNetworkCollector()
  for (const network of listOf(json, 'addresses')) networks.add(network, VALUE)
  for (const network of listOf(json, 'ipv6_addresses')) networks.add(network, VALUE)
  return networks.done()
}
