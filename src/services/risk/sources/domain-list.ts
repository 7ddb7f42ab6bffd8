// Reads a list of disposable e-mail domains, one per line. Such lists have had two kinds of harmful errors: a public
// suffix, under which thousands of owners register domains, and a large mail provider.
import { getPublicSuffix } from 'tldts'
import { memberFrom } from '../match/match.ts'
import { openCollector } from './collector.ts'
import { type Parsed, Unreadable } from './source.ts'
import { listRows } from './text.ts'

/** Large mail providers. A list that contains one of them is rejected as a whole. */
const LARGE_PROVIDERS = new Set([
  'gmail.com',
  'googlemail.com',
  'outlook.com',
  'hotmail.com',
  'hotmail.co.uk',
  'hotmail.fr',
  'live.com',
  'msn.com',
  'yahoo.com',
  'yahoo.co.uk',
  'yahoo.co.jp',
  'yahoo.fr',
  'ymail.com',
  'aol.com',
  'icloud.com',
  'me.com',
  'mac.com',
  'proton.me',
  'protonmail.com',
  'pm.me',
  'gmx.de',
  'gmx.net',
  'gmx.com',
  'web.de',
  't-online.de',
  'mail.com',
  'qq.com',
  '163.com',
  '126.com',
  'sina.com',
  'naver.com',
  'mail.ru',
  'yandex.ru',
  'yandex.com',
  'zoho.com',
  'fastmail.com',
  'tutanota.com',
  'orange.fr',
  'free.fr',
  'laposte.net',
  'libero.it',
  'wp.pl',
  'seznam.cz',
  'rediffmail.com',
  'comcast.net',
  'verizon.net',
  'att.net',
  'btinternet.com',
  'bigpond.com',
])

/** How many providers the error message lists. */
const SHOWN_MAX = 5

const VALUE = { class: 'disposable' }

export function parseDomainList(text: string): Parsed {
  const domains = openCollector('domain')
  const largeProviders = new Set<string>()
  for (const row of listRows(text)) {
    // The matcher also reads e-mail addresses, which do not belong in such a list.
    const domain = row.includes('@') ? null : memberFrom('domain', row)
    if (domain === null) domains.bad(row)
    else if (isPublicSuffix(domain)) domains.drop()
    else domains.keep(domain, VALUE)
    if (domain !== null && LARGE_PROVIDERS.has(domain)) largeProviders.add(domain)
  }
  if (largeProviders.size > 0)
    throw new Unreadable(`The list contains large mail providers: ${namesOf(largeProviders)}`)
  return domains.done()
}

function isPublicSuffix(domain: string): boolean {
  const options = { allowPrivateDomains: true, extractHostname: false, validateHostname: false }
  return getPublicSuffix(domain, options) === domain
}

function namesOf(largeProviders: ReadonlySet<string>): string {
  const names = [...largeProviders].sort()
  const more = names.length - SHOWN_MAX
  return more > 0 ? `${names.slice(0, SHOWN_MAX).join(', ')} and ${more} more` : names.join(', ')
}
