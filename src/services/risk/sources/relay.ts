// Egress networks of Apple's Private Relay, each shared by many users.
import { parseGeofeed } from './geofeed.ts'
import type { Source } from './source.ts'

export const relay: Source = {
  source: 'relay',
  basis: 'operator',
  terms:
    'Published by Apple so that Private Relay can be recognised ' +
    '(developer.apple.com/support/prepare-your-network-for-icloud-private-relay); no licence stated',
  origin: 'https://mask-api.icloud.com/egress-ip-ranges.csv',
  parse: text => parseGeofeed(text, { class: 'relay', operator: 'apple' }),
}
