// The identity origin itself, as Stoa opens it: HTTP server, oidc-provider, Stoa's adapter and directory, PostgreSQL.

import { createHash } from 'node:crypto'
import type { Engines } from '../../src/engines/engines.ts'
import { histogram } from '../../src/host/histogram.ts'
import { openProcessLog } from '../../src/host/log.ts'
import { adapterFactory } from '../../src/identity/adapter.ts'
import { openIdentityOrigin } from '../../src/identity/origin.ts'
import { inOneRequest, thisRequest } from '../../src/identity/request.ts'
import { ADMIN_ORG, type OrgId } from '../../src/kit/caller.ts'
import { DEFAULT_BRAND } from '../../src/kit/host/brand.ts'
import { openBounds } from '../../src/kit/tables/bounds.ts'
import { createApp } from '../../src/services/iam/apps/apps.ts'
import { createOrganisation, openDirectory } from '../../src/services/iam/public.ts'
import { withEngines } from './engines.ts'
import { openBenchListener } from './listener.ts'
import { type Serving, serve } from './serve.ts'
import { type Realm, signInRepeatedly } from './sign-ins.ts'

const ORG = 'bench' as OrgId
const AUDIENCE = 'https://localhost:8443'
const SIGN_INS = 64
const MAXIMA = { STOA_MEMBERS_MAX: 10_000, STOA_APPS_MAX: 1 }
const boundsOf = ({ clock }: Engines) => openBounds(clock, MAXIMA)
const directoryOf = (engines: Engines) =>
  openDirectory(engines, DEFAULT_BRAND, { bounds: boundsOf(engines), source: AUDIENCE })

serve(pem => withEngines(engines => serveIdentity(engines, pem)))

async function serveIdentity(engines: Engines, pem: string): Promise<Serving> {
  const log = openProcessLog('info', engines.clock)
  const realm = await newRealm(engines)
  const opened = await openBenchListener(engines.random, pem, log)
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
  const source = {
    realm,
    random: engines.random,
    now: engines.clock.now(),
    adapterOf: adapterFactory(engines, DEFAULT_BRAND, async () => undefined),
  }
  const { user, email } = realm.person
  const account = await (await directoryOf(engines)).account(email)
  const refreshTokens = await inOneRequest(
    '127.0.0.1',
    () => AbortSignal.abort(),
    () => {
      // As after a browser has submitted the password form.
      const proof = createHash('sha256').update(`${account?.password}`).digest('hex')
      thisRequest().found.set('Interaction', JSON.stringify({ result: { login: { accountId: user }, proof } }))
      return signInRepeatedly(source, SIGN_INS)
    },
  )
  const close = async () => {
    await origin.drain(0)
    log.flush()
  }
  return { port: listener.port, realm, refreshTokens, close }
}

async function newRealm(engines: Engines): Promise<Realm> {
  const email = 'owner@bench.test'
  const owner = { email, password: engines.random.token(20) }
  const user = await engines.db.transaction(async tx => {
    const inside = { ...engines, db: tx }
    // The built-in app needs the organisation `admin`.
    await createOrganisation(inside, {
      org: ADMIN_ORG,
      name: 'Admin',
      owner: { ...owner, email: 'admin@bench.test' },
    })
    return createOrganisation(inside, { org: ORG, name: 'Bench', owner })
  })
  const redirectUri = 'https://web.example.com/callback'
  const input = { app: 'web', type: 'confidential', people: 'team', redirectUris: [redirectUri] }
  const write = (_options: object, work: (scope: object) => Promise<unknown>) =>
    engines.db.transaction(tx => work({ db: tx, record: () => {} }))
  const context = { ...engines, caller: { org: ORG }, bounds: boundsOf(engines), state: {}, write }
  const app = (await createApp.run(context as never, input as never)) as { id: string; secret: string }
  const { signing } = await (await directoryOf(engines)).keys()
  return {
    audience: AUDIENCE,
    client: { id: app.id, secret: app.secret, redirectUri },
    person: { user, email, org: ORG },
    keys: signing,
  }
}
