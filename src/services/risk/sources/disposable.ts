// Disposable e-mail domains of disposable-email-domains: reviewed by hand, the most accurate list.
import { parseDomainList } from './domain-list.ts'
import type { Source } from './source.ts'

export const disposable: Source = {
  source: 'disposable',
  basis: 'licence',
  terms: 'CC0-1.0 (disposable-email-domains/disposable-email-domains, LICENSE.txt)',
  origin:
    'https://raw.githubusercontent.com/disposable-email-domains/disposable-email-domains/main/' +
    'disposable_email_blocklist.conf',
  parse: parseDomainList,
}
