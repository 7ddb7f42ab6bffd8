// Starts Stoa: settings, engines, database, certificate, host. Reads top to bottom.

import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { type Config, helpText, readConfig } from './config.ts'
import { openConsole } from './console/console.ts'
import { systemClock } from './engines/clock/clock.ts'
import { type MigrationLog, migrate } from './engines/db/migrate.ts'
import { type Engines, EngineUnavailable } from './engines/engines.ts'
import { type EngineSettings, openEngines } from './engines/open.ts'
import { localCertificate } from './engines/tls/certificate.ts'
import { CONNECTION_LIMITS, openConnections } from './host/connections.ts'
import type { FindFile } from './host/files.ts'
import { openHost } from './host/host.ts'
import { openListener } from './host/listener.ts'
import { type Log, openProcessLog } from './host/log.ts'
import { openOutput } from './host/output.ts'
import { openRefusals } from './host/refusals.ts'
import { requestIds } from './host/server.ts'
import { issuersFrom, openIdentityOrigin } from './identity/origin.ts'
import { settingsOf } from './kit/service.ts'
import { StartRefused } from './kit/setting.ts'
import { openBounds } from './kit/tables/bounds.ts'
import { hasRootKey } from './services/iam/public.ts'
import { services } from './services/index.ts'
import { banner } from './start/banner.ts'
import { openDataDirectory } from './start/data-directory.ts'
import { firstRun } from './start/first-run.ts'
import { allMigrations } from './start/migrations.ts'
import { VERSION } from './start/version.ts'

/** How long running requests may take to end after SIGTERM. */
const DRAIN_MS = 30_000
/** One Ctrl-C reaches a process several times: from the terminal, and forwarded by npm and the launcher. */
const SAME_SIGNAL_MS = 1_000

/** What must be closed at shutdown, in reverse order. `abandon` is for a process that exits immediately and cannot wait. */
const closers: { close(): Promise<void> | void; abandon(): void }[] = []

async function start(flags: string[]): Promise<void> {
  const config = readConfig(flags, settingsOf(services))
  const { STOA_UPSTREAMS: upstreams, STOA_METRICS_HOST: metricsHost, STOA_METRICS_PORT: metricsPort } = config
  requireServices(upstreams.keys())
  await requirePorts(config)
  process.umask(0o022) // Private files set their mode themselves; a stricter umask would lock the database user out.
  const { path: dataDirectory, release } = await openDataDirectory(config.STOA_DATA)
  closers.push({ close: release, abandon: release })

  const log = openProcessLog(config.STOA_LOG, systemClock)
  closers.push({ close: log.flush, abandon: log.flush })
  closers.push({ close: () => log.events.info('stopped'), abandon: () => {} })
  logUnhandled(log)
  log.events.info({ version: VERSION, node: process.version, pid: process.pid }, 'starting')
  log.flush() // So that it precedes the error if the start is refused.
  for (const name of config.warnings) log.events.warn(`${name} is not a setting; npm start -- --help lists them`)
  const opened = await openEngines(
    engineSettings(config, dataDirectory),
    (line, level) => log.events[level]({ engine: 'db' }, line),
    fail,
    (error, what, fields) => log.events.warn({ err: error, ...fields }, what),
  )
  closers.push(opened)
  const { engines } = opened
  await prepareDatabase(engines, (fields, text) => log.events.info({ engine: 'db', ...fields }, text))
  const { tls, ca } = await certificate(config, dataDirectory, engines)

  const refusals = openRefusals(log)
  const connections = openConnections(connectionLimits(config, log), config.STOA_TRUST_PROXY, refusals)
  closers.push({ close: connections.close, abandon: () => {} })

  // Both ports are bound first, so that their numbers are known. They answer 503 until everything behind them is open.
  const shared = { trusted: config.STOA_TRUST_PROXY, log, engines, connections, refusals }
  const api = await openPort({ host: config.STOA_HOST, port: config.STOA_PORT }, 'req', tls, shared)
  const idp = await openPort({ host: config.STOA_HOST, port: config.STOA_IAM_PORT }, 'idr', tls, shared)
  const { baseUrl, issuers } = addressesOf(config, api.listener.port, idp.listener.port)
  const iamUrl = issuers.values().next().value as string

  await firstRun(engines, dataDirectory, { baseUrl, iamUrl, ca })
  const ownOrigins = [baseUrl, ...issuers.values(), ...config.STOA_OWN_ORIGINS]
  const identity = await openIdentityOrigin({
    ...idp,
    issuers,
    configured: config.STOA_IAM_URL,
    audience: baseUrl,
    ownOrigins,
    startsPerMinute: config.STOA_SIGN_INS_PER_MINUTE,
    bounds: openBounds(engines.clock, config.services),
  })
  const host = await openHost({
    ...api,
    pages: openPages(config, log),
    version: VERSION,
    services,
    identity,
    upstreams,
    baseUrl,
    files: [{ path: '', directory: new URL('pages/', import.meta.url) }],
    runsBackground: true,
    isAlone: config.DATABASE_URL === null, // The embedded database is locked for this process.
    settings: config.services,
    ownOrigins,
    ...memoryLimits(config),
    hsts: isPublicName(config.STOA_BASE_URL),
    metricsAddress: { host: metricsHost, port: metricsPort },
  })
  const drain = async () => void (await Promise.all([identity.drain(DRAIN_MS), host.drain(DRAIN_MS)]))
  closers.push({ close: drain, abandon: () => {} })
  closers.push({ close: () => log.events.info('stopping'), abandon: () => {} })
  identity.serve(host)
  host.serve()
  log.events.info({ baseUrl, iamUrl }, 'ready')
  const metricsUrl = `http://${bracketed(metricsHost)}:${host.metricsPort}`
  const { databaseHome } = opened
  const hasConsole = config.STOA_CONSOLE !== 'off'
  process.stdout.write(banner({ baseUrl, iamUrl, metricsUrl, dataDirectory, ca, databaseHome, hasConsole }))
}

