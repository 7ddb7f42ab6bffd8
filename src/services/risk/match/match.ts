// The ways a key can be tested against a set, and the one spelling that each of them gives to members and keys.
import { digitsFrom, keyCodeFrom } from './digits.ts'
import { domainFrom } from './domain.ts'
import { exactFrom } from './exact.ts'
import { isNet, netFrom } from './net.ts'
import { isFreeText, patternFrom } from './pattern.ts'
import { numberFrom, rangeFrom } from './range.ts'

export type Match = 'exact' | 'domain' | 'net' | 'digits' | 'pattern' | 'range'

type Reader = { memberFrom(text: string): string | null; canRead(text: string): boolean }

const READERS: Record<Match, Reader> = {
  exact: { memberFrom: exactFrom, canRead: text => exactFrom(text) !== null },
  domain: { memberFrom: domainFrom, canRead: text => domainFrom(text) !== null },
  net: { memberFrom: netFrom, canRead: isNet },
  digits: { memberFrom: digitsFrom, canRead: text => keyCodeFrom(text) >= 0 },
  pattern: { memberFrom: patternFrom, canRead: isFreeText },
  range: { memberFrom: rangeFrom, canRead: text => numberFrom(text) >= 0 },
}

/** The one spelling of what a publisher or an organisation names, or null when this matcher cannot read it. */
export function memberFrom(match: Match, text: string): string | null {
  return READERS[match].memberFrom(text)
}

/** Whether a look-up key is one this matcher can read. */
export function canRead(match: Match, text: string): boolean {
  return READERS[match].canRead(text)
}
