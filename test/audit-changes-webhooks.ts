// The audit entries and events of changes of webhook endpoints and of redeliveries.
import type { Written } from './audit-changes.ts'
import type { TestHost } from './host.ts'
import { failedDelivery } from './webhook-delivery.ts'

const url = 'https://hooks.example.com/stoa'

export function webhookWrites(host: TestHost): Record<string, () => Promise<Written>> {
  const create = () => host.call('POST /v1/webhooks', { body: { url, events: ['shop.>'] } })
  const made = { url: { to: url }, events: { to: ['shop.>'] }, description: { to: '' }, status: { to: 'active' } }
  return {
    createWebhook: async () => {
      const answer = await create()
      return { answer, on: answer.body.id, changes: made }
    },
    updateWebhook: async () => {
      const { id } = (await create()).body
      const answer = await host.call(`PATCH /v1/webhooks/${id}`, { body: { status: 'disabled' } })
      return { answer, on: id, changes: { status: { from: 'active', to: 'disabled' } } }
    },
    deleteWebhook: async () => {
      const { id } = (await create()).body
      return { answer: await host.call(`DELETE /v1/webhooks/${id}`), on: id, changes: { url: { from: url } } }
    },
    rotateWebhookSecret: async () => {
      const { id } = (await create()).body
      const answer = await host.call(`POST /v1/webhooks/${id}/secret`, { body: { overlap: 60 } })
      return { answer, on: id, changes: { overlap: { to: 60 } } }
    },
    resendWebhookDelivery: async () => {
      const { id, delivery } = await failedDelivery(host)
      const answer = await host.call(`POST /v1/webhooks/${id}/deliveries/${delivery}/resend`, { body: {} })
      return { answer, on: id, changes: { delivery: { to: delivery } }, emits: [] }
    },
    resendFailedWebhookDeliveries: async () => {
      const { id } = await failedDelivery(host)
      const since = '2026-01-01T00:00:00.000Z'
      const answer = await host.call(`POST /v1/webhooks/${id}/resend`, { body: { since } })
      return { answer, on: id, changes: { since: { to: since }, count: { to: 1 } }, emits: [] }
    },
  }
}
