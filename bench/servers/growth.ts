// The host with filled tables: its argument says how many rows the organisation `busy` has in each. Another one has as
// many, and `quiet` has few. Its CPU time is that of PostgreSQL.
import type { Engines } from '../../src/engines/engines.ts'
import { ADMIN_ORG, type OrgId, type Role } from '../../src/kit/caller.ts'
import { SESSION_COOKIE } from '../../src/kit/host/credentials.ts'
import { beginSession, keepKey, newKeyText } from '../../src/services/account/public.ts'
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
  // Autovacuum would run during the rounds, and its time counts.
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
  const listings = (org: typeof busy) => ({ ...org, callers: { ...org.callers, superadmin: superadmin.callers.owner } })
  const growth = { now, busy: listings(busy), quiet: listings(quiet) }
  return { ...host, growth, cpuUs: await databaseCpu(db) }
}

type Headers = Record<string, string>

async function newOrg(
  engines: Engines,
  org: OrgId,
): Promise<FilledOrg & { callers: Record<'owner' | 'member' | 'signed in', Headers> }> {
  const { db, random } = engines
  const email = `owner@${org}.test`
  const owner = await db.transaction(tx =>
    createOrganisation({ ...engines, db: tx }, { org, name: org, owner: { email, password: random.token(20) } }),
  )
  const member = await newMember(engines, org, 'member')
  const callers = {
    owner: await newKey(engines, org, owner),
    member: await newKey(engines, org, member),
    'signed in': await newSession(engines, org, member),
  }
  return { org, owner, member, callers }
}

async function newMember({ db, random, clock }: Engines, org: OrgId, role: Role): Promise<string> {
  const user = `usr_${random.token(24)}`
  const [email, now] = [`member@${org}.test`, clock.now().toISOString()]
  await db`insert into users (id, email, created) values (${user}, ${email}, ${now})`
  await db`insert into members (org, user_id, email, role, created) values (${org}, ${user}, ${email}, ${role}, ${now})`
  return user
}

async function newKey(engines: Engines, org: OrgId, user: string): Promise<Headers> {
  const text = newKeyText(engines.random, 'secret')
  await engines.db.transaction(tx =>
    keepKey({ ...engines, db: tx }, { org, user, name: 'Bench', type: 'secret', text }),
  )
  return { authorization: `Bearer ${text}` }
}

async function newSession(engines: Engines, org: OrgId, user: string): Promise<Headers> {
  const { db, random } = engines
  const signIn = random.token(43)
  await db`insert into oidc (brand, model, digest, payload, user_id, org, consumed)
    values ('default', 'Grant', sha256(convert_to(${signIn}, 'UTF8')), '{"iat": 1794733200}', ${user}, ${org}, now())`
  const session = await db.transaction(tx =>
    beginSession({ ...engines, db: tx }, { org, user, signIn, lastsMs: 3_600_000 }),
  )
  return { cookie: `${SESSION_COOKIE}=${session}` }
}
