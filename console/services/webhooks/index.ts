import type { Service } from '../services.ts'

export const webhooks: Service = {
  entries: [{ group: 'Build', label: 'Webhooks', icon: 'hook', path: 'webhooks', service: 'webhooks', key: 'w' }],
  screens: [
    { path: 'webhooks', title: 'Webhooks', load: async () => (await import('./webhooks.tsx')).Webhooks },
    { path: 'webhooks/$id', title: 'Webhooks', load: async () => (await import('./endpoint.tsx')).Endpoint },
  ],
}
