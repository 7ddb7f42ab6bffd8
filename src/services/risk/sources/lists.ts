// Sources that publish a plain list: networks one per line, a geofeed, or domains one per line.
import { parseDomainList } from './domain-list.ts'
import { parseGeofeed } from './geofeed.ts'
import { openNetworkCollector } from './networks.ts'
import type { Parsed, Source, Value } from './source.ts'
import { listRows } from './text.ts'

function parsePrefixList(text: string, value: Value): Parsed {
  const networks = openNetworkCollector()
  for (const row of listRows(text)) networks.add(row, value)
  return networks.done()
}

type About = Pick<Source, 'source' | 'basis' | 'terms' | 'origin'>
const prefixList = (about: About, value: Value): Source => ({
  ...about,
  parse: text => parsePrefixList(text, value),
})
const geofeed = (about: About, value: Value): Source => ({ ...about, parse: text => parseGeofeed(text, value) })

/** Addresses of exit nodes. */
export const tor = prefixList(
  {
    source: 'tor',
    basis: 'operator',
    terms:
      'Published by the Tor Project (check.torproject.org), which states no licence there; ' +
      "the data of the Tor Project's metrics, exit lists among it, is CC0-1.0 (metrics.torproject.org)",
    origin: 'https://check.torproject.org/torbulkexitlist',
  },
  { class: 'tor', operator: 'tor' },
)

/** Networks of VPN providers, one list for each address family. The lists do not name the provider of a network. */
const x4bnet = (source: string, family: string) => {
  const origin = `https://raw.githubusercontent.com/X4BNet/lists_vpn/main/output/vpn/${family}.txt`
  return prefixList({ source, basis: 'licence', terms: 'MIT (X4BNet/lists_vpn)', origin }, { class: 'vpn' })
}
export const x4bnetVpn = x4bnet('x4bnet-vpn', 'ipv4')
export const x4bnetVpn6 = x4bnet('x4bnet-vpn6', 'ipv6')

/** The networks of Cloudflare's edge, one list for each address family. Users of WARP and of Apple's Private Relay also
 *  have addresses in them, so membership alone does not mean that an address is suspicious. */
const cloudflare = (source: string, origin: string) => {
  const terms = 'Published by the operator for allow-listing (www.cloudflare.com/ips); no licence stated'
  return prefixList({ source, basis: 'operator', terms, origin }, { class: 'cdn', operator: 'cloudflare' })
}
export const cloudflare4 = cloudflare('cloudflare4', 'https://www.cloudflare.com/ips-v4')
export const cloudflare6 = cloudflare('cloudflare6', 'https://www.cloudflare.com/ips-v6')

/** Egress networks of Apple's Private Relay, each shared by many users. */
export const relay = geofeed(
  {
    source: 'relay',
    basis: 'operator',
    terms:
      'Published by Apple so that Private Relay can be recognised ' +
      '(developer.apple.com/support/prepare-your-network-for-icloud-private-relay); no licence stated',
    origin: 'https://mask-api.icloud.com/egress-ip-ranges.csv',
  },
  { class: 'relay', operator: 'apple' },
)

const hosting = (source: string, origin: string) => {
  const terms = 'Self-published geofeed of the operator (RFC 8805); no licence stated'
  return geofeed({ source, basis: 'operator', terms, origin }, { class: 'hosting', operator: source })
}
export const digitalocean = hosting('digitalocean', 'https://digitalocean.com/geo/google.csv')
/** Now Akamai. */
export const linode = hosting('linode', 'https://geoip.linode.com/')
/** Run by The Constant Company. */
export const vultr = hosting('vultr', 'https://geofeed.constant.com/')

/** Disposable e-mail domains, reviewed by hand: the most accurate list. */
export const disposable: Source = {
  source: 'disposable',
  basis: 'licence',
  terms: 'CC0-1.0 (disposable-email-domains/disposable-email-domains, LICENSE.txt)',
  origin:
    'https://raw.githubusercontent.com/disposable-email-domains/disposable-email-domains/main/' +
    'disposable_email_blocklist.conf',
  parse: parseDomainList,
}

/** Collected automatically: much larger but less accurate. */
export const disposableMit: Source = {
  source: 'disposable-mit',
  basis: 'licence',
  terms: 'MIT (disposable/disposable-email-domains)',
  origin: 'https://raw.githubusercontent.com/disposable/disposable-email-domains/master/domains.txt',
  parse: parseDomainList,
}
