// Devices that many organisations have seen. The members are counted by this service, so nothing is fetched or parsed.
import type { Source } from './source.ts'

export const fleet: Source = {
  source: 'fleet',
  basis: 'own',
  terms: "Counted here over this service's own events; a member names no organisation",
  origin: "This service's own event store",
}
