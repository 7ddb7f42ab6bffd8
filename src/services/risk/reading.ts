// Which keys a set can read. Of exact texts, digests and agents are told apart from others by what they look like.
import { getPublicSuffix } from 'tldts'
import type { SetEntry } from './catalogue.ts'
import { keyCodeFrom } from './match/digits.ts'
import { domainFrom } from './match/domain.ts'
import { isAgent, isDigest, isProse } from './match/exact.ts'
import { canRead, type Match, memberFrom } from './match/match.ts'
import { isNet } from './match/net.ts'
import { numberFrom } from './match/range.ts'
import { isPlain, isShort } from './match/text.ts'

const NET = 1
const DIGITS = 2
const NUMBER = 4
const DIGEST = 8
const DOMAIN = 16
const FREE = 32
const AGENT = 64

/** What a key can be read as, found out once for all sets. What is of one of these kinds is of none that comes later, but
 *  for numbers, which may be two things, and agents, which are free text too. */
export function kindsOf(key: string): number {
  if (!isShort(key)) return 0
  if (isProse(key)) return textKinds(key)
  if (isNet(key)) return NET
  const numbers = (keyCodeFrom(key) >= 0 ? DIGITS : 0) | (numberFrom(key) >= 0 ? NUMBER : 0)
  if (numbers !== 0) return numbers
  if (isDigest(key)) return DIGEST
  return domainFrom(key) !== null ? DOMAIN : textKinds(key)
}

function textKinds(key: string): number {
  const text = key.trim()
  if (text === '' || !isPlain(text)) return 0
  const free = key === text || isPlain(key) ? FREE : 0
  return text.includes('/') && /\p{L}/u.test(text) ? free | AGENT : free
}

const KIND_OF: Record<Match, number> = {
  net: NET,
  digits: DIGITS,
  range: NUMBER,
  domain: DOMAIN,
  pattern: FREE,
  exact: 0,
}

/** Which kinds of key a set is consulted for when nobody names it. Of exact texts only some are told apart. */
export function kindsRead({ set, match }: SetEntry): number {
  if (set === 'device') return DIGEST
  return set === 'browser' ? AGENT : KIND_OF[match]
}

/** Whether a set can read a key that it is asked for by name; its table tells all others. */
export const isUnlike = ({ set }: SetEntry, key: string): boolean => !isOf(set, key)

/** The one spelling of a key that an organisation speaks about; null when the set cannot read it. Where publishers give
 *  patterns, that is an agent as it is looked up: thousands of expressions of one organisation could hold up all others. */
export function overrideKey(entry: SetEntry, text: string): string | null {
  if (entry.match === 'pattern') return canRead('pattern', text) ? memberFrom('exact', text) : null
  return isOf(entry.set, text) ? memberFrom(entry.match, text) : null
}

/** Whether a domain is one that everybody's are below, such as co.uk: to speak of it is to speak of strangers. */
export const isPublicSuffix = ({ match }: SetEntry, key: string): boolean =>
  match === 'domain' && getPublicSuffix(key, { allowPrivateDomains: false }) === key

function isOf(set: string, text: string): boolean {
  if (set === 'device') return isDigest(text.trim())
  return set !== 'browser' || isAgent(text.trim())
}

/** How an organisation's entries over a set are matched. */
export const overrideMatch = ({ match }: SetEntry): Match => (match === 'pattern' ? 'exact' : match)
