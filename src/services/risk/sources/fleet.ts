// Devices seen by many organisations. This service counts the members itself, so nothing is fetched or parsed.
import type { Source } from './source.ts'

export const fleet: Source = {
  source: 'fleet',
  basis: 'own',
  terms: 'Counted by this service from its own events; members do not identify organisations',
  origin: "This service's own event store",
}
