// The networks of Linode, now Akamai, by its geofeed.
import { parseGeofeed } from './geofeed.ts'
import type { Source } from './source.ts'

export const linode: Source = {
  source: 'linode',
  basis: 'operator',
  terms: 'Geofeed that the operator publishes of itself (RFC 8805); no licence stated',
  origin: 'https://geoip.linode.com/',
  parse: text => parseGeofeed(text, { class: 'hosting', operator: 'linode' }),
}
