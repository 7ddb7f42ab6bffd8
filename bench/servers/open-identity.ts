// The identity origin as Stoa opens it, and an app that signs in with it, for bench servers.
import type { BlockList } from 'node:net'
import type { Engines } from '../../src/engines/engines.ts'
import { histogram } from '../../src/host/histogram.ts'
import { openProcessLog } from '../../src/host/log.ts'
import { openIdentityOrigin } from '../../src/identity/origin.ts'
import { ADMIN_ORG, type OrgId } from '../../src/kit/caller.ts'
import { DEFAULT_BRAND } from '../../src/kit/host/brand.ts'
import { openBounds } from '../../src/kit/tables/bounds.ts'
import { createApp } from '../../src/services/iam/apps/apps.ts'
import { createOrganisation } from '../../src/services/iam/public.ts'
import { openBenchListener } from './listener.ts'
import type { Serving } from './serve.ts'

export const AUDIENCE = 'https://localhost:8443'
const MAXIMA = { STOA_MEMBERS_MAX: 10_000, STOA_APPS_MAX: 1, STOA_CUSTOMERS_MAX: 10_000_000 }
export const boundsOf = ({ clock }: Engines) => openBounds(clock, MAXIMA)

/** `trusted` are proxies that may use plain HTTP and name the client. */
export async function openBenchIdentity(engines: Engines, pem: string, trusted?: BlockList): Promise<Serving> {
  const log = openProcessLog('info', engines.clock)
  const opened = await openBenchListener(engines.random, pem, log, trusted)
  const { listener } = opened
  const origin = await openIdentityOrigin({
    ...opened,
    engines,
    log,
    audience: AUDIENCE,
    issuers: new Map([[DEFAULT_BRAND, `https://localhost:${listener.port}`]]),
    configured: new Map(),
    ownOrigins: [AUDIENCE],
    startsPerMinute: Number.POSITIVE_INFINITY,
    bounds: boundsOf(engines),
  })
  origin.serve({
    isVerified: () => false,
    isDisposable: async () => null,
    requests: histogram('requests', 'Requests of the benchmark'),
  })
  const close = async () => {
    await origin.drain(0)
    log.flush()
  }
  return { port: listener.port, close }
}

/** The organisation that the built-in app needs. */
export function createAdminOrg(engines: Engines): Promise<string> {
  const owner = { email: 'admin@bench.test', password: engines.random.token(20) }
  return engines.db.transaction(tx =>
    createOrganisation({ ...engines, db: tx }, { org: ADMIN_ORG, name: 'Admin', owner }),
  )
}

export type BenchApp = { id: string; secret: string; redirectUri: string }

/** `admission` are the app's sign-up settings. */
export async function newApp(engines: Engines, org: OrgId, admission: object): Promise<BenchApp> {
  const redirectUri = 'https://web.example.com/callback'
  const input = { app: 'web', type: 'confidential', redirectUris: [redirectUri], ...admission }
  const write = (_options: object, work: (scope: object) => Promise<unknown>) =>
    engines.db.transaction(tx => work({ db: tx, record: () => {}, emit: () => {} }))
  const context = { ...engines, caller: { org }, bounds: boundsOf(engines), state: {}, write }
  const { id, secret } = (await createApp.run(context as never, input as never)) as BenchApp
  return { id, secret, redirectUri }
}
