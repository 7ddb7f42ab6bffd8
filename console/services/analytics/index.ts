import type { Service } from '../services.ts'

export const analytics: Service = {
  entries: [{ group: 'Product', label: 'Analytics', icon: 'chart', path: 'analytics', service: 'event', key: 'a' }],
  screens: [{ path: 'analytics', title: 'Analytics', load: async () => (await import('./analytics.tsx')).Analytics }],
}
