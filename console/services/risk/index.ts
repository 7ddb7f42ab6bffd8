import type { Service } from '../services.ts'

export const risk: Service = {
  entries: [{ group: 'Protect', label: 'Risk', icon: 'shield', path: 'risk', service: 'risk', key: 'r' }],
  screens: [
    { path: 'risk', title: 'Risk', load: async () => (await import('./sets.tsx')).Sets },
    { path: 'risk/lookup', title: 'Risk look-up', load: async () => (await import('./lookup.tsx')).LookUp },
    { path: 'risk/$set', title: 'Overrides', load: async () => (await import('./overrides.tsx')).Overrides },
  ],
}
