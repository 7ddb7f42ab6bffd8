// The host itself: real engines, keyring, audit trail, log and metrics, every service, and one made for the bench.
import type { Engines } from '../../src/engines/engines.ts'
import { openHost } from '../../src/host/host.ts'
import { openLog } from '../../src/host/log.ts'
import type { OrgId } from '../../src/kit/caller.ts'
import { service } from '../../src/kit/service.ts'
import { keepKey, newKeyText, openKeyring } from '../../src/services/account/public.ts'
import { auditTrail, foundOrganisation } from '../../src/services/iam/public.ts'
import { services } from '../../src/services/index.ts'
import { openVerifiedHosts } from '../../src/services/projects/public.ts'
import { withEngines } from './engines.ts'
import * as operations from './operations.ts'
import { fail, type Serving, serve } from './serve.ts'

const ORG = 'bench' as OrgId
const KEYS = 100_000
/** They let the load's GET pass, by the entry that is looked at last. */
const LIMITS = ['product:projects', 'read:bench']
/** The highest there is: the load must never reach it, or refusals would be measured. */
const RATE_MAX = 1_000_000

serve(pem => withEngines(engines => serveHost(engines, pem)))

async function serveHost(engines: Engines, pem: string): Promise<Serving> {
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
    settings: { riskMirror: null },
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
  return { port: host.port, ...(await newKeys(engines)), close }
}

async function newKeys(engines: Engines): Promise<{ key: string; limitedKey: string }> {
  const owner = { email: 'owner@bench.test', password: engines.random.token(20) }
  const user = await foundOrganisation(engines, { org: ORG, name: 'Bench', owner })
  await fillTable(engines, user)
  const [key, limitedKey] = [newKeyText(engines.random, 'secret'), newKeyText(engines.random, 'secret')]
  const bounds = { expires: null, limits: LIMITS, budget: { month: 0, total: 0 }, rate: RATE_MAX }
  await keepKey(engines, { org: ORG, user, name: 'Unlimited', type: 'secret', text: key })
  await keepKey(engines, { org: ORG, user, name: 'Limited', type: 'secret', text: limitedKey, bounds })
  return { key, limitedKey }
}

/** Keys that nobody holds, so that those measured are found among as many as the promise says. */
async function fillTable({ db, clock }: Engines, user: string): Promise<void> {
  await db`insert into keys (id, org, user_id, name, type, prefix, digest, created)
    select 'key_' || n, ${ORG}, ${user}, 'Key ' || n, 'secret', 'sk-00000000', sha256(n::text::bytea),
      ${clock.now().toISOString()}
    from generate_series(1, ${KEYS}::int) as n`
  await db`analyze keys`
}
