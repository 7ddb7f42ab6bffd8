import { manages } from '../../api.ts'
import type { Service } from '../services.ts'

const COMMON = { group: 'Protect', icon: 'signin', service: 'iam' } as const

export const signin: Service = {
  entries: [
    { ...COMMON, label: 'Sign-in', path: 'signin', may: manages },
    // Members see their own.
    { ...COMMON, label: 'Sign-ins', path: 'signin/sessions', may: me => !manages(me) },
  ],
  screens: [
    { path: 'signin', title: 'Apps', load: async () => (await import('./apps.tsx')).Apps },
    { path: 'signin/sessions', title: 'Sign-ins', load: async () => (await import('./sessions.tsx')).Sessions },
    { path: 'signin/customers', title: 'Customers', load: async () => (await import('./customers.tsx')).Customers },
    { path: 'signin/import', title: 'Import customers', load: async () => (await import('./import.tsx')).Import },
    { path: 'signin/branding', title: 'Branding', load: async () => (await import('./branding.tsx')).BrandingScreen },
  ],
}
