// What the host counts, as Prometheus text on a port of its own that no client of the API can reach.
import { createServer, type Server } from 'node:http'
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Database } from '../engines/engines.ts'

export type Metrics = {
  /** Counts one answered request. */
  answered(operation: string, method: string, status: number, seconds: number): void
  text(): Promise<string>
}

export function openMetrics(db: Database): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const requests = new Histogram({
    name: 'stoa_request_seconds',
    help: 'Time from the first byte of a request to the end of its answer',
    labelNames: ['operation', 'method', 'status'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [registry],
  })
  new Gauge({
    name: 'stoa_db_calls',
    help: 'Database calls running, and waiting for a connection',
    labelNames: ['state'] as const,
    registers: [registry],
    collect() {
      const { running, waiting } = db.load()
      this.set({ state: 'running' }, running)
      this.set({ state: 'waiting' }, waiting)
    },
  })
  // Finding a labelled series by its labels costs more than counting in it, so each is found once.
  const series = new Map<string, { observe(seconds: number): void }>()
  return {
    answered: (operation, method, status, seconds) => {
      const name = `${operation} ${method} ${status}`
      let one = series.get(name)
      if (!one) {
        one = requests.labels(operation, method, String(status))
        series.set(name, one)
      }
      one.observe(seconds)
    },
    text: () => registry.metrics(),
  }
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
