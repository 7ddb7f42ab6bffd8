// Reads a list of throwaway e-mail domains, one in a line. Such lists have been wrong in two ways that hurt: naming a
// suffix under which thousands of owners live, and naming a provider that half the world uses.
import { getPublicSuffix } from 'tldts'
import { memberFrom } from '../match/match.ts'
import { openCollector } from './collector.ts'
import { type Parsed, Unreadable } from './source.ts'
import { rowsOf } from './text.ts'

/** Where people at large have their mailboxes. A list that names one is damaged, and nothing else in it is trusted. */
const LARGE_PROVIDERS = new Set([
  ...[
    'gmail.com',
    'googlemail.com',
    'outlook.com',
    'hotmail.com',
    'hotmail.co.uk',
    'hotmail.fr',
    'live.com',
    'msn.com',
  ],
  ...['yahoo.com', 'yahoo.co.uk', 'yahoo.co.jp', 'yahoo.fr', 'ymail.com', 'aol.com', 'icloud.com', 'me.com', 'mac.com'],
  ...['proton.me', 'protonmail.com', 'pm.me', 'gmx.de', 'gmx.net', 'gmx.com', 'web.de', 't-online.de', 'mail.com'],
  ...['qq.com', '163.com', '126.com', 'sina.com', 'naver.com', 'mail.ru', 'yandex.ru', 'yandex.com', 'zoho.com'],
  ...['fastmail.com', 'tutanota.com', 'orange.fr', 'free.fr', 'laposte.net', 'libero.it', 'wp.pl', 'seznam.cz'],
  ...['rediffmail.com', 'comcast.net', 'verizon.net', 'att.net', 'btinternet.com', 'bigpond.com'],
])

/** Names enough to see what happened; a list may name them all. */
const SHOWN_MAX = 5

const VALUE = { class: 'disposable' }

export function parseDomainList(text: string): Parsed {
  const domains = openCollector('domain')
  const largeProviders = new Set<string>()
  for (const row of rowsOf(text)) {
    // The matcher also reads addresses of people, which such a list does not hold.
    const domain = row.includes('@') ? null : memberFrom('domain', row)
    if (domain === null) domains.bad(row)
    else if (isPublicSuffix(domain)) domains.drop()
    else domains.keep(domain, VALUE)
    if (domain !== null && LARGE_PROVIDERS.has(domain)) largeProviders.add(domain)
  }
  if (largeProviders.size > 0)
    throw new Unreadable(`The list names ${namesOf(largeProviders)}, where people at large have their mailboxes`)
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
