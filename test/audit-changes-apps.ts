// The audit entries and events of changes of apps, workspaces and signing keys.
import { posting, type Written } from './audit-changes.ts'
import type { TestHost } from './host.ts'

const URIS = ['https://shop.example.com/a', 'https://shop.example.com/b']
const DAY_MS = 24 * 60 * 60_000

export function appWrites(host: TestHost, next: (what: string) => string): Record<string, () => Promise<Written>> {
  const post = posting(host)
  const inDays = (days: number) => new Date(host.clock.now().getTime() + days * DAY_MS).toISOString()
  const app = async () => {
    const body = { app: next('app'), name: 'Web', type: 'confidential', people: 'team', redirectUris: [URIS[0]] }
    return post('/v1/iam/apps', body)
  }
  return {
    createApp: async () => {
      const answer = await app()
      return { answer, on: answer.body.id, changes: { name: { to: 'Web' }, redirectUris: { to: [URIS[0]] } } }
    },
    updateApp: async () => {
      const { id } = (await app()).body
      const answer = await host.call(`PATCH /v1/iam/apps/${id}`, { body: { name: 'Shop', redirectUris: URIS } })
      const changes = { name: { from: 'Web', to: 'Shop' }, redirectUris: { from: [URIS[0]], to: URIS } }
      return { answer, on: id, changes }
    },
    deleteApp: async () => {
      const { id } = (await app()).body
      return { answer: await host.call(`DELETE /v1/iam/apps/${id}`), on: id, changes: null }
    },
    rotateAppSecret: async () => {
      const { id } = (await app()).body
      return { answer: await host.call(`POST /v1/iam/apps/${id}/secret`), on: id, changes: null }
    },
    createWorkspace: async () => {
      const answer = await post('/v1/iam/workspaces', { name: 'Team' })
      return { answer, on: answer.body.id, changes: { name: { to: 'Team' } } }
    },
    deleteWorkspace: async () => {
      const { id } = (await post('/v1/iam/workspaces', { name: 'Team' })).body
      return { answer: await host.call(`DELETE /v1/iam/workspaces/${id}`), on: id, changes: { name: { from: 'Team' } } }
    },
    createWorkspaceToken: async () => {
      const { id } = (await post('/v1/iam/workspaces', { name: 'Team' })).body
      const answer = await post(`/v1/iam/workspaces/${id}/tokens`, { expires: inDays(3) })
      return { answer, on: id, changes: { expires: { to: inDays(3) } } }
    },
    rotateSigningKeys: async () => {
      const answer = await post('/v1/iam/signing-keys', {}, host.admin.key)
      const { signsFrom, retires } = answer.body
      const changes = { signsFrom: { to: signsFrom }, retires: { to: retires } }
      return { answer, on: 'default', changes, reader: host.admin.key, tenant: host.admin.org }
    },
  }
}
