// The identity origin itself, as Stoa opens it: HTTP server, oidc-provider, Stoa's adapter and directory, PostgreSQL.

import { createHash } from 'node:crypto'
import type { Engines } from '../../src/engines/engines.ts'
import { adapterFactory } from '../../src/identity/adapter.ts'
import { inOneRequest, thisRequest } from '../../src/identity/request.ts'
import type { OrgId } from '../../src/kit/caller.ts'
import { DEFAULT_BRAND } from '../../src/kit/host/brand.ts'
import { createOrganisation, openDirectory } from '../../src/services/iam/public.ts'
import { withEngines } from './engines.ts'
import { AUDIENCE, boundsOf, createAdminOrg, newApp, openBenchIdentity } from './open-identity.ts'
import { type Serving, serve } from './serve.ts'
import { type Realm, signInRepeatedly } from './sign-ins.ts'

const ORG = 'bench' as OrgId
const SIGN_INS = 64
const directoryOf = (engines: Engines) =>
  openDirectory(engines, DEFAULT_BRAND, { bounds: boundsOf(engines), source: AUDIENCE })

serve(pem => withEngines(engines => serveIdentity(engines, pem)))

async function serveIdentity(engines: Engines, pem: string): Promise<Serving> {
  const realm = await newRealm(engines)
  const origin = await openBenchIdentity(engines, pem)
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
  return { ...origin, realm, refreshTokens }
}

async function newRealm(engines: Engines): Promise<Realm> {
  const email = 'owner@bench.test'
  const owner = { email, password: engines.random.token(20) }
  await createAdminOrg(engines)
  const user = await engines.db.transaction(tx =>
    createOrganisation({ ...engines, db: tx }, { org: ORG, name: 'Bench', owner }),
  )
  const client = await newApp(engines, ORG, { people: 'team' })
  const { signing } = await (await directoryOf(engines)).keys()
  return {
    audience: AUDIENCE,
    client,
    person: { user, email, org: ORG },
    keys: signing,
  }
}
