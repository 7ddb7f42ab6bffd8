import type { Service } from '../services.ts'

export const models: Service = {
  entries: [{ group: 'Build', label: 'Models', icon: 'chip', path: 'models', service: 'ai', key: 'm' }],
  screens: [
    { path: 'models', title: 'Model requests', load: async () => (await import('./requests.tsx')).Requests },
    { path: 'models/playground', title: 'Playground', load: async () => (await import('./playground.tsx')).Playground },
    {
      path: 'models/catalogue',
      title: 'Models and prices',
      load: async () => (await import('./catalogue.tsx')).Catalogue,
    },
    {
      path: 'models/routing',
      title: 'Aliases and fallbacks',
      load: async () => (await import('./routing.tsx')).Routing,
    },
  ],
}
