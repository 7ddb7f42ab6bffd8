// The networks of Cloudflare's edge, in a list for each address family. People also come from inside them, through WARP
// and Apple's relay, so this says where an address is and not what to think of it.
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
