// Counts ended attempts by queue and outcome, for the metrics.
import type { Gauge } from '../../kit/service.ts'

export type Measured = { add(queue: string, outcome: string): void; gauges(): Gauge[] }

export function openJobCounts(): Measured {
  const counts = new Map<string, Map<string, number>>()
  return {
    add: (queue, outcome) => {
      let own = counts.get(queue)
      if (!own) {
        own = new Map()
        counts.set(queue, own)
      }
      own.set(outcome, (own.get(outcome) ?? 0) + 1)
    },
    gauges: () => [
      {
        name: 'stoa_queue_attempts_total',
        help: 'Attempts of the jobs of a queue that ended in this process',
        type: 'counter',
        samples: [...counts].flatMap(([queue, own]) =>
          [...own].map(([outcome, value]) => ({ labels: { queue, outcome }, value })),
        ),
      },
    ],
  }
}
