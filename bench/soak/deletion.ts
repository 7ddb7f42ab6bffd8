// An ordinary tenant while a large organisation is deleted: `npm run soak:deletion`, `npm run soak:deletion -- --rows 300000`.
// Two hosts have that organisation. It is deleted on the second one first (the control) and then on the ordinary tenant's own
// (the subject), so that both measure the same contention for the CPU and the disk. Exits with 1 when a target is missed.

import { loadavg } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Agent, request } from 'undici'
import { DATABASE_USER } from '../../src/engines/db/embedded/server.ts'
import { openPostgres } from '../../src/engines/db/postgres.ts'
import type { Database } from '../../src/engines/engines.ts'
import type { OrgId } from '../../src/kit/caller.ts'
import { countRows, waysOf } from '../../src/kit/tables/store.ts'
import { services } from '../../src/services/index.ts'
import { type SoakHost, startSoakHost, type Tenant } from './hosts.ts'
import { type Ordinary, type Outcome, openOrdinary } from './ordinary.ts'
import { isRequest, type Measured, notable, quantile, type Side } from './report.ts'

const ROWS = 3_000_000
/** Audit rows for each idempotency record. */
const PER_ANSWER = 3
/** Rows of the large organisation for each one of the ordinary tenant, which are between them in the same blocks. */
const PER_ORDINARY = 100
const FILLED_AT_ONCE = 100_000
const WARM_UP_MS = 20_000
const SAMPLE_MS = 1_000
const P95_RATIO_MAX = 1.5
/** For filling and counting. */
const STATEMENT_MS = 10 * 60_000
/** As long as one attempt of the purge may take. */
const DELETION_MS_MAX = 60 * 60_000

/** Ends the run early, so that the hosts are stopped and their data is removed. */
const interrupted = new AbortController()
const wait = (ms: number) => setTimeout(ms, undefined, { signal: interrupted.signal })
const print = (text: string) => process.stdout.write(`${text}\n`)

/** A host with the organisation that is deleted. */
type Doomed = { host: SoakHost; db: Database; tenant: Tenant }

async function run(rows: number): Promise<boolean> {
  await using host = await startSoakHost()
  await using second = await startSoakHost()
  await using databases = new AsyncDisposableStack()
  const doomedOn = (at: SoakHost): Doomed => {
    const db = databases.adopt(openDatabase(at), one => one.close())
    return { host: at, db, tenant: at.target.hostile[0] as Tenant }
  }
  const sides = { control: doomedOn(second), subject: doomedOn(host) }
  const ordinary = openOrdinary(host.target)
  try {
    await ordinary.prepare()
    for (const side of Object.values(sides)) await fill(side, rows)
    const before = await countOrdinary(host, sides.subject.db)
    const { outcomes, measured, deletions } = await measure(rows, ordinary, sides)
    const after = await countOrdinary(host, sides.subject.db)
    const wrong = [...differences(expected(before, outcomes), after)]
    for (const [name, side] of Object.entries(sides)) wrong.push(...(await leftOf(name, side)))
    print(`\n${(['control', 'subject'] as const).map(side => sideText(side, measured, deletions[side])).join('\n')}`)
    print(`\nfailed and slowest requests:\n${notable(measured, host.log())}\n`)
    return isMet(outcomes, measured, wrong)
  } finally {
    await ordinary.close()
  }
}

const openDatabase = ({ database }: SoakHost): Database =>
  openPostgres({
    at: { socketDirectory: database, database: 'postgres', user: DATABASE_USER },
    ...{ connectionsMax: 1, queueMax: 10, deadlineMs: STATEMENT_MS, parameters: { statement_timeout: STATEMENT_MS } },
  })

