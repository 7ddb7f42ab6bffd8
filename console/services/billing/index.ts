import type { Service } from '../services.ts'

export const billing: Service = {
  entries: [{ group: 'Organisation', label: 'Billing', icon: 'card', path: 'billing', service: 'billing', key: 'b' }],
  screens: [
    { path: 'billing', title: 'Billing', load: async () => (await import('./credits.tsx')).Credits },
    { path: 'billing/usage', title: 'Usage', load: async () => (await import('./usage.tsx')).Usage },
    { path: 'billing/alerts', title: 'Billing alerts', load: async () => (await import('./alerts.tsx')).Alerts },
  ],
}
