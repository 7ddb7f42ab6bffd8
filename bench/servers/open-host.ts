// The host as a bench measures it: real engines, every service, log and metrics, and one service made for the bench.
import { readConfig } from '../../src/config.ts'
import type { Engines } from '../../src/engines/engines.ts'
import { openHost } from '../../src/host/host.ts'
import { openListener } from '../../src/host/listener.ts'
import { openLog } from '../../src/host/log.ts'
import { requestIds } from '../../src/host/server.ts'
import { service, settingsOf } from '../../src/kit/service.ts'
import type { IdentityProvider } from '../../src/kit/sign-in.ts'
import { services } from '../../src/services/index.ts'
import type { Serving } from './serve.ts'

type BenchHost = { engines: Engines; pem: string; operations: Record<string, unknown>; riskMirror: string | null }

const unused = () => {
  throw new Error('the bench host has no sign-in')
}
const identity: IdentityProvider = {
  verifyToken: async () => null,
  signIn: { issuer: '', url: unused, redeem: unused, invitationUrl: unused },
}

export async function openBenchHost({ engines, pem, operations, riskMirror }: BenchHost): Promise<Serving> {
  const bench = service({ name: 'bench', what: 'The operations that benchmarks measure', operations: [operations] })
  const log = openLog('info', engines.clock)
  const requestId = requestIds(engines.random, 'req')
  const tls = { key: pem, cert: pem }
  const listener = await openListener({ tls, trusted: null, requestId, address: { host: '127.0.0.1', port: 0 } })
  const host = await openHost({
    version: '0.0.0-bench',
    engines,
    listener,
    requestId,
    identity,
    log,
    services: [...services, bench],
    upstreams: new Map(),
    outbox: null,
    files: [],
    runsSchedules: false,
    trusted: null,
    hsts: false,
    baseUrl: `https://localhost:${listener.port}`,
    ownOrigins: [],
    settings: { ...readConfig([], settingsOf(services), {}).services, STOA_RISK_MIRROR: riskMirror },
    metricsAddress: { host: '127.0.0.1', port: 0 },
  })
  host.serve()
  const close = async () => {
    await host.drain(0)
    log.flush()
  }
  return { port: listener.port, close }
}
