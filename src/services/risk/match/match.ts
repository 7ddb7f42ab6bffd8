// The matchers of a set, and the canonical spelling each of them gives to members and look-up keys.
import { digitsFrom, keyCodeFrom } from './digits.ts'
import { domainFrom } from './domain.ts'
import { exactFrom } from './exact.ts'
import { isNet, netFrom } from './net.ts'
import { isFreeText, patternFrom } from './pattern.ts'
import { asNumberFrom, rangeFrom } from './range.ts'

export type Match = 'exact' | 'domain' | 'net' | 'digits' | 'pattern' | 'range'

type Reader = { memberFrom(text: string): string | null; canRead(text: string): boolean }

const READERS: Record<Match, Reader> = {
  exact: { memberFrom: exactFrom, canRead: text => exactFrom(text) !== null },
  domain: { memberFrom: domainFrom, canRead: text => domainFrom(text) !== null },
  net: { memberFrom: netFrom, canRead: isNet },
  digits: { memberFrom: digitsFrom, canRead: text => keyCodeFrom(text) >= 0 },
  pattern: { memberFrom: patternFrom, canRead: isFreeText },
  range: { memberFrom: rangeFrom, canRead: text => asNumberFrom(text) >= 0 },
}

/** The canonical spelling of a source's member or an organisation's override; null if the matcher cannot read it. */
export function memberFrom(match: Match, text: string): string | null {
  return READERS[match].memberFrom(text)
}

/** Whether the matcher can read a look-up key. */
export function canRead(match: Match, text: string): boolean {
  return READERS[match].canRead(text)
}
