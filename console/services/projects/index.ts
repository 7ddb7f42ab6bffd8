import type { Service } from '../services.ts'

export const projects: Service = {
  entries: [{ group: '', label: 'Projects', icon: 'folder', path: 'projects', service: 'projects', key: 'p' }],
  screens: [
    { path: 'projects', title: 'Projects', load: async () => (await import('./projects.tsx')).Projects },
    { path: 'projects/$slug', title: 'Project', load: async () => (await import('./domains.tsx')).Domains },
  ],
}
