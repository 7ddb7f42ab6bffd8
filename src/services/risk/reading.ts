// Which keys a set can read. Digests and user agents are exact texts that are recognised by their form.
import { getPublicSuffix } from 'tldts'
import type { SetEntry } from './catalogue.ts'
import { keyCodeFrom } from './match/digits.ts'
import { domainFrom } from './match/domain.ts'
import { isAgent, isDigest, isProse } from './match/exact.ts'
import { canRead, type Match, memberFrom } from './match/match.ts'
import { isNet } from './match/net.ts'
import { asNumberFrom } from './match/range.ts'
import { isPlain, isShort } from './match/text.ts'

const NET = 1
const DIGITS = 2
const NUMBER = 4
const DIGEST = 8
const DOMAIN = 16
const FREE = 32
const AGENT = 64

/** The kinds a key can be read as, determined once for all sets. The first kind that matches excludes the later ones,
 *  except that a number may be both DIGITS and NUMBER, and a user agent is also free text. */
export function kindsOf(key: string): number {
  if (!isShort(key)) return 0
  if (isProse(key)) return textKinds(key)
  if (isNet(key)) return NET
  const numbers = (keyCodeFrom(key) >= 0 ? DIGITS : 0) | (asNumberFrom(key) >= 0 ? NUMBER : 0)
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

/** The kinds of key for which a set is consulted when the request names no sets. Among exact texts only digests and
 *  user agents are recognised. */
export function kindsRead({ set, match }: SetEntry): number {
  if (set === 'device') return DIGEST
  return set === 'browser' ? AGENT : KIND_OF[match]
}

/** Whether a key lacks the form that a named set requires. Only some sets require one; in others the table decides. */
export const lacksForm = ({ set }: SetEntry, key: string): boolean => !hasForm(set, key)

/** The normalised key of an override; null if the set cannot read it. On sets of patterns it is a literal user agent:
 *  thousands of patterns of one organisation could block the requests of all others. */
export function overrideKey(entry: SetEntry, text: string): string | null {
  if (entry.match === 'pattern') return canRead('pattern', text) ? memberFrom('exact', text) : null
  return hasForm(entry.set, text) ? memberFrom(entry.match, text) : null
}

/** Whether a domain is a public suffix such as co.uk: an override on it would cover unrelated domains. */
export const isPublicSuffix = ({ match }: SetEntry, key: string): boolean =>
  match === 'domain' && getPublicSuffix(key, { allowPrivateDomains: false }) === key

function hasForm(set: string, text: string): boolean {
  if (set === 'device') return isDigest(text.trim())
  return set !== 'browser' || isAgent(text.trim())
}

/** How overrides on a set are matched. */
export const overrideMatch = ({ match }: SetEntry): Match => (match === 'pattern' ? 'exact' : match)
