// Publishers whose lists the screening component holds. It reports what it loaded and when; no designation passes
// through this service, so no terms of theirs are relied on here.
import type { Source } from './source.ts'

function heldByScreening(source: string, list: string): Source {
  return {
    source,
    basis: 'none',
    terms: 'Held by the screening component; only a receipt of what it loaded reaches this service',
    origin: `The screening component, from ${list}`,
  }
}

export const ofac = heldByScreening('OFAC', "the US Treasury's sanctions lists (SDN and non-SDN consolidated)")
export const un = heldByScreening('UN', "the United Nations Security Council's consolidated list")
export const eu = heldByScreening('EU', "the European Union's consolidated list of financial sanctions")
export const ofsi = heldByScreening('OFSI', 'the UK Sanctions List, which took the place of the OFSI consolidated list')
export const listing = heldByScreening('listing', "the screening component's own list of jurisdictions")