/** As many audit rows, and idempotency records, as an organisation has after some years. */
async function fill({ host, db, tenant }: Doomed, rows: number): Promise<void> {
  const startMs = performance.now()
  for (let from = 1; from <= rows; from += FILLED_AT_ONCE) {
    interrupted.signal.throwIfAborted()
    const to = Math.min(rows, from + FILLED_AT_ONCE - 1)
    const [doomed, other] = [tenant.org, host.target.ordinary.org]
    await db.autocommit`insert into audit (org, at, user_id, email, credential, what, on_what, changes, ip, request_id)
      select org, now() - make_interval(secs => ${rows} - n), 'user_' || n % 100, 'user' || n % 100 || '@example.com',
        'key_' || n % 50, case n % 3 when 0 then 'project.create' else 'project.update' end, 'project-' || n % 5000,
        jsonb_build_object('name', jsonb_build_object('from', 'Before ' || n, 'to', 'After ' || n)), '192.0.2.1',
        gen_random_uuid()
      from generate_series(${from}::int, ${to}::int) as n
      cross join unnest(case when n % ${PER_ORDINARY} = 0 then array[${doomed}, ${other}] else array[${doomed}] end) as org`
    await db.autocommit`insert into idempotency_records (org, operation, key, input, answer, made, at)
      select org, 'createProject', sha256(n::text::bytea), sha256(n::text::bytea),
        json_build_object('slug', 'project-' || n, 'name', repeat('Project ', 20))::text, 'project-' || n, now()
      from generate_series(${from}::int, ${to}::int) as n
      cross join unnest(case when n % ${PER_ORDINARY} = 0 then array[${doomed}, ${other}] else array[${doomed}] end) as org
      where n % ${PER_ANSWER} = 0`
  }
  // Otherwise the database's work after an import would be measured.
  for (const text of ['vacuum (analyze) audit', 'vacuum (analyze) idempotency_records', 'checkpoint'])
    await db.script(text)
  print(`filled in ${secondsSince(startMs)} s`)
}

const secondsSince = (startMs: number) => ((performance.now() - startMs) / 1000).toFixed(0)

type Counts = { projects: number; entries: number; answers: number }

/** The ordinary tenant's data, none of which may be missing in the end. */
async function countOrdinary({ target: { ordinary } }: SoakHost, db: Database): Promise<Counts> {
  const [row] = await db<Counts>`select (select count(*) from projects where org = ${ordinary.org}) as projects,
    (select count(*) from audit where org = ${ordinary.org} and what in ('project.create', 'project.update')) as entries,
    (select count(*) from idempotency_records where org = ${ordinary.org}) as answers`
  return row as Counts
}

function expected({ projects, entries, answers }: Counts, outcomes: Outcome[]): Counts {
  const done = (kind: string) => outcomes.filter(one => one.ok && one.kind === kind).length
  const [created, renamed] = [done('create a project'), done('rename a project')]
  return { projects: projects + created, entries: entries + created + renamed, answers }
}

const differences = (want: Counts, have: Counts): string[] =>
  (Object.keys(want) as (keyof Counts)[])
    .filter(name => want[name] !== have[name])
    .map(name => `the ordinary tenant has ${have[name]} ${name}, not ${want[name]}`)

/** The tables with rows of the deleted organisation. */
async function leftOf(name: string, { db, tenant }: Doomed): Promise<string[]> {
  const left: string[] = []
  for (const table of services.flatMap(({ tables }) => tables)) {
    if (table.shared !== null || table.kept !== null || table.remove !== null) continue
    for (const way of waysOf(table, tenant.org as OrgId)) {
      if ((await countRows(db, table, way, 1)) > 0) left.push(`${name} has rows in ${table.name}`)
    }
  }
  return left
}

type Sample = { atMs: number; deleted: Record<Filled, number> }
const FILLED = ['audit', 'idempotency_records'] as const
type Filled = (typeof FILLED)[number]
type Deletion = { tookMs: number; load: number; samples: Sample[]; rows: Record<Filled, number> }

/** Requests count for a side while rows are deleted there. */
async function measure(rows: number, ordinary: Ordinary, sides: Record<Side, Doomed>) {
  const outcomes: Outcome[] = []
  const measured: Measured[] = []
  const deletions = {} as Record<Side, Deletion>
  let side: Side | null = null
  ordinary.begin(() => {
    const startedIn = side
    return outcome => {
      outcomes.push(outcome)
      if (startedIn) measured.push({ ...outcome, side: startedIn })
    }
  })
  for (const next of ['control', 'subject'] as const) {
    await wait(WARM_UP_MS)
    side = next
    deletions[next] = await deletionOf(rows, sides[next], () => {
      side = null
    })
  }
  await ordinary.end()
  return { outcomes, measured, deletions }
}

/** Deletes the organisation and waits until nothing of it is left; `over` is called when the filled rows are gone. */
async function deletionOf(rows: number, { host, db, tenant }: Doomed, over: () => void): Promise<Deletion> {
  const filled = { audit: rows, idempotency_records: Math.floor(rows / PER_ANSWER) }
  const base = await deletedRows(db)
  const startMs = performance.now()
  await requestDeletion(host, tenant)
  const samples: Sample[] = []
  let load = 0
  for (;;) {
    await wait(SAMPLE_MS)
    const tookMs = performance.now() - startMs
    if (tookMs > DELETION_MS_MAX) throw new Error('the deletion does not end')
    const now = await deletedRows(db)
    const deleted = {
      audit: now.audit - base.audit,
      idempotency_records: now.idempotency_records - base.idempotency_records,
    }
    if (FILLED.some(name => (samples.at(-1)?.deleted[name] ?? 0) < filled[name]))
      samples.push({ atMs: tookMs, deleted })
    if (FILLED.every(name => deleted[name] >= filled[name]) && load === 0) {
      load = loadavg()[0] as number
      over()
    }
    const left = await db`select from orgs where slug = ${tenant.org}`
    if (left.length === 0) return { tookMs, load, samples, rows: filled }
  }
}

