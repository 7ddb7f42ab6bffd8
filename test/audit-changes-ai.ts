// The audit entries of changes of providers.
import type { Written } from './audit-changes.ts'
import type { TestHost } from './host.ts'

const models = [{ id: 'large', price: { input: 1, output: 2 } }]

export function aiWrites(host: TestHost, next: (what: string) => string): Record<string, () => Promise<Written>> {
  const as = host.admin.key
  const provider = async () => {
    const name = next('provider')
    const body = { name, baseUrl: 'https://models.example.com', apiKey: 'provider-secret', models }
    return { name, answer: await host.call('POST /v1/ai/providers', { as, body }) }
  }
  return {
    addProvider: async () => {
      const { name, answer } = await provider()
      const urls = { kind: { to: 'compatible' }, baseUrl: { to: 'https://models.example.com/v1' } }
      const changes = { ...urls, hasApiKey: { to: true }, models: { to: models } }
      return { answer, on: name, changes, reader: as }
    },
    updateProvider: async () => {
      const { name } = await provider()
      const answer = await host.call(`PATCH /v1/ai/providers/${name}`, { as, body: { models: [] } })
      return { answer, on: name, changes: { models: { from: models, to: [] } }, reader: as }
    },
    deleteProvider: async () => {
      const { name } = await provider()
      const answer = await host.call(`DELETE /v1/ai/providers/${name}`, { as })
      return { answer, on: name, changes: null, reader: as }
    },
  }
}
