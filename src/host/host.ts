// The whole host: operations behind one TLS port, metrics behind another.
import type { Server } from 'node:http'
import type { AddressInfo, BlockList } from 'node:net'
import type { Engines } from '../engines/engines.ts'
import type { AuditTrail } from '../kit/audit.ts'
import type { Credentials } from '../kit/credentials.ts'
import type { Operation } from '../kit/operation.ts'
import type { Opened, Service, ServiceSettings } from '../kit/service.ts'
import type { SignIn } from '../kit/sign-in.ts'
import { aboutOperations } from './about.ts'
import type { Origins } from './cors.ts'
import type { Histogram } from './histogram.ts'
import { createListener, type ListenerOptions } from './listener.ts'
import type { Log } from './log.ts'
import { createMetricsServer, openMetrics } from './metrics.ts'
import { openapiDocument, type Section } from './openapi.ts'
import { openRates } from './rates.ts'
import { relayOperations } from './relay.ts'
import type { RouteOptions } from './routes.ts'
import { buildServer } from './server.ts'
import { openTurns } from './turns.ts'
import { startWorkers } from './workers.ts'

export type HostOptions = {
  services: readonly Service[]
  engines: Engines
  credentials: Credentials
  audit: AuditTrail
  settings: ServiceSettings
  /** Whether services do by themselves what they do beside requests. */
  works: boolean
  signIn: () => SignIn
  /** Services that run elsewhere, by name. Theirs replace the operations of the same service here. */
  upstreams: ReadonlyMap<string, URL>
  /** The origins this host goes by, once its port is known. Their pages may use it with credentials. */
  ownOrigins: (port: number) => string[]
  isVerified: Origins['isVerified']
  address: { host: string; port: number; metricsHost: string; metricsPort: number }
  tls: ListenerOptions['tls']
  trusted: BlockList | null
  hsts: boolean
  log: Log
  timeouts?: ListenerOptions['timeouts']
  inspect?: RouteOptions['inspect']
}

export type Host = {
  port: number
  metricsPort: number
  /** Where what else this process serves is counted too. */
  requests: Histogram
  drain(graceMs: number): Promise<void>
}

/** Every operation this host describes, under the heading of its service. */
export function sectionsOf(services: readonly Service[]): Section[] {
  let document: object | null = null
  const about = aboutOperations(services, () => {
    document ??= openapiDocument(sections)
    return document
  })
  const sections: Section[] = [{ name: 'host', what: 'The host itself', operations: about }, ...services]
  return sections
}

function allOperations(sections: readonly Pick<Section, 'operations'>[]): Record<string, Operation> {
  const all: Record<string, Operation> = {}
  for (const [id, operation] of sections.flatMap(one => Object.entries(one.operations))) {
    if (id in all) throw new Error(`two operations are called ${id}`)
    all[id] = operation
  }
  return all
}

export async function openHost(options: HostOptions): Promise<Host> {
  const { services, upstreams, engines, log } = options
  const here = services.map(one => (upstreams.has(one.name) ? { ...one, operations: {} } : one))
  const sections = sectionsOf(here)
  const relays = [...upstreams].map(([name, url]) => ({ operations: relayOperations(name, url) }))
  const operations = allOperations([...sections, ...relays])

  const opened = await openServices(options, here)
  const metrics = openMetrics(engines.db, () => [...opened.values()].flatMap(one => one.gauges?.() ?? []))
  const states = new Map([...opened].map(([name, { state }]) => [name, state]))
  const own = new Set<string>()
  const server = await buildServer({
    ...options,
    ...{ operations, metrics, log, states },
    serviceNames: new Set(services.map(one => one.name)),
    rates: openRates(engines.clock),
    turns: openTurns(),
    origins: { own, isVerified: options.isVerified },
  })
  const listener = createListener({ ...options, ...server })
  const metricsServer = createMetricsServer(metrics)
  const { host, port, metricsHost, metricsPort } = options.address
  const bound = await listen(listener.server, host, port)
  for (const origin of options.ownOrigins(bound)) own.add(origin)
  const stopWork = options.works ? startWorkers({ services: here, engines, states, log }) : async () => {}
  return {
    port: bound,
    requests: metrics.requests,
    metricsPort: await listen(metricsServer, metricsHost, metricsPort),
    drain: async graceMs => {
      server.closing()
      await Promise.all([listener.drain(graceMs), stopWork()])
      for (const { close } of opened.values()) await close?.()
      metricsServer.close()
      metricsServer.closeAllConnections()
    },
  }
}

/** Lets every service that keeps something in memory open it. */
async function openServices({ engines, settings, log }: HostOptions, services: readonly Service[]) {
  const opened = new Map<string, Opened>()
  for (const { name, open } of services) {
    const warn = (error: unknown) => log.events.warn({ err: error, service: name }, 'service')
    if (open) opened.set(name, await open({ engines, settings, warn }))
  }
  return opened
}

/** Answers the port, once it listens. */
export function listen(server: Server | import('node:https').Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port, backlog: 1024 }, () => resolve((server.address() as AddressInfo).port))
  })
}
