// The host as a bench measures it: real engines, keyring, audit trail, log and metrics, every service, and one made for the
// bench.
import type { Engines } from '../../src/engines/engines.ts'
import { openHost } from '../../src/host/host.ts'
import { openLog } from '../../src/host/log.ts'
import { service } from '../../src/kit/service.ts'
import { openKeyring } from '../../src/services/account/public.ts'
import { auditTrail } from '../../src/services/iam/public.ts'
import { services } from '../../src/services/index.ts'
import { openVerifiedHosts } from '../../src/services/projects/public.ts'
import { fail, type Serving } from './serve.ts'

type Measured = { engines: Engines; pem: string; operations: Record<string, unknown>; riskMirror: string | null }

export async function openBenchHost({ engines, pem, operations, riskMirror }: Measured): Promise<Serving> {
  const bench = service({ name: 'bench', what: 'What the bench measures', operations: [operations] })
  const log = openLog('info', engines.clock)
  const keyring = await openKeyring({ ...engines, warn: fail, verifyToken: async () => null })
  const host = await openHost({
    services: [...services, bench],
    engines,
    upstreams: new Map(),
    tls: { key: pem, cert: pem },
    log,
    audit: auditTrail,
    settings: { riskMirror },
    works: false,
    credentials: keyring,
    signIn: () => fail(new Error('nobody signs in here')),
    ownOrigins: () => [],
    isVerified: await openVerifiedHosts(engines.db, engines.clock),
    trusted: null,
    hsts: false,
    address: { host: '127.0.0.1', port: 0, metricsHost: '127.0.0.1', metricsPort: 0 },
  })
  const close = async () => {
    await host.drain(0)
    await keyring.close()
    log.flush()
  }
  return { port: host.port, close }
}
