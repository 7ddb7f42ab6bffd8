import type { Service } from '../services.ts'

export const home: Service = {
  entries: [{ group: '', label: 'Home', icon: 'home', path: 'home', key: 'h' }],
  screens: [{ path: 'home', title: 'Home', load: async () => (await import('./home.tsx')).Home }],
}
