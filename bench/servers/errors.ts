// The host with an organisation that has many events, one in a hundred of which is an error.
import type { Engines } from '../../src/engines/engines.ts'
import type { OrgId } from '../../src/kit/caller.ts'
import { withEngines } from './engines.ts'
import { openBenchHost } from './open-host.ts'
import { newOrganisation } from './organisation.ts'
import { type Serving, serve } from './serve.ts'

const ORG = 'bench' as OrgId
const ROWS_AT_ONCE = 250_000

serve(pem => withEngines(engines => serveErrors(engines, pem, Number(process.argv[2]))))

async function serveErrors(engines: Engines, pem: string, rows: number): Promise<Serving> {
  const { db } = engines
  const key = await newOrganisation(engines, ORG)
  const frames = [{ filename: 'app.js', function: 'checkout', lineno: 12, colno: 34 }]
  const thrown = { type: 'TypeError', value: 'x is not a function', stacktrace: { frames } }
  const [error, other] = [JSON.stringify({ $exception_list: [thrown] }), JSON.stringify({ plan: 'pro' })]
  for (let from = 0; from < rows; from += ROWS_AT_ONCE) {
    await db`insert into events (received, timestamp, clamped, org, id, wire, event, distinct_id, fingerprint, properties)
      select now(), now() - make_interval(secs => n), false, ${ORG}, 'evt_' || n, 'native',
        case when n % 100 = 0 then '$exception' else '$pageview' end, 'user-' || n % 1000,
        case when n % 100 = 0 then 'f' || n % 7 end, case when n % 100 = 0 then ${error} else ${other} end::jsonb
      from generate_series(${from + 1}::int, ${from + ROWS_AT_ONCE}::int) as n`
  }
  await db.script('analyze events')
  return { ...(await openBenchHost({ engines, pem, operations: {}, riskMirror: null })), key }
}
