import { service } from '../../kit/service.ts'
import * as domains from './domains.ts'
import * as projects from './projects.ts'
import { openVerifiedHosts } from './verified-hosts.ts'

export const projectsService = service({
  name: 'projects',
  what: 'The products an organisation builds; resources of a product name its project',
  operations: [projects, domains],
  migrations: new URL('migrations/', import.meta.url),
  open: async ({ engines }) => ({
    state: undefined,
    provides: { isVerified: await openVerifiedHosts(engines.db, engines.clock) },
  }),
})
