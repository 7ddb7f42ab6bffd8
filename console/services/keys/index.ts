import type { Service } from '../services.ts'

export const keys: Service = {
  entries: [{ group: 'Build', label: 'API keys', icon: 'key', path: 'keys', service: 'account', key: 'k' }],
  screens: [{ path: 'keys', title: 'API keys', load: async () => (await import('./keys.tsx')).Keys }],
}
