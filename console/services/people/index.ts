import type { Service } from '../services.ts'

export const people: Service = {
  entries: [{ group: 'Organisation', label: 'Members', icon: 'users', path: 'members', service: 'iam', key: 'm' }],
  screens: [
    { path: 'members', title: 'Members', load: async () => (await import('./members.tsx')).Members },
    {
      path: 'members/invitations',
      title: 'Invitations',
      load: async () => (await import('./invitations.tsx')).Invitations,
    },
    {
      path: 'members/workspaces',
      title: 'Workspaces',
      load: async () => (await import('./workspaces.tsx')).Workspaces,
    },
  ],
}
