import type { Service } from '../services.ts'

export const errors: Service = {
  entries: [{ group: 'Product', label: 'Errors', icon: 'error', path: 'errors', service: 'errors', key: 'e' }],
  screens: [{ path: 'errors', title: 'Errors', load: async () => (await import('./errors.tsx')).Errors }],
}
