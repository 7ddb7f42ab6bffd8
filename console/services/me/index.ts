import type { Service } from '../services.ts'

export const me: Service = {
  // The foot of the sidebar and the menu of organisations lead there.
  entries: [],
  screens: [
    { path: '/me', title: 'Your account', load: async () => (await import('./profile.tsx')).Profile },
    { path: '/me/sessions', title: 'Your sign-ins', load: async () => (await import('./sessions.tsx')).OwnSessions },
  ],
}
