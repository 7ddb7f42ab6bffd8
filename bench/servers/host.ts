// The host itself, with a hundred thousand keys in the database.
import type { Engines } from '../../src/engines/engines.ts'
import type { OrgId } from '../../src/kit/caller.ts'
import { keepKey, newKeyText } from '../../src/services/account/public.ts'
import { createOrganisation } from '../../src/services/iam/public.ts'
import { withEngines } from './engines.ts'
import { openBenchHost } from './open-host.ts'
import * as operations from './operations.ts'
import { type Serving, serve } from './serve.ts'

const ORG = 'bench' as OrgId
const KEYS = 100_000
/** They allow the load's GET by the entry that is checked last. */
const LIMITS = ['product:projects', 'read:bench']
/** The highest allowed rate: the load must never reach it, or refusals would be measured. */
const RATE_MAX = 1_000_000

serve(pem => withEngines(engines => serveHost(engines, pem)))

async function serveHost(engines: Engines, pem: string): Promise<Serving> {
  return { ...(await openBenchHost({ engines, pem, operations, riskMirror: null })), ...(await newKeys(engines)) }
}

async function newKeys(engines: Engines): Promise<{ key: string; limitedKey: string }> {
  const owner = { email: 'owner@bench.test', password: engines.random.token(20) }
  const { db } = engines
  const user = await db.transaction(tx =>
    createOrganisation({ ...engines, db: tx }, { org: ORG, name: 'Bench', owner }),
  )
  await fillTable(engines, user)
  const [key, limitedKey] = [newKeyText(engines.random, 'secret'), newKeyText(engines.random, 'secret')]
  const bounds = { expires: null, limits: LIMITS, budget: { month: 0, total: 0 }, rate: RATE_MAX }
  await db.transaction(async tx => {
    const inside = { ...engines, db: tx }
    await keepKey(inside, { org: ORG, user, name: 'Unlimited', type: 'secret', text: key })
    await keepKey(inside, { org: ORG, user, name: 'Limited', type: 'secret', text: limitedKey, bounds })
  })
  return { key, limitedKey }
}

/** Adds unused keys, so that the measured ones are looked up among as many as the benchmark states. */
async function fillTable({ db, clock }: Engines, user: string): Promise<void> {
  await db`insert into keys (id, org, user_id, name, type, prefix, digest, created)
    select 'key_' || n, ${ORG}, ${user}, 'Key ' || n, 'secret', 'sk-00000000', sha256(n::text::bytea),
      ${clock.now().toISOString()}
    from generate_series(1, ${KEYS}::int) as n`
  await db`analyze keys`
}
