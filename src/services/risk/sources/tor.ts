// Addresses of Tor exit nodes.
import { parsePrefixList } from './prefix-list.ts'
import type { Source } from './source.ts'

export const tor: Source = {
  source: 'tor',
  basis: 'operator',
  terms:
    'Published by the Tor Project (check.torproject.org), which states no licence there; ' +
    "the data of the Tor Project's metrics, exit lists among it, is CC0-1.0 (metrics.torproject.org)",
  origin: 'https://check.torproject.org/torbulkexitlist',
  parse: text => parsePrefixList(text, { class: 'tor', operator: 'tor' }),
}
