// The host with an organisation that sends events. Its argument is `stores` if consumers store them, or says how many envelopes wait
// on the bus at the start; then only they are consumed.
import type { Engines } from '../../src/engines/engines.ts'
import { startConsumers } from '../../src/host/consumers/consumers.ts'
import type { Handler } from '../../src/host/consumers/lane.ts'
import type { OrgId } from '../../src/kit/caller.ts'
import { insertPositions } from '../../src/kit/host/consumers.store.ts'
import { withEngines } from './engines.ts'
import { openBenchHost } from './open-host.ts'
import * as operations from './operations.ts'
import { newOrganisation } from './organisation.ts'
import { type Serving, serve } from './serve.ts'

const ORG = 'bench' as OrgId

const [argument = '0'] = process.argv.slice(2)
const stores = argument === 'stores'
serve(pem => withEngines(engines => serveEvents(engines, pem, stores ? 0 : Number(argument))))

async function serveEvents(engines: Engines, pem: string, backlog: number): Promise<Serving> {
  const { db } = engines
  const key = await newOrganisation(engines, ORG)
  const host = await openBenchHost({ engines, pem, operations, riskMirror: null, runsBackground: stores })
  if (backlog > 0) await consumeBacklog(engines, backlog)
  const [row] = await db<{ directory: string }>`select current_setting('unix_socket_directories') as directory`
  return { ...host, key, database: row?.directory as string }
}

/** Its effect is a count in the database. A new consumer would not get earlier events. */
async function consumeBacklog({ db, log, clock }: Engines, backlog: number): Promise<void> {
  await db.script('create table handled (at timestamptz not null default clock_timestamp(), count int not null)')
  await db.transaction(async tx => insertPositions(tx, 'bench', await log.head(tx)))
  const data = { event: '$pageview', distinctId: 'user-1', properties: { text: 'x'.repeat(200) } }
  const envelope = JSON.stringify({ specversion: '1.0', id: 'evt_1', source: 'x', type: 'event.pageview', data })
  const each = 20_000
  for (let from = 0; from < backlog; from += each) {
    await db`insert into bus_log (lane, position, tenant, subject, envelope)
      select n % 16, nextval('bus_lane_' || n % 16), 'org-' || n % 160, 'event.pageview', ${envelope} from generate_series(1, ${each}::int) as n`
  }
  await db.script('analyze bus_log')
  const handle: Handler['handle'] = async (tx, events) => {
    await tx`insert into handled (count) values (${events.length})`
    return undefined
  }
  const handlers = [{ id: 'bench', formerIds: [], subjects: ['event.>'], batchMax: 500, handle }]
  await startConsumers({ db, log, clock, warn: error => process.stderr.write(`${error}\n`) }, handlers)
}