/** From the statistics of the database: reading the rows themselves would be a part of the load. */
async function deletedRows(db: Database): Promise<Record<Filled, number>> {
  const rows = await db<{ name: Filled; deleted: number }>`select relname::text as name, n_tup_del as deleted
    from pg_stat_user_tables where relname = any(${[...FILLED]})`
  return Object.fromEntries(rows.map(({ name, deleted }) => [name, deleted])) as Record<Filled, number>
}

async function requestDeletion({ target: { baseUrl, ca } }: SoakHost, { org, key }: Tenant): Promise<void> {
  const agent = new Agent({ connect: { ca } })
  try {
    const url = `${baseUrl}/v1/iam/orgs/${org}?confirm=${org}`
    const headers = { authorization: `Bearer ${key}` }
    const answer = await request(url, { dispatcher: agent, method: 'DELETE', headers })
    if (answer.statusCode !== 204) throw new Error(`${answer.statusCode} ${await answer.body.text()}`)
  } finally {
    await agent.destroy()
  }
}

const p95Of = (measured: Measured[], side: Side) =>
  quantile(
    measured.filter(one => one.side === side && isRequest(one)).map(({ ms }) => ms),
    0.95,
  )

function sideText(side: Side, measured: Measured[], { tookMs, load, samples, rows }: Deletion): string {
  const times = measured.filter(one => one.side === side && isRequest(one)).map(({ ms }) => ms)
  const [p50, p95, max] = [0.5, 0.95, 1].map(part => `${quantile(times, part).toFixed(1)} ms`)
  const paces = FILLED.map(name => `${name} ${paceText(samples, name, rows[name])}`).join(', ')
  const seconds = (ms: number) => `${(ms / 1000).toFixed(0)} s`
  return [
    `${side}: ${times.length} requests, p50 ${p50}, p95 ${p95}, longest ${max}`,
    `  rows deleted in ${seconds(samples.at(-1)?.atMs ?? 0)}, all done in ${seconds(tookMs)}; load average ${load.toFixed(1)}`,
    `  rows per second in the first and the last quarter: ${paces}`,
  ].join('\n')
}

/** If each batch cost more than the one before, the last quarter of the rows would be slower than the first. */
function paceText(samples: Sample[], name: Filled, rows: number): string {
  const atMs = (part: number) => samples.find(({ deleted }) => deleted[name] >= rows * part)?.atMs ?? Number.NaN
  const beganMs = samples.findLast(({ deleted }) => deleted[name] === 0)?.atMs ?? 0
  const pace = (fromMs: number, toMs: number) => (rows / 4 / ((toMs - fromMs) / 1000)).toFixed(0)
  return `${pace(beganMs, atMs(0.25))} and ${pace(atMs(0.75), atMs(1))}`
}

function isMet(outcomes: Outcome[], measured: Measured[], wrong: string[]): boolean {
  const failed = outcomes.filter(({ ok }) => !ok).length
  const ratio = p95Of(measured, 'subject') / p95Of(measured, 'control')
  print(`p95 of the ordinary tenant, relative to the control's: ${ratio.toFixed(2)}; ${failed} requests failed`)
  const missed = [
    ...(failed > 0 ? [`${failed} requests of the ordinary tenant were not answered 2xx`] : []),
    ...(ratio <= P95_RATIO_MAX ? [] : [`the ratio is over ${P95_RATIO_MAX}`]),
    ...wrong,
  ]
  print(missed.length === 0 ? 'all targets met' : `missed: ${missed.join('; ')}`)
  return missed.length === 0
}

for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => interrupted.abort())
try {
  const { values } = parseArgs({ options: { rows: { type: 'string', default: String(ROWS) } } })
  const rows = Number(values.rows)
  if (!(rows >= PER_ORDINARY)) throw new Error(`--rows must be a number, ${PER_ORDINARY} or more`)
  process.exitCode = (await run(rows)) ? 0 : 1
} catch (error) {
  const { message, cause } = error as Error
  process.stderr.write(`soak: ${message}${cause ? `: ${cause}` : ''}\n`)
  process.exitCode = 1
}
