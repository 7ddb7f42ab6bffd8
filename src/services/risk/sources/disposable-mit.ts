// Disposable e-mail domains of disposable/disposable-email-domains: collected automatically; much larger but less
// accurate.
import { parseDomainList } from './domain-list.ts'
import type { Source } from './source.ts'

export const disposableMit: Source = {
  source: 'disposable-mit',
  basis: 'licence',
  terms: 'MIT (disposable/disposable-email-domains)',
  origin: 'https://raw.githubusercontent.com/disposable/disposable-email-domains/master/domains.txt',
  parse: parseDomainList,
}
