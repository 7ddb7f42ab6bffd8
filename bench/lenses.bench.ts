// The lenses over ten million events of 90 days, by time: without conditions against a bound, with conditions against SQL written
// by hand for the same rows, and those of a small organisation beside a large one.
import postgres from 'postgres'
import { DATABASE_USER } from '../src/engines/db/embedded/server.ts'
import { PARAMETERS } from '../src/engines/db/profiles.ts'
import { type Finding, findingOf, type OwnBench, type Round, requestBytes } from './harness.ts'
import { bodyOf, type Load, openLoad } from './load.ts'
import { type BenchServer, startServer } from './servers/start.ts'

const EVENTS = Number(process.env.LENSES_EVENTS ?? 10_000_000)
const DAY_MS = 86_400_000
const [WARM_UP, ROUNDS, REQUESTS] = [5, 8, 5]
const [WHOLE_MS, SMALL_MS] = [50, 10]
/** How much longer than SQL written by hand. */
const FILTERED = 1 / 1.3

const today = Math.floor(Date.now() / DAY_MS) * DAY_MS
const [FROM, TO] = [today - 90 * DAY_MS, today].map(ms => new Date(ms).toISOString()) as [string, string]
const SPAN = `from=${FROM}&to=${TO}`
const WHOLE = [
  `overview?${SPAN}&compare=false`,
  `timeseries?${SPAN}`,
  `errors?${SPAN}`,
  `insights/events?${SPAN}`,
  ...['path', 'source', 'campaign', 'country', 'device', 'browser', 'system', 'event'].map(
    by => `top?by=${by}&${SPAN}`,
  ),
]

const rows = (where: string) =>
  `from events where org = 'bench' and timestamp >= '${FROM}' and timestamp < '${TO}' and ${where}`
const PAGE = "path = '/p7'"
const COUNTRIES = "country = any('{C1,C2}') and starts_with(path, '/p1')"
const visits = (
  where: string,
) => `(select count(*) from event_sessions where org = 'bench' and first >= '${FROM}' and first < '${TO}'
  and id in (select session ${rows(where)})) as sessions`
/** A lens, and what somebody would write instead. */
const FILTERED_PAIRS = [
  [
    `overview?${SPAN}&compare=false&where=path:is:/p7`,
    `select count(*), count(distinct visitor), count(*) filter (where event = '$pageview'), ${visits(PAGE)} ${rows(PAGE)}`,
  ],
  [
    `timeseries?${SPAN}&metric=visitors&where=country:in:C1,C2&where=path:starts:/p1`,
    `select date_trunc('day', timestamp at time zone 'UTC') as day, count(distinct visitor) ${rows(COUNTRIES)} group by 1`,
  ],
  [
    `top?${SPAN}&by=source&where=path:is:/p7`,
    `select source, count(distinct visitor) as visitors, count(*) ${rows(PAGE)} group by 1 order by 2 desc limit 10`,
  ],
  [
    `insights/events?${SPAN}&where=properties.n:is:7`,
    `select event, count(*), count(distinct visitor), min(timestamp), max(timestamp)
      ${rows("properties ->> 'n' = '7'")} group by 1 order by 2 desc limit 50`,
  ],
] as const

export const lenses: OwnBench = {
  measure: async (): Promise<Finding[]> => {
    process.stdout.write(`lenses over ${EVENTS} events\n`)
    await using servers = new AsyncDisposableStack()
    const server = servers.use(await startServer('lenses.ts', { args: [String(EVENTS)] }))
    const [large, small] = server.keys as [string, string]
    const findings: Finding[] = []
    for (const path of WHOLE) findings.push(await againstBound(server, large, path, WHOLE_MS))
    for (const [path, sql] of FILTERED_PAIRS) findings.push(await againstSql(server, large, path, sql))
    findings.push(...(await besideLarge(server, large, small)))
    return findings
  },
}

async function opened(server: BenchServer, key: string, path: string): Promise<Load> {
  const request = requestBytes('GET', `/v1/event/${path}`, { headers: { authorization: `Bearer ${key}` } })
  const isComplete = (bytes: Buffer) => {
    const body = bodyOf(bytes)
    if (body && !body.toString().startsWith('{"range"')) throw new Error(body.toString())
    return body !== null
  }
  // One at a time, as for a waiting person.
  return openLoad({ ...server, connections: 1, script: () => ({ request: () => request, isComplete }) })
}

async function againstBound(server: BenchServer, key: string, path: string, boundMs: number): Promise<Finding> {
  const load = await opened(server, key, path)
  await load.burst(WARM_UP)
  const rounds: Round[] = []
  for (let round = 0; round < ROUNDS; round++) {
    rounds.push([sampleOf((await load.burst(REQUESTS)) / REQUESTS), sampleOf(boundMs / 1000)])
  }
  load.close()
  return found(path, rounds, `${boundMs} ms`, 1)
}

async function againstSql(server: BenchServer, key: string, path: string, text: string): Promise<Finding> {
  const socket = `${server.database}/.s.PGSQL.5432`
  // With the settings of the lenses.
  const connection = { ...PARAMETERS.analytics }
  const sql = postgres({ path: socket, database: 'postgres', user: DATABASE_USER, max: 1, connection })
  const load = await opened(server, key, path)
  await load.burst(1)
  await sql.unsafe(text)
  const rounds: Round[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const ours = await load.burst(1)
    const from = performance.now()
    await sql.unsafe(text)
    rounds.push([sampleOf(ours), sampleOf((performance.now() - from) / 1000)])
  }
  load.close()
  await sql.end()
  return found(path, rounds, 'SQL', FILTERED)
}

const SMALL = [`overview?${SPAN}`, `timeseries?${SPAN}`, `top?${SPAN}`, `overview?${SPAN}&where=country:is:AT`]

/** Those of the small organisation, also while the large one reads rows without a pause, which needs one of two cores. */
async function besideLarge(server: BenchServer, large: string, small: string): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const path of SMALL) findings.push(await againstBound(server, small, path, SMALL_MS))
  const slow = await opened(server, large, FILTERED_PAIRS[0][0])
  let isOver = false
  const reading = (async () => {
    while (!isOver) await slow.burst(1)
  })()
  const whileRead: Finding[] = []
  for (const path of SMALL) whileRead.push(await againstBound(server, small, path, WHOLE_MS))
  isOver = true
  await reading
  slow.close()
  return [
    ...findings.map(one => ({ ...one, title: `1,000 events beside them: ${one.title}` })),
    ...whileRead.map(one => ({ ...one, title: `1,000 events, while they are read: ${one.title}` })),
  ]
}

function found(path: string, rounds: Round[], control: string, target: number): Finding {
  const title = decodeURIComponent(path.replace(/from=[^&]+&to=[^&]+/, '90 days'))
  process.stdout.write(`  ${title}: ${rounds.map(([one]) => ((one?.cpuUs ?? 0) / 1000).toFixed(1)).join(', ')} ms\n`)
  return findingOf(title, rounds, { names: ['lens', control], subject: 0, control: 1, target })
}

const sampleOf = (seconds: number) => ({ perSecond: 1 / seconds, cpuUs: seconds * 1_000_000 })