type Shared = Pick<Parameters<typeof openListener>[0], 'trusted' | 'connections' | 'refusals'> & {
  log: Log
  engines: Engines
}

async function openPort(
  address: { host: string; port: number },
  kind: 'req' | 'idr',
  tls: Parameters<typeof openListener>[0]['tls'],
  shared: Shared,
) {
  const requestId = requestIds(shared.engines.random, kind)
  return { ...shared, requestId, listener: await openListener({ tls, requestId, address, ...shared }) }
}

function openPages({ STOA_CONSOLE }: Config, { events }: Log): FindFile | null {
  if (STOA_CONSOLE === 'off') return null
  const { find, close } = openConsole(STOA_CONSOLE === 'build', events.info.bind(events), events.error.bind(events))
  closers.push({ close, abandon: close })
  return find
}

/** On localhost it would forbid plain HTTP for every other server on the developer's machine. */
const isPublicName = (url: string | null) => !!url && !/\/\/(localhost|127\.|\[::1\])/.test(url)

function requireServices(names: Iterable<string>): void {
  for (const name of names) {
    if (!services.some(one => one.name === name)) throw new StartRefused(`STOA_UPSTREAMS: there is no service ${name}`)
  }
}

function engineSettings(config: Config, dataDirectory: string): EngineSettings {
  return {
    dataDirectory,
    databaseUrl: config.DATABASE_URL,
    dbConnections: config.STOA_DB_CONNECTIONS,
    dbQueue: config.STOA_DB_QUEUE,
    dbWaitS: config.STOA_DB_WAIT_S,
    http: { allow: config.STOA_OUTBOUND_ALLOW, ca: config.STOA_OUTBOUND_CA ?? undefined },
    dns: config.STOA_DNS,
    mail: {
      smtpUrl: config.STOA_SMTP_URL,
      from: config.STOA_MAIL_FROM,
      ca: config.STOA_OUTBOUND_CA ?? undefined,
      print: openOutput(1).write,
    },
    rootKey: config.STOA_ROOT_KEY,
  }
}

/** An unhandled rejection is a defect, but concerns one request: ending the process would end all others too. */
function logUnhandled(log: Log): void {
  process.on('unhandledRejection', error => log.events.error({ err: error }, 'unhandled rejection'))
}

/** File descriptors for everything except client connections: the database, files, and outgoing connections to providers
 *  and webhook endpoints, of which there may be thousands. */
const otherFiles = (files: number) => Math.max(200, Math.min(4_096, Math.floor(files / 4)))

function connectionLimits(
  { STOA_CONNECTIONS_MAX: wanted, STOA_CONNECTIONS_PER_ADDRESS: perAddress }: Config,
  log: Log,
) {
  const files = Number(readFileSync('/proc/self/limits', 'utf8').match(/^Max open files +(\d+)/m)?.[1] ?? Infinity)
  const total = Math.min(wanted, Math.max(files - otherFiles(files), Math.floor(files / 2)))
  if (total < wanted) {
    const advice = 'raise it (ulimit -n, LimitNOFILE=) or lower STOA_CONNECTIONS_MAX'
    log.events.warn(`the limit of ${files} open files allows only ${total} client connections; ${advice}`)
  }
  return { ...CONNECTION_LIMITS, total, perAddress }
}

const MiB = 1024 * 1024
const memoryLimits = ({ STOA_BODY_MEMORY_MB: bodies, STOA_ANSWER_MEMORY_MB: answers }: Config) => ({
  bodyBytesMax: bodies * MiB,
  answerBytesMax: answers * MiB,
})

