// The host with filled tables: its argument says how many rows the organisation `busy` has in each. Another one has as
// many, and `quiet` has few. Its CPU time is that of PostgreSQL.
import type { Engines } from '../../src/engines/engines.ts'
import { ADMIN_ORG, type OrgId, type Role } from '../../src/kit/caller.ts'
import { keepKey, newKeyText } from '../../src/services/account/public.ts'
import { createOrganisation } from '../../src/services/iam/public.ts'
import { type FilledOrg, fillOrg } from '../../test/listings.ts'
import { databaseCpu } from './database-cpu.ts'
import { withEngines } from './engines.ts'
import { openBenchHost } from './open-host.ts'
import { type Serving, serve } from './serve.ts'

const FEW = 100

serve(pem => withEngines(engines => serveGrowth(engines, pem, Number(process.argv[2]))))

async function serveGrowth(engines: Engines, pem: string, rows: number): Promise<Serving> {
  const { db } = engines
  // It would run during the rounds, and its time counts.
  await db.script('alter system set autovacuum = off')
  await db.script('select pg_reload_conf()')
  const now = engines.clock.now().toISOString()
  const superadmin = await newOrg(engines, ADMIN_ORG)
  const [busy, quiet, others] = [
    await newOrg(engines, 'busy' as OrgId),
    await newOrg(engines, 'quiet' as OrgId),
    await newOrg(engines, 'others' as OrgId),
  ]
  for (const [org, count] of [
    [busy, rows],
    [others, rows],
    [quiet, FEW],
  ] as const) {
    await fillOrg(db, org, count, now)
  }
  await db.script('vacuum analyze')
  await db.script('checkpoint')
  const host = await openBenchHost({ engines, pem, operations: {}, riskMirror: null })
  const callers = (org: typeof busy) => ({ ...org, keys: { ...org.keys, superadmin: superadmin.keys.owner } })
  const growth = { now, busy: callers(busy), quiet: callers(quiet) }
  return { ...host, growth, cpuUs: await databaseCpu(db) }
}

async function newOrg(engines: Engines, org: OrgId): Promise<FilledOrg & { keys: Record<'owner' | 'member', string> }> {
  const { db, random } = engines
  const email = `owner@${org}.test`
  const owner = await db.transaction(tx =>
    createOrganisation({ ...engines, db: tx }, { org, name: org, owner: { email, password: random.token(20) } }),
  )
  const member = await newMember(engines, org, 'member')
  return {
    org,
    owner,
    member,
    keys: { owner: await newKey(engines, org, owner), member: await newKey(engines, org, member) },
  }
}

async function newMember({ db, random, clock }: Engines, org: OrgId, role: Role): Promise<string> {
  const user = `usr_${random.token(24)}`
  const [email, now] = [`member@${org}.test`, clock.now().toISOString()]
  await db`insert into users (id, email, created) values (${user}, ${email}, ${now})`
  await db`insert into members (org, user_id, email, role, created) values (${org}, ${user}, ${email}, ${role}, ${now})`
  return user
}

async function newKey(engines: Engines, org: OrgId, user: string): Promise<string> {
  const text = newKeyText(engines.random, 'secret')
  await engines.db.transaction(tx =>
    keepKey({ ...engines, db: tx }, { org, user, name: 'Bench', type: 'secret', text }),
  )
  return text
}
