// The networks of Linode, now Akamai, from its geofeed.
import { parseGeofeed } from './geofeed.ts'
import type { Source } from './source.ts'

export const linode: Source = {
  source: 'linode',
  basis: 'operator',
  terms: 'Self-published geofeed of the operator (RFC 8805); no licence stated',
  origin: 'https://geoip.linode.com/',
  parse: text => parseGeofeed(text, { class: 'hosting', operator: 'linode' }),
}
