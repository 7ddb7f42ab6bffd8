import type { Service } from '../services.ts'

export const events: Service = {
  entries: [{ group: 'Product', label: 'Events', icon: 'bolt', path: 'events', service: 'event' }],
  screens: [
    { path: 'events', title: 'Events', load: async () => (await import('./events.tsx')).Events },
    { path: 'events/names', title: 'Names of events', load: async () => (await import('./names.tsx')).EventNames },
    { path: 'events/search', title: 'Search events', load: async () => (await import('./search.tsx')).SearchEvents },
    {
      path: 'events/sending',
      title: 'Sending and settings',
      load: async () => (await import('./sending.tsx')).Sending,
    },
  ],
}
