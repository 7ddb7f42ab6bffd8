// The host: operations on one TLS port, metrics on another.

import type { BlockList } from 'node:net'
import { brotliCompressSync, constants } from 'node:zlib'
import type { Engines } from '../engines/engines.ts'
import { openTurns } from '../fair/turns.ts'
import { jsonBody } from '../kit/answer.ts'
import type { IdentityProvider } from '../kit/host/sign-in.ts'
import { nearOf } from '../kit/near.ts'
import type { Calls, Operation } from '../kit/operation.ts'
import { type OrgSettingsCache, openOrgSettings } from '../kit/org-settings/read.ts'
import type { Queues } from '../kit/queue.ts'
import type { Opened, Provided, Service } from '../kit/service.ts'
import type { Bounds } from '../kit/table.ts'
import { openBounds } from '../kit/tables/bounds.ts'
import { aboutOperations } from './about.ts'
import type { Inspect } from './answer.ts'
import { startBackground, startSchedules } from './background.ts'
import { openCalls } from './calls.ts'
import type { Connections } from './connections.ts'
import { type Document, documentOf, type Files, type FindFile, openFiles, withBrotli } from './files.ts'
import type { Histogram } from './histogram.ts'
import { type Listener, listen } from './listener.ts'
import type { Log } from './log.ts'
import { openAnswerBudget, openBodyBudget } from './memory-budget.ts'
import { createMetricsServer, databaseCalls, openConnectionsGauge, openMetrics } from './metrics.ts'
import { openapiDocument, type Section } from './openapi.ts'
import { type DeclaredQueue, declaredQueue, openJobs } from './queues/jobs.ts'
import { openJobCounts } from './queues/measured.ts'
import { openWaker } from './queues/waker.ts'
import { openRates } from './rates.ts'
import type { Refusals } from './refusals.ts'
import { relayOperations } from './relay.ts'
import type { Route } from './scope.ts'
import { openSerial } from './serial.ts'
import { buildServer } from './server.ts'

export type HostOptions = {
  services: readonly Service[]
  /** The product's version, for the metrics. */
  version: string
  engines: Engines
  /** The values of the services' settings, by name. */
  settings: Readonly<Record<string, unknown>>
  identity: IdentityProvider
  /** Whether schedules, consumers and queues run in this process. */
  runsBackground: boolean
  /** Whether no other process uses the database. */
  isAlone: boolean
  /** URLs of services that run elsewhere, by name. Relays replace their operations. */
  upstreams: ReadonlyMap<string, URL>
  /** The URL at which clients reach this host. */
  baseUrl: string
  /** The origins of this host. Their pages may call it with credentials. */
  ownOrigins: readonly string[]
  files: readonly Files[]
  /** Pages that come and change while the host runs, before `files`. */
  pages?: FindFile | null
  listener: Listener
  requestId: () => string
  metricsAddress: { host: string; port: number }
  trusted: BlockList | null
  hsts: boolean
  log: Log
  refusals: Refusals
  connections: Pick<Connections, 'count'>
  /** Memory for request bodies received at the same time. */
  bodyBytesMax: number
  /** Memory for answers that clients have not read yet. */
  answerBytesMax: number
  inspect?: Inspect
}

export type Host = {
  metricsPort: number
  /** Also used by the other servers of this process. */
  requests: Histogram
  isVerified: Provided['isVerified']
  isDisposable: NonNullable<Provided['isDisposable']>
  calls: Calls
  jobs: Queues
  orgSettings: OrgSettingsCache
  /** Starts to handle requests; until then every request is answered 503. */
  serve(): void
  drain(graceMs: number): Promise<void>
}

/** How many requests start in one turn of the event loop: a millisecond or two of work. */
const REQUESTS_PER_TURN = 6

/** It takes 30 ms for the document; the best quality takes two seconds and saves a sixth more. */
const QUALITY = { [constants.BROTLI_PARAM_QUALITY]: 5 }
const compressed = (document: Document) => withBrotli(document, brotliCompressSync(document.bytes, { params: QUALITY }))

