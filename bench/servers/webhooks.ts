// The host with organisations that have webhooks, and with schedules and consumers. Its arguments are the certificate of
// the authority that it trusts, and how many organisations there are.
import type { OrgId } from '../../src/kit/caller.ts'
import { databasePid } from './database-cpu.ts'
import { withEngines } from './engines.ts'
import { openBenchHost } from './open-host.ts'
import { newOrganisation } from './organisation.ts'
import { serve } from './serve.ts'

const [ca = '', organisations = '1'] = process.argv.slice(2)

serve(pem =>
  withEngines(
    async engines => {
      const { db } = engines
      const keys: string[] = []
      for (let at = 0; at < Number(organisations); at++)
        keys.push(await newOrganisation(engines, `bench-${at}` as OrgId))
      const host = await openBenchHost({
        engines,
        pem,
        operations: {},
        riskMirror: 'file:///does-not-exist',
        runsBackground: true,
        settings: { STOA_AI_LOCAL: 'off' },
      })
      const [row] = await db<{ directory: string }>`select current_setting('unix_socket_directories') as directory`
      return { ...host, keys, database: row?.directory as string, databasePid: await databasePid(db) }
    },
    { http: { allow: ['127.0.0.1'], ca } },
  ),
)
