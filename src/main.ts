// Starts Stoa: settings, engines, database, certificate, host. Reads top to bottom.
import { createServer } from 'node:net'
import { join } from 'node:path'
import { banner } from './banner.ts'
import { type Config, helpText, readConfig, StartRefused } from './config.ts'
import { openDataDirectory } from './data-directory.ts'
import { systemClock } from './engines/clock/clock.ts'
import { migrate, readMigrations } from './engines/db/migrate.ts'
import type { Engines } from './engines/engines.ts'
import { openEngines } from './engines/open.ts'
import { firstRun } from './first-run.ts'
import { localCertificate } from './host/certificate.ts'
import { openHost } from './host/host.ts'
import { openLog } from './host/log.ts'
import { openKeyring } from './services/account/public.ts'
import { auditTrail } from './services/iam/public.ts'
import { services } from './services/index.ts'

/** How long running requests get to end after SIGTERM. */
const DRAIN_MS = 30_000

async function start(flags: string[]): Promise<void> {
  const config = readConfig(flags)
  const { STOA_HOST: host, STOA_PORT: port, STOA_METRICS_PORT: metricsPort, STOA_UPSTREAMS: upstreams } = config
  for (const name of upstreams.keys()) {
    if (!services.some(one => one.name === name)) throw new StartRefused(`STOA_UPSTREAMS: there is no service ${name}`)
  }
  // Looked at before anything is made, so that a start that cannot succeed leaves nothing behind.
  await requireFree('STOA_PORT', host, port)
  await requireFree('STOA_METRICS_PORT', host, metricsPort)
  const dataDirectory = await openDataDirectory(config.STOA_DATA)

  const log = openLog(config.STOA_LOG, systemClock)
  for (const name of config.warnings) log.events.warn(`${name} is not a setting; npm start -- --help lists them`)
  const opened = await openEngines(
    {
      dataDirectory,
      databaseUrl: config.DATABASE_URL,
      dbConnections: config.STOA_DB_CONNECTIONS,
      dbQueue: config.STOA_DB_QUEUE,
      http: { allow: config.STOA_OUTBOUND_ALLOW, ca: config.STOA_OUTBOUND_CA ?? undefined },
    },
    line => log.events.debug({ engine: 'db' }, line),
    error => fail(error),
  )
  const { engines } = opened
  await migrate(
    engines.db,
    services.flatMap(one => (one.migrations ? readMigrations(one.name, one.migrations) : [])),
  )

  const { tls, ca } = await certificate(config, dataDirectory, engines)
  const running = await openHost({
    services,
    engines,
    upstreams,
    tls,
    log,
    audit: auditTrail,
    credentials: await openKeyring(engines.db, engines.clock),
    trusted: config.STOA_TRUST_PROXY,
    // On localhost it would forbid plain http to whatever else runs on the developer's machine.
    hsts: !!config.STOA_BASE_URL && !/\/\/(localhost|127\.|\[::1\])/.test(config.STOA_BASE_URL),
    address: { host, port, metricsPort },
  })
  const baseUrl = config.STOA_BASE_URL ?? `https://localhost:${running.port}`
  const iamUrl = config.STOA_IAM_URL ?? `https://localhost:${config.STOA_IAM_PORT}`
  await firstRun(engines, dataDirectory, { baseUrl, iamUrl, ca })

  stopOnSignal(async () => {
    await running.drain(DRAIN_MS)
    await opened.close()
    log.flush()
  })
  const metricsUrl = `http://${host.includes(':') ? `[${host}]` : host}:${running.metricsPort}`
  process.stdout.write(banner({ baseUrl, metricsUrl, dataDirectory, ca, databaseHome: opened.databaseHome }))
}

/** The certificate that was given, or one of our own for every name this host goes by. */
async function certificate(config: Config, dataDirectory: string, engines: Engines) {
  const { STOA_TLS_CERT: cert, STOA_TLS_KEY: key, STOA_BASE_URL, STOA_IAM_URL } = config
  if (cert && key) return { tls: { cert, key }, ca: null }
  const named = [STOA_BASE_URL, STOA_IAM_URL].flatMap(url =>
    url ? [new URL(url).hostname.replace(/^\[|\]$/g, '')] : [],
  )
  const names = [...new Set(['localhost', '127.0.0.1', '::1', ...named])]
  const made = await localCertificate(join(dataDirectory, 'tls'), names, engines)
  return { tls: { cert: made.cert, key: made.key }, ca: made.caFile }
}

/** The first signal ends in order; a second one ends at once. */
function stopOnSignal(stop: () => Promise<void>): void {
  let stopping = false
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (stopping) process.exit(1)
      stopping = true
      stop().then(() => process.exit(0), fail)
    })
  }
}

async function requireFree(name: string, host: string, port: number): Promise<void> {
  const probe = createServer()
  await new Promise<void>((resolve, reject) => {
    probe.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'EADDRINUSE' ? 'is taken by another process' : `cannot be listened on (${error.code})`
      reject(new StartRefused(`${name}: ${host}:${port} ${why}; choose another`))
    })
    probe.listen({ host, port }, () => probe.close(() => resolve()))
  })
}

function fail(error: unknown): never {
  process.stderr.write(`stoa: ${(error as Error).message}\n`)
  process.exit(1)
}

const flags = process.argv.slice(2)
if (flags.includes('--help')) process.stdout.write(helpText())
else start(flags).catch(fail)
