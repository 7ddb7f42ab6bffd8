import type { Service } from '../services.ts'

export const tools: Service = {
  entries: [{ group: 'Build', label: 'Tools', icon: 'tool', path: 'tools', service: 'mcp' }],
  screens: [{ path: 'tools', title: 'Tools', load: async () => (await import('./tools.tsx')).Tools }],
}
