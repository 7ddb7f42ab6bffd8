// The host and the identity origin of an organisation with many customers: its argument says how many. CPU time is that of
// this process and of PostgreSQL.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { BlockList } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Engines, Mail } from '../../src/engines/engines.ts'
import { openPasswords } from '../../src/engines/passwords/passwords.ts'
import type { OrgId } from '../../src/kit/caller.ts'
import { CHEAP_HASH } from '../../test/database.ts'
import { fillCustomers, PASSWORD } from './customer-fill.ts'
import { databaseCpuUs, databasePid } from './database-cpu.ts'
import { withEngines } from './engines.ts'
import { openBenchHost } from './open-host.ts'
import { createAdminOrg, newApp, openBenchIdentity } from './open-identity.ts'
import { newOrganisation } from './organisation.ts'
import { processCpuUs, type Serving, serve } from './serve.ts'

const ORG = 'bench' as OrgId

serve(pem =>
  withEngines(engines => {
    const mails = mkdtempSync(join(tmpdir(), 'stoa-bench-mails-'))
    // Argon2id takes the same time for all, a hundred times what the rest of a sign-in takes, and would hide it.
    const passwords = openPasswords(undefined, CHEAP_HASH)
    return serveCustomers({ ...engines, passwords, mail: mailInto(mails) }, pem, mails, Number(process.argv[2]))
  }),
)

/** Keeps the code of a mail under the address, where the load generator reads it. */
const mailInto = (directory: string): Mail => ({
  driver: 'files',
  kept: null,
  ping: async () => {},
  send: async ({ to, text }) => writeFileSync(join(directory, to), text.match(/^ {4}(\d{6})$/m)?.[1] ?? ''),
})

async function serveCustomers(engines: Engines, pem: string, mails: string, count: number): Promise<Serving> {
  const { db, clock, passwords } = engines
  const now = clock.now().toISOString()
  await createAdminOrg(engines)
  const key = await newOrganisation(engines, ORG)
  await fillCustomers(db, ORG, count, await passwords.hash('', PASSWORD), now)
  // Autovacuum would do this after such an import, during the rounds, and its time counts.
  await db.script('vacuum analyze')
  await db.script('alter system set autovacuum = off')
  await db.script('select pg_reload_conf()')
  await db.script('checkpoint')

  // The load comes from many clients, because one client may request only a few mails.
  const trusted = new BlockList()
  trusted.addAddress('127.0.0.1')
  const identity = await openBenchIdentity(engines, pem, trusted)
  const app = await newApp(engines, ORG, { people: 'users', signUp: 'open' })
  const host = await openBenchHost({ engines, pem, operations: {}, riskMirror: null, trusted })
  const database = await databasePid(db)
  const close = async () => {
    await identity.close()
    await host.close()
    rmSync(mails, { recursive: true })
  }
  return {
    port: host.port,
    key,
    databasePid: database,
    customers: { count, now, identityPort: identity.port, app, mails },
    cpuUs: () => processCpuUs() + databaseCpuUs(database),
    close,
  }
}