/** Migrates the tables, and checks that the root key can open the secrets in them. */
async function prepareDatabase(engines: Engines, log: MigrationLog): Promise<void> {
  await migrate(engines.db, allMigrations(), log)
  if (await hasRootKey(engines)) return
  throw new StartRefused(
    'the secrets in this database were encrypted with another root key; set STOA_ROOT_KEY to that key',
  )
}

/** The configured certificate, or a local one for every name of this host. */
async function certificate(config: Config, dataDirectory: string, engines: Engines) {
  const { STOA_TLS_CERT: cert, STOA_TLS_KEY: key, STOA_BASE_URL, STOA_IAM_URL, STOA_HOST } = config
  if (cert && key) return { tls: { cert, key }, ca: null }
  const named = [STOA_BASE_URL, ...STOA_IAM_URL.values()].flatMap(url =>
    url ? [new URL(url).hostname.replace(/^\[|\]$/g, '')] : [],
  )
  const names = [...new Set(['localhost', '127.0.0.1', '::1', ...(isLocal(STOA_HOST) ? [] : [STOA_HOST]), ...named])]
  const made = await localCertificate(join(dataDirectory, 'tls'), names, engines)
  return { tls: { cert: made.cert, key: made.key }, ca: made.caFile }
}

/** The URLs at which clients and browsers reach this host. */
function addressesOf({ STOA_HOST, STOA_BASE_URL, STOA_IAM_URL }: Config, port: number, iamPort: number) {
  const at = (local: number) => `https://${nameOf(STOA_HOST)}:${local}`
  return { baseUrl: STOA_BASE_URL ?? at(port), issuers: issuersFrom(STOA_IAM_URL, at(iamPort)) }
}

/** The host name for clients on this machine. */
const nameOf = (host: string) => (isLocal(host) ? 'localhost' : bracketed(host))
const isLocal = (host: string) => ['127.0.0.1', '0.0.0.0', '::1', '::', 'localhost'].includes(host)
const bracketed = (host: string) => (host.includes(':') ? `[${host}]` : host)

/** The first signal stops gracefully; another one, a second or more later, exits at once. */
function stopOnSignal(started: Promise<void>): void {
  let since: number | null = null
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (since !== null && performance.now() - since > SAME_SIGNAL_MS) process.exit(1)
      if (since !== null) return
      since = performance.now()
      // Wait for a start in progress, so that everything it opens is also closed.
      started.then(stop).then(() => process.exit(0), fail)
    })
  }
}

async function stop(): Promise<void> {
  for (let one = closers.pop(); one; one = closers.pop()) {
    process.once('exit', one.abandon)
    await one.close()
    process.off('exit', one.abandon)
  }
}

/** Checked before anything is created, so that a start that cannot succeed leaves nothing behind. */
async function requirePorts(config: Config): Promise<void> {
  await requireFree('STOA', config.STOA_HOST, config.STOA_PORT)
  await requireFree('STOA_METRICS', config.STOA_METRICS_HOST, config.STOA_METRICS_PORT)
  await requireFree('STOA_IAM', config.STOA_HOST, config.STOA_IAM_PORT)
}

async function requireFree(prefix: string, host: string, port: number): Promise<void> {
  const probe = createServer()
  await new Promise<void>((resolve, reject) => {
    probe.once('error', (error: NodeJS.ErrnoException) => {
      const isPort = ['EADDRINUSE', 'EACCES'].includes(error.code ?? '')
      const why =
        error.code === 'EADDRINUSE'
          ? 'is in use by another process, perhaps another Stoa'
          : `cannot be listened on (${error.code})`
      reject(new StartRefused(`${prefix}_${isPort ? 'PORT' : 'HOST'}: ${host}:${port} ${why}; choose another`))
    })
    probe.listen({ host, port }, () => probe.close(() => resolve()))
  })
}

function fail(error: unknown): never {
  const { message, cause } = error as Error
  const reason = error instanceof EngineUnavailable && cause instanceof Error ? `: ${cause.message}` : ''
  process.stderr.write(`stoa: ${message}${reason}\n`)
  process.exit(1)
}

const flags = process.argv.slice(2)
if (flags.includes('--help')) process.stdout.write(helpText(settingsOf(services)))
else if (flags.includes('--version')) process.stdout.write(`${VERSION}\n`)
else {
  // However the process exits, stop the database that it started.
  process.on('exit', () => {
    for (const one of closers.reverse()) one.abandon()
  })
  process.stdout.on('error', () => {}) // The reader of the banner may be gone.
  const started = start(flags)
  stopOnSignal(started)
  started.catch(fail)
}
