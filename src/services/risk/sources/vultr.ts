// The networks of Vultr, which The Constant Company runs, by its geofeed.
import { parseGeofeed } from './geofeed.ts'
import type { Source } from './source.ts'

export const vultr: Source = {
  source: 'vultr',
  basis: 'operator',
  terms: 'Geofeed that the operator publishes of itself (RFC 8805); no licence stated',
  origin: 'https://geofeed.constant.com/',
  parse: text => parseGeofeed(text, { class: 'hosting', operator: 'vultr' }),
}
