// Operators that publish their networks as JSON.
import type { Collector } from './collector.ts'
import { openNetworkCollector } from './networks.ts'
import type { Source, Value } from './source.ts'
import { jsonOf, lineFields, listOf, shortened } from './text.ts'

/** `page` is where the operator documents the list. */
function operator(
  { class: kind, name, page, origin }: { class: string; name: string; page: string; origin: string },
  read: (networks: Collector, json: unknown, value: Value) => void,
): Source {
  return {
    source: name,
    basis: 'operator',
    terms: `Published by the operator for allow-listing (${page}); no licence stated`,
    origin,
    parse: text => {
      const json = jsonOf(text)
      const networks = openNetworkCollector()
      read(networks, json, { class: kind, operator: name })
      return networks.done()
    },
  }
}

/** With the operator's name of the region, if it gives one. */
function inRegion(value: Value, region: unknown): Value {
  const name = typeof region === 'string' ? shortened(region) : ''
  return name === '' ? value : { ...value, region: name }
}

/** A network is listed once for each service that uses it; the collector merges those rows. */
export const aws = operator(
  {
    class: 'hosting',
    name: 'aws',
    page: 'docs.aws.amazon.com/vpc/latest/userguide/aws-ip-ranges',
    origin: 'https://ip-ranges.amazonaws.com/ip-ranges.json',
  },
  (networks, json, value) => {
    for (const { ip_prefix, region } of listOf(json, 'prefixes').map(lineFields))
      networks.add(ip_prefix, inRegion(value, region))
    for (const { ipv6_prefix, region } of listOf(json, 'ipv6_prefixes').map(lineFields))
      networks.add(ipv6_prefix, inRegion(value, region))
  },
)

/** The networks of Google Cloud's customers; Google publishes its own networks in another file. */
export const gcp = operator(
  {
    class: 'hosting',
    name: 'gcp',
    page: 'support.google.com/a/answer/10026322',
    origin: 'https://www.gstatic.com/ipranges/cloud.json',
  },
  (networks, json, value) => {
    for (const { ipv4Prefix, ipv6Prefix, scope } of listOf(json, 'prefixes').map(lineFields))
      networks.add(ipv4Prefix ?? ipv6Prefix, inRegion(value, scope))
  },
)

export const oracle = operator(
  {
    class: 'hosting',
    name: 'oracle',
    page: 'docs.oracle.com/iaas/Content/General/Concepts/addressranges.htm',
    origin: 'https://docs.oracle.com/en-us/iaas/tools/public_ip_ranges.json',
  },
  (networks, json, value) => {
    for (const { region, cidrs } of listOf(json, 'regions').map(lineFields)) {
      if (!Array.isArray(cidrs)) networks.bad(region)
      else for (const entry of cidrs) networks.add(lineFields(entry).cidr, inRegion(value, region))
    }
  },
)

export const fastly = operator(
  {
    class: 'cdn',
    name: 'fastly',
    page: 'fastly.com/documentation/reference/api/utils/public-ip-list',
    origin: 'https://api.fastly.com/public-ip-list',
  },
  (networks, json, value) => {
    for (const name of ['addresses', 'ipv6_addresses'])
      for (const network of listOf(json, name)) networks.add(network, value)
  },
)
