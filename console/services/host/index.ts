import type { Me } from '../../api.ts'
import type { Service } from '../services.ts'

const may = (me: Me) => me.superadmin
const GROUP = { group: 'Host', may } as const

export const host: Service = {
  entries: [
    { ...GROUP, label: 'Organisations', icon: 'globe', path: '/host/orgs', service: 'iam' },
    { ...GROUP, label: 'Providers', icon: 'branch', path: '/host/providers', service: 'ai' },
    { ...GROUP, label: 'Health', icon: 'trace', path: '/host/health', service: 'o11y' },
  ],
  screens: [
    { path: '/host/orgs', title: 'Organisations', load: async () => (await import('./orgs.tsx')).Orgs },
    { path: '/host/providers', title: 'Providers', load: async () => (await import('./providers.tsx')).Providers },
    { path: '/host/health', title: 'Health', load: async () => (await import('./health.tsx')).Health },
    {
      path: '/host/health/dead-letters',
      title: 'Dead letters',
      load: async () => (await import('./health-dead-letters.tsx')).DeadLetters,
    },
    { path: '/host/health/tables', title: 'Tables', load: async () => (await import('./health-tables.tsx')).Tables },
    { path: '/host/health/mail', title: 'Mail', load: async () => (await import('./health-mail.tsx')).Mail },
  ],
}
