// The networks of Vultr, run by The Constant Company, from its geofeed.
import { parseGeofeed } from './geofeed.ts'
import type { Source } from './source.ts'

export const vultr: Source = {
  source: 'vultr',
  basis: 'operator',
  terms: 'Self-published geofeed of the operator (RFC 8805); no licence stated',
  origin: 'https://geofeed.constant.com/',
  parse: text => parseGeofeed(text, { class: 'hosting', operator: 'vultr' }),
}
