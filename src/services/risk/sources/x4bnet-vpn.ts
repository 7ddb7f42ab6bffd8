// Networks of VPN providers, one list for each address family. The lists do not name the provider of a network.
import { parsePrefixList } from './prefix-list.ts'
import type { Source } from './source.ts'

const TERMS = 'MIT (X4BNet/lists_vpn)'
const VALUE = { class: 'vpn' }

export const x4bnetVpn: Source = {
  source: 'x4bnet-vpn',
  basis: 'licence',
  terms: TERMS,
  origin: 'https://raw.githubusercontent.com/X4BNet/lists_vpn/main/output/vpn/ipv4.txt',
  parse: text => parsePrefixList(text, VALUE),
}

export const x4bnetVpn6: Source = {
  source: 'x4bnet-vpn6',
  basis: 'licence',
  terms: TERMS,
  origin: 'https://raw.githubusercontent.com/X4BNet/lists_vpn/main/output/vpn/ipv6.txt',
  parse: text => parsePrefixList(text, VALUE),
}
