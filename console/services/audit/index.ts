import { manages } from '../../api.ts'
import type { Service } from '../services.ts'

export const audit: Service = {
  entries: [{ group: 'Protect', label: 'Audit trail', icon: 'audit', path: 'audit', service: 'iam', may: manages }],
  screens: [{ path: 'audit', title: 'Audit trail', load: async () => (await import('./audit.tsx')).Audit }],
}
