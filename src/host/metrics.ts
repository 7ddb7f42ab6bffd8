// Metrics in the Prometheus text format, on a separate port that API clients cannot reach.
import { createServer, type Server } from 'node:http'
import type { Registry } from 'prom-client'
import type { Database } from '../engines/engines.ts'
import type { Gauge } from '../kit/service.ts'
import { type Histogram, histogram } from './histogram.ts'

export type Metrics = {
  requests: Histogram
  text(): Promise<string>
}

/** `gauges` is called for each scrape. */
export function openMetrics(version: string, gauges: () => Gauge[]): Metrics {
  let registry: Promise<Registry> | null = null
  const requests = histogram('stoa_request_seconds', 'Time from the head of a request to the end of its answer')
  return {
    requests,
    text: async () => {
      registry ??= openRegistry()
      const byName = Map.groupBy([buildInfo(version), ...gauges()], ({ name }) => name)
      const own = [...byName.values()].map(gaugeText)
      return (await (await registry).metrics()) + requests.text() + own.join('')
    },
  }
}

/** Created at the first scrape: the default metrics of prom-client are only collected once they are used. */
async function openRegistry(): Promise<Registry> {
  const { collectDefaultMetrics, Registry } = await import('prom-client')
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  return registry
}

function buildInfo(version: string): Gauge {
  const samples = [{ labels: { version, node: process.version }, value: 1 }]
  return { name: 'stoa_build_info', help: 'The version of Stoa and of Node, as labels', samples }
}

export function databaseCalls(db: Database): Gauge {
  const loads = { requests: db.load(), background: db.background.load(), analytics: db.analytics.load() }
  const samples = Object.entries(loads).flatMap(([profile, load]) =>
    Object.entries(load).map(([state, value]) => ({ labels: { profile, state }, value })),
  )
  return { name: 'stoa_db_calls', help: 'Database calls running, and waiting for a connection', samples }
}

export function openConnectionsGauge(value: number): Gauge {
  return { name: 'stoa_connections', help: 'Open connections of clients', samples: [{ labels: {}, value }] }
}

/** Several services may have samples of one metric, which must be adjacent in the output. */
function gaugeText(all: readonly Gauge[]): string {
  const { name, help, type = 'gauge' } = all[0] as Gauge
  const lines = all
    .flatMap(one => one.samples)
    .map(({ labels, value }) => {
      const pairs = Object.entries(labels).map(([label, text]) => `${label}=${JSON.stringify(text)}`)
      return `${name}{${pairs.join(',')}} ${value}\n`
    })
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`
}

export function createMetricsServer(metrics: Metrics): Server {
  return createServer((request, response) => {
    if (request.url !== '/metrics' || request.method !== 'GET')
      return void response.writeHead(404).end('Try /metrics\n')
    metrics.text().then(
      text => response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }).end(text),
      error => response.writeHead(500).end(`${error}\n`),
    )
  })
}
