// The host with an organisation that calls models, behind a proxy: over plain HTTP, with schedules and consumers. Its
// argument is the URL of the model server.
import { cidrList } from '../../src/engines/http/guard.ts'
import type { OrgId } from '../../src/kit/caller.ts'
import { databasePid } from './database-cpu.ts'
import { withEngines } from './engines.ts'
import { openBenchHost } from './open-host.ts'
import { newOrganisation } from './organisation.ts'
import { serve } from './serve.ts'

serve(pem =>
  withEngines(async engines => {
    const key = await newOrganisation(engines, 'bench' as OrgId)
    const host = await openBenchHost({
      engines,
      pem,
      operations: {},
      riskMirror: 'file:///does-not-exist',
      trusted: cidrList(['127.0.0.1']),
      runsBackground: true,
      settings: { STOA_AI_LOCAL: 'off', OPENAI_API_KEY: 'bench', OPENAI_BASE_URL: process.argv[2] },
    })
    const [row] = await engines.db<{
      directory: string
    }>`select current_setting('unix_socket_directories') as directory`
    return { ...host, key, database: row?.directory as string, databasePid: await databasePid(engines.db) }
  }),
)
