import { fragment } from '../../kit/sql.ts'
import { table } from '../../kit/table.ts'
import type { Webhooks } from './state.ts'

const DAY_MS = 86_400_000

const keptMs = ({ keptDays }: Webhooks) => keptDays * DAY_MS
/** Older deliveries cannot be sent again. */
const resentMs = ({ keptDays, backlogDays }: Webhooks) => (keptDays + backlogDays + 1) * DAY_MS

export const webhooks = table({
  name: 'webhooks',
  org: 'org',
  bound: {
    setting: 'STOA_WEBHOOKS_MAX',
    fallback: 1_000,
    doc: 'Webhook endpoints that an organisation may have',
    what: 'endpoints',
    remedy: 'Delete one first.',
  },
})

/** Deleted endpoints that may still have deliveries. */
export const deleted = table({ name: 'webhook_deleted', org: 'org' })

const through = ['webhooks', 'webhook_deleted'].map(name => ({
  table: name,
  columns: ['webhook'],
  keys: [name === 'webhooks' ? 'id' : 'webhook'],
}))

export const attempts = table({
  name: 'webhook_attempts',
  through,
  retention: [{ column: 'delivery', type: 'id', keptMs }],
})

export const events = table({
  name: 'webhook_events',
  org: 'org',
  retention: [
    { column: 'id', type: 'id', keptMs, where: fragment`resends = 0` },
    { column: 'id', type: 'id', keptMs: resentMs },
  ],
})

export const days = table({
  name: 'webhook_days',
  through,
  retention: [{ column: 'day', type: 'day', keptMs: 8 * DAY_MS, by: 'blocks' }],
})

export const failures = table({ name: 'webhook_failures', through: through.slice(0, 1) })
