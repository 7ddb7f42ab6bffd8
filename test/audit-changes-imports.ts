// The audit entries of imports and exports of customers.
import type { Written } from './audit-changes.ts'
import type { TestHost } from './host.ts'

export function importWrites(host: TestHost): Record<string, () => Promise<Written>> {
  return {
    importUsers: async () => {
      const users = [{ email: 'imported@example.com' }, { email: 'wrong' }]
      const answer = await host.call('POST /v1/iam/users/import', { body: { users, replace: true } })
      const changes = { records: { to: 2 }, replace: { to: true } }
      return { answer, on: answer.body.id, changes }
    },
    exportUsers: async () => ({ answer: await host.call('GET /v1/iam/users/export'), on: 'users', changes: null }),
  }
}
