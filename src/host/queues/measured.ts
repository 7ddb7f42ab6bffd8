// How many attempts of each queue ended, by outcome, for the metrics.
import type { Gauge } from '../../kit/service.ts'

export type Measured = { add(queue: string, outcome: string): void; gauges(): Gauge[] }

export function openMeasured(): Measured {
  const counts = new Map<string, { queue: string; outcome: string; value: number }>()
  return {
    add: (queue, outcome) => {
      const name = `${queue} ${outcome}`
      const count = counts.get(name) ?? { queue, outcome, value: 0 }
      count.value++
      counts.set(name, count)
    },
    gauges: () => [
      {
        name: 'stoa_queue_attempts_total',
        help: 'Attempts of the jobs of a queue that ended in this process',
        type: 'counter',
        samples: [...counts.values()].map(({ value, ...labels }) => ({ labels, value })),
      },
    ],
  }
}
