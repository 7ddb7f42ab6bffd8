// The host as a bench measures it: real engines, every service, log and metrics, and one service made for the bench.
import type { BlockList } from 'node:net'
import { readConfig } from '../../src/config.ts'
import type { Engines } from '../../src/engines/engines.ts'
import { openHost } from '../../src/host/host.ts'
import { openProcessLog } from '../../src/host/log.ts'
import type { IdentityProvider } from '../../src/kit/host/sign-in.ts'
import { service, settingsOf } from '../../src/kit/service.ts'
import { services } from '../../src/services/index.ts'
import { openBenchListener } from './listener.ts'
import type { Serving } from './serve.ts'

type BenchHost = {
  engines: Engines
  pem: string
  operations: Record<string, unknown>
  riskMirror: string | null
  /** Proxies that may use plain HTTP. */
  trusted?: BlockList
  /** Whether schedules and consumers run. */
  runsBackground?: boolean
  /** Instead of the defaults. */
  settings?: Record<string, unknown>
}

const unused = () => {
  throw new Error('the bench host has no sign-in')
}
const identity: IdentityProvider = {
  verifyToken: async () => null,
  signIn: {
    ...{ issuer: '', url: unused, accountUrl: '', redeem: unused, invitationUrl: unused, addressUrl: unused },
    customerMails: unused,
  },
}

export async function openBenchHost(options: BenchHost): Promise<Serving> {
  const { engines, pem, operations, riskMirror } = options
  const bench = service({ name: 'bench', what: 'The operations that benchmarks measure', operations: [operations] })
  const log = openProcessLog('info', engines.clock)
  const opened = await openBenchListener(engines.random, pem, log, options.trusted)
  const { listener } = opened
  const host = await openHost({
    version: '0.0.0-bench',
    ...opened,
    bodyBytesMax: 64 * 1024 * 1024,
    answerBytesMax: 128 * 1024 * 1024,
    engines,
    identity,
    log,
    services: [...services, bench],
    upstreams: new Map(),
    files: [],
    runsBackground: options.runsBackground ?? false,
    isAlone: true,
    hsts: false,
    baseUrl: `https://localhost:${listener.port}`,
    ownOrigins: [],
    settings: {
      ...readConfig([], settingsOf(services), {}).services,
      STOA_RISK_MIRROR: riskMirror,
      ...options.settings,
    },
    metricsAddress: { host: '127.0.0.1', port: 0 },
  })
  host.serve()
  const close = async () => {
    await host.drain(0)
    log.flush()
  }
  return { port: listener.port, close }
}
