import { service } from '../../kit/service.ts'
import { count, setting } from '../../kit/setting.ts'
import { checkHosts, domainChecks } from './domain-checks.ts'
import * as domains from './domains.ts'
import { openKnownProjects } from './known-projects.ts'
import { tellOwners } from './lost-hosts.ts'
import * as projects from './projects.ts'
import { openVerifiedHosts } from './verified-hosts.ts'

export const projectsService = service({
  name: 'projects',
  what: 'The products an organisation builds; resources of a product name its project',
  operations: [projects, domains],
  migrations: new URL('migrations/', import.meta.url),
  settings: {
    STOA_PROJECTS_MAX: setting('Projects that an organisation may have', '1000', count),
    STOA_DOMAINS_MAX: setting('Domains that an organisation may have, in all its projects', '1000', count),
  },
  schedules: [checkHosts, tellOwners],
  queues: [domainChecks],
  open: async ({ engines, settings, baseUrl: source }) => ({
    state: { projectsMax: settings.STOA_PROJECTS_MAX, domainsMax: settings.STOA_DOMAINS_MAX, source },
    provides: {
      isVerified: await openVerifiedHosts(engines.db, engines.clock),
      hasProject: await openKnownProjects(engines.db, engines.clock),
    },
  }),
})
