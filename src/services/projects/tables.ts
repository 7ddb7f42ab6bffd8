import { table } from '../../kit/table.ts'
import { endClaimsOf } from './store.ts'

export const projects = table({
  name: 'projects',
  org: 'org',
  bound: {
    setting: 'STOA_PROJECTS_MAX',
    fallback: 1_000,
    doc: 'Projects that an organisation may have',
    what: 'projects',
    remedy: 'Delete one first.',
  },
})

export const domains = table({
  name: 'domains',
  org: 'org',
  ofProject: 'deleted',
  bound: {
    setting: 'STOA_DOMAINS_MAX',
    fallback: 1_000,
    doc: 'Domains that an organisation may have, in all its projects',
    what: 'domains',
    remedy: 'Detach one first.',
  },
  release: endClaimsOf, // Others may verify its hosts now, and pages there may not call with credentials any more.
})