/** Every documented operation, grouped by service. */
export function sectionsOf(services: readonly Service[], ping: () => Promise<void> = async () => {}): Section[] {
  let document: Document | null = null
  const about = aboutOperations(
    services,
    () => {
      document ??= compressed(documentOf(Buffer.from(jsonBody(openapiDocument(sections))), '.json'))
      return document
    },
    ping,
  )
  const sections: Section[] = [{ name: 'host', what: 'The host itself', operations: about }, ...services]
  return sections
}

export async function openHost(options: HostOptions): Promise<Host> {
  const { services, upstreams, engines, listener } = options
  const local = services.map(one => (upstreams.has(one.name) ? { ...one, operations: {} } : one))
  const relays = services.flatMap(one => {
    const url = upstreams.get(one.name)
    return url ? [{ operations: relayOperations(one, url) }] : []
  })
  const bounds = openBounds(engines.clock, options.settings)
  const opened = await openServices(options, local, bounds)
  const states = new Map([...opened].map(([name, { state }]) => [name, state]))
  const queues = openQueues(options, local, states)
  const metrics = openMetrics(options.version, () => [
    databaseCalls(engines.db),
    openConnectionsGauge(options.connections.count()),
    options.refusals.metric(),
    ...queues.measured.gauges(),
    ...[...opened.values()].flatMap(one => one.gauges?.() ?? []),
  ])
  const routes = routesOf([...sectionsOf(local, engines.db.ping), ...relays], metrics.requests)
  const provided = providedBy([...opened.values()])
  const path = {
    ...options,
    ...provided,
    routes,
    source: options.baseUrl,
    states,
    jobs: queues.jobs,
    bounds,
    orgSettings: await openOrgSettings(engines.db, engines.clock),
    rates: openRates(engines.clock, provided.leasePermits),
    serial: openSerial(),
    unkept: new Set<string>(),
    bodies: openBodyBudget(options.bodyBytesMax),
    unread: openAnswerBudget(options.answerBytesMax),
    turns: openTurns(REQUESTS_PER_TURN),
  }
  const calls = openCalls(path)
  const origins = { own: new Set(options.ownOrigins), isVerified: provided.isVerified }
  const { pages } = options
  const fixed = openFiles(options.files, Object.assign({}, ...[...opened.values()].map(one => one.documents)))
  const findFile: FindFile = (...asked) => pages?.(...asked) ?? fixed(...asked)
  const unbuilt = unbuiltPaths(services, upstreams)
  const near = nearRoutes(services)
  const server = buildServer({ ...path, calls, metrics, origins, unbuilt, near, findFile })
  provided.endedOrgs.onEnd(server.stopStreamsOf)
  const metricsServer = createMetricsServer(metrics)
  const metricsPort = await listen(metricsServer, options.metricsAddress.host, options.metricsAddress.port)
  const stopOwn = startSchedules({ ...path, services: local }, 'process')
  const stopBackground = options.runsBackground
    ? await startBackground({ ...path, services: local, queues })
    : async () => {}
  return {
    metricsPort,
    requests: metrics.requests,
    isVerified: provided.isVerified,
    isDisposable: provided.isDisposable ?? (async () => null),
    calls,
    jobs: queues.jobs,
    orgSettings: path.orgSettings,
    serve: () => listener.serve(server.handle, server.refused),
    drain: async graceMs => {
      server.close()
      // Streams may end by themselves within half of the time; the rest are then stopped. Streams that stand for values are
      // stopped when just enough time is left to report this to their clients.
      const stops = [setTimeout(server.stopStreams, graceMs / 2), setTimeout(server.stopValues, (graceMs * 5) / 6)]
      await Promise.all([listener.drain(graceMs), stopBackground()])
      await stopOwn()
      for (const stop of stops) clearTimeout(stop)
      server.stopStreams()
      server.stopValues()
      await path.rates.close()
      for (const { close } of opened.values()) await close?.()
      metricsServer.close()
      metricsServer.closeAllConnections()
    },
  }
}

