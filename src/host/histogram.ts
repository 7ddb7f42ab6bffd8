// Request durations as Prometheus histograms. Not done with prom-client, because it validates and hashes the labels at
// every observation, which cost more than all other metrics of a request.

/** Upper bounds in seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

type Series = { labels: string; counts: Uint32Array; count: number; seconds: number }
/** By method and status; nested, so that a look-up builds no string. */
type ByOutcome = Map<string, Map<number, Series>>

export type Histogram = {
  /** The observer of one operation. */
  of(operation: string): (method: string, status: number, seconds: number) => void
  text(): string
}

export function histogram(name: string, help: string): Histogram {
  const all: Series[] = []

  function find(outcomes: ByOutcome, operation: string, method: string, status: number): Series {
    const byStatus = outcomes.get(method) ?? new Map<number, Series>()
    if (byStatus.size === 0) outcomes.set(method, byStatus)
    const known = byStatus.get(status)
    if (known) return known
    const labels = `operation="${operation}",method="${method}",status="${status}"`
    const fresh = { labels, counts: new Uint32Array(BUCKETS.length + 1), count: 0, seconds: 0 }
    byStatus.set(status, fresh)
    all.push(fresh)
    return fresh
  }

  return {
    of: operation => {
      const outcomes: ByOutcome = new Map()
      return (method, status, seconds) => {
        const series = find(outcomes, operation, method, status)
        let bucket = 0
        while (bucket < BUCKETS.length && seconds > BUCKETS[bucket]!) bucket++
        series.counts[bucket]!++
        series.count++
        series.seconds += seconds
      }
    },
    text: () => {
      const lines = all.flatMap(series => linesOf(name, series))
      return [`# HELP ${name} ${help}`, `# TYPE ${name} histogram`, ...lines, ''].join('\n')
    },
  }
}

/** Prometheus buckets are cumulative. */
function linesOf(name: string, { labels, counts, count, seconds }: Series): string[] {
  let below = 0
  const buckets = [...BUCKETS, '+Inf'].map((bound, at) => {
    below += counts[at]!
    return `${name}_bucket{le="${bound}",${labels}} ${below}`
  })
  return [...buckets, `${name}_sum{${labels}} ${seconds}`, `${name}_count{${labels}} ${count}`]
}
