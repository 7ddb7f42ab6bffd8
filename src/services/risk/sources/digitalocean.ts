// DigitalOcean's networks, from its geofeed.
import { parseGeofeed } from './geofeed.ts'
import type { Source } from './source.ts'

export const digitalocean: Source = {
  source: 'digitalocean',
  basis: 'operator',
  terms: 'Self-published geofeed of the operator (RFC 8805); no licence stated',
  origin: 'https://digitalocean.com/geo/google.csv',
  parse: text => parseGeofeed(text, { class: 'hosting', operator: 'digitalocean' }),
}