function routesOf(sections: readonly { operations: Record<string, Operation> }[], requests: Histogram) {
  const routes = new Map<string, Route>()
  for (const [id, operation] of sections.flatMap(one => Object.entries(one.operations))) {
    if (routes.has(id)) throw new Error(`two operations are named ${id}`)
    routes.set(id, { id, operation, observe: requests.of(id) })
  }
  return routes
}

/** Opens the queues that services add jobs to, and their workers. */
function openQueues(options: HostOptions, services: readonly Service[], states: ReadonlyMap<string, unknown>) {
  const { engines, baseUrl: source, isAlone } = options
  const { log, clock, random } = engines
  const queues = new Map<string, DeclaredQueue>()
  for (const [queue, state] of services.flatMap(one =>
    one.queues.map(queue => [queue, states.get(one.name)] as const),
  )) {
    if (queues.has(queue.id)) throw new Error(`two queues are named ${queue.id}`)
    queues.set(queue.id, declaredQueue(queue, state))
  }
  const waker = openWaker(clock)
  const by = { log, clock, random, source, queues, me: random.token(16) }
  return { ...by, engines, waker, isAlone, measured: openJobCounts(), jobs: openJobs({ ...by, tell: waker.tell }) }
}

/** Opens the in-memory state of every service. */
async function openServices(options: HostOptions, local: Service[], bounds: Bounds) {
  const { engines, settings, identity, baseUrl, log, services: all } = options
  const names = new Set(all.map(one => one.name))
  const charged = new Map(all.flatMap(one => one.charges.map(charge => [charge.product, charge] as const)))
  const tables = all.flatMap(one => one.tables)
  const opened = new Map<string, Opened<unknown>>()
  for (const { name, open, settings: declared } of local) {
    const warn = (error: unknown) => log.events.warn({ err: error, service: name }, 'service')
    const own = Object.fromEntries(Object.keys(declared).map(one => [one, settings[one]]))
    const opening = {
      engines,
      settings: own as never,
      services: names,
      charged,
      tables,
      bounds,
      identity,
      baseUrl,
      warn,
    }
    if (open) opened.set(name, await open(opening))
  }
  return opened
}

const REQUIRED = [
  'credentials',
  'audit',
  'requireBudget',
  'meter',
  'leasePermits',
  'idempotencyRecords',
  'isVerified',
  'hasProject',
  'endedOrgs',
] as const satisfies (keyof Provided)[]

function providedBy(opened: readonly Opened<unknown>[]): Provided {
  const provided: Partial<Provided> = Object.assign({}, ...opened.map(one => one.provides))
  const missing = REQUIRED.filter(name => !(name in provided))
  if (missing.length > 0) throw new Error(`no service provides ${missing.join(', ')}`)
  return provided as Provided
}

/** Finds the service without operations that owns a path. */
function unbuiltPaths(services: readonly Service[], upstreams: ReadonlyMap<string, URL>) {
  const unbuilt = services.filter(one => Object.keys(one.operations).length === 0 && !upstreams.has(one.name))
  const owners = new Map(unbuilt.flatMap(({ name, paths }) => paths.map(path => [path, name] as const)))
  return (path: string): string | null => owners.get(path.split('/', 3).join('/')) ?? null
}

/** The operation whose path is most like one that does not exist, if possible with the same method. */
function nearRoutes(services: readonly Service[]) {
  const operations = services.flatMap(one => Object.values(one.operations))
  const near = nearOf(operations.map(({ path }) => path))
  return (method: string, path: string): string | null => {
    const like = near(path).flatMap(found => operations.filter(one => one.path === found))
    const one = like.find(one => one.method === method) ?? like[0]
    return one ? `${one.method} ${one.path}` : null
  }
}
