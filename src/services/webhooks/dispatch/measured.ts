// Attempts by endpoint, for the metrics: only of the endpoints used most recently, because each takes several lines.
import type { OrgId } from '../../../kit/caller.ts'
import type { Gauge } from '../../../kit/service.ts'

const ENDPOINTS_MAX = 1_000

type Count = { org: OrgId; ok: number; failed: number; ms: number }

export type Measured = {
  add(org: OrgId, webhook: string, isOk: boolean, durationMs: number): void
  gauges(): Gauge[]
}

export function openDeliveryCounts(): Measured {
  const counts = new Map<string, Count>()
  const samples = (labels: Record<string, string>, read: (count: Count) => number) =>
    [...counts].map(([webhook, count]) => ({ labels: { org: count.org, webhook, ...labels }, value: read(count) }))
  return {
    add: (org, webhook, isOk, durationMs) => {
      const count = counts.get(webhook) ?? { org, ok: 0, failed: 0, ms: 0 }
      count[isOk ? 'ok' : 'failed']++
      count.ms += durationMs
      // The last one in the order of the map is the one that was tried last.
      counts.delete(webhook)
      counts.set(webhook, count)
      if (counts.size > ENDPOINTS_MAX) counts.delete(counts.keys().next().value as string)
    },
    gauges: () => [
      {
        name: 'stoa_webhook_attempts_total',
        help: 'Attempts to deliver an event to an endpoint by this process',
        type: 'counter',
        samples: [
          ...samples({ outcome: 'ok' }, ({ ok }) => ok),
          ...samples({ outcome: 'failed' }, ({ failed }) => failed),
        ],
      },
      {
        name: 'stoa_webhook_seconds_total',
        help: 'The total duration of these attempts',
        type: 'counter',
        samples: samples({}, ({ ms }) => ms / 1_000),
      },
    ],
  }
}
