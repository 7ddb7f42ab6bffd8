// The networks of Cloudflare's edge, one list for each address family. Users of WARP and of Apple's Private Relay also
// have addresses in them, so membership alone does not mean that an address is suspicious.
import { parsePrefixList } from './prefix-list.ts'
import type { Source } from './source.ts'

const TERMS = 'Published by the operator for allow-listing (www.cloudflare.com/ips); no licence stated'
const VALUE = { class: 'cdn', operator: 'cloudflare' }

export const cloudflare4: Source = {
  source: 'cloudflare4',
  basis: 'operator',
  terms: TERMS,
  origin: 'https://www.cloudflare.com/ips-v4',
  parse: text => parsePrefixList(text, VALUE),
}

export const cloudflare6: Source = {
  source: 'cloudflare6',
  basis: 'operator',
  terms: TERMS,
  origin: 'https://www.cloudflare.com/ips-v6',
  parse: text => parsePrefixList(text, VALUE),
}
