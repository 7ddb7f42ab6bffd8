import { service } from '../../kit/service.ts'
import { checkHosts, domainChecks } from './domain-checks.ts'
import * as domains from './domains.ts'
import { openKnownProjects } from './known-projects.ts'
import { tellOwners } from './lost-hosts.ts'
import * as projects from './projects.ts'
import * as tables from './tables.ts'
import { openVerifiedHosts } from './verified-hosts.ts'

export const projectsService = service({
  name: 'projects',
  what: 'The products an organisation builds; resources of a product name its project',
  operations: [projects, domains],
  migrations: new URL('migrations/', import.meta.url),
  tables,
  schedules: [checkHosts, tellOwners],
  queues: [domainChecks],
  open: async ({ engines, baseUrl: source }) => ({
    state: { source },
    provides: {
      isVerified: await openVerifiedHosts(engines.db, engines.clock),
      hasProject: await openKnownProjects(engines.db, engines.clock),
    },
  }),
})
