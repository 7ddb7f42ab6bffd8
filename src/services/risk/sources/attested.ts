// Sources whose lists the screening component stores. It reports what it loaded and when. No sanctions entry passes
// through this service, so it does not depend on the terms of these sources.
import type { Source } from './source.ts'

function screeningSource(source: string, list: string): Source {
  return {
    source,
    basis: 'none',
    terms: 'Stored by the screening component; this service only receives a receipt of what it loaded',
    origin: `The screening component, from ${list}`,
  }
}

export const ofac = screeningSource('OFAC', "the US Treasury's sanctions lists (SDN and non-SDN consolidated)")
export const un = screeningSource('UN', "the United Nations Security Council's consolidated list")
export const eu = screeningSource('EU', "the European Union's consolidated list of financial sanctions")
export const ofsi = screeningSource('OFSI', 'the UK Sanctions List, which replaced the OFSI consolidated list')
export const listing = screeningSource('listing', "the screening component's own list of jurisdictions")
