// The host with an organisation that has many events of 90 days, and one that has a thousand.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Engines, type Fragment, fragment, type Session } from '../../src/engines/engines.ts'
import { DIMENSIONS, type Dimension } from '../../src/engines/warehouse/counts.ts'
import type { OrgId } from '../../src/kit/caller.ts'
import { generate } from '../../test/lenses/generate.ts'
import { withEngines } from './engines.ts'
import { openBenchHost } from './open-host.ts'
import { newOrganisation } from './organisation.ts'
import { type Serving, serve } from './serve.ts'

const [ORG, SMALL] = ['bench' as OrgId, 'small' as OrgId]
const DAYS = 90
const DAY_MS = 86_400_000
const ROWS_AT_ONCE = 500_000
const VISITORS = 60_000
const SMALL_ROWS = 1_000

/** Filling takes longer than measuring: with this, it is done once. */
const kept = process.env.LENSES_DATA
const keysFile = kept === undefined ? null : join(kept, 'keys.json')

serve(pem => withEngines(engines => serveLenses(engines, pem, Number(process.argv[2])), { kept }))

async function serveLenses(engines: Engines, pem: string, rows: number): Promise<Serving> {
  const isFilled = keysFile !== null && existsSync(keysFile)
  const keys = isFilled ? (JSON.parse(readFileSync(keysFile, 'utf8')) as string[]) : await fillAll(engines, rows)
  if (!isFilled && keysFile !== null) writeFileSync(keysFile, JSON.stringify(keys))
  const host = await openBenchHost({ engines, pem, operations: {}, riskMirror: null, runsBackground: true })
  const [row] = await engines.db<{ directory: string }>`select current_setting('unix_socket_directories') as directory`
  return { ...host, keys, database: row?.directory as string }
}

async function fillAll(engines: Engines, rows: number): Promise<string[]> {
  const { db, warehouse } = engines
  const keys = [await newOrganisation(engines, ORG), await newOrganisation(engines, SMALL)]
  const startMs = Math.floor(Date.now() / DAY_MS) * DAY_MS - DAYS * DAY_MS
  await db.session(session => fill(session, rows, new Date(startMs).toISOString()))
  const few = { org: SMALL, seed: 1, count: SMALL_ROWS, startMs, days: DAYS, visitors: 100 }
  await db.transaction(tx => warehouse.append(tx, [...generate(few)]))
  const write: Engines['db']['transaction'] = work => db.transaction(work)
  // Makes it known that there is something to add up.
  await db.transaction(tx => warehouse.appendUsage(tx, ORG, [{ atMs: startMs, project: null, tokens: 1, spend: 1 }]))
  await warehouse.addUp(db.background, write, async () => 'UTC', new Date(), new AbortController().signal)
  for (const table of ['events', 'event_counts', 'event_sessions']) {
    await db.session(session => session.script(`vacuum analyze ${table}`))
  }
  return keys
}

/** Rows by SQL, because appending as many would take an hour; days and months are added up from them as after a change of the zone. */
async function fill(db: Session, rows: number, start: string): Promise<void> {
  await db.script("set work_mem = '1GB'; set maintenance_work_mem = '2GB'; set synchronous_commit = off")
  for (let month = 0; month < 4; month++) {
    const from = new Date(Date.parse(start))
    const [first, next] = [0, 1].map(
      more => new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + month + more)),
    )
    const name = `events_bench_${month}`
    await db.script(
      `create table ${name} partition of events for values from ('${first?.toISOString()}') to ('${next?.toISOString()}')`,
    )
  }
  const indexes = await db<{
    name: string
    definition: string
  }>`select indexname as name, indexdef as definition from pg_indexes
    where schemaname = 'public' and tablename = 'events'`
  for (const { name } of indexes) await db.script(`drop index ${name}`)
  const stepMs = (DAYS * DAY_MS) / rows
  for (let from = 0; from < rows; from += ROWS_AT_ONCE) {
    await db`insert into events (received, timestamp, clamped, org, id, wire, event, distinct_id, visitor, session, arrival, path, source,
        campaign, country, device, browser, system, release, fingerprint, properties)
      select at, at, false, ${ORG}, 'evt_' || n, 'native', event, visitor, visitor, md5(visitor || at::date)::uuid, n, '/p' || k % 200,
        'source ' || k % 20, case when k % 10 = 0 then 'campaign ' || k % 70 end, 'C' || k % 30,
        (array['desktop', 'mobile', 'tablet'])[k % 3 + 1], 'Browser ' || k % 6, 'System ' || k % 5, '1.' || k % 4,
        case when event = '$exception' then 'f' || k % 50 end, jsonb_build_object('plan', 'p' || k % 3, 'n', k % 1000)
      from (select n, abs(hashint4(n)::bigint) as k,
          'user-' || abs(hashint4(n / 3 + 1000000000)::bigint) % ${VISITORS}::int as visitor,
          ${start}::timestamptz + n * ${stepMs}::float8 * interval '1 millisecond' as at,
          case when n % 100 = 0 then '$exception' when n % 5 < 3 then '$pageview' else 'event ' || n % 5 end as event
        from generate_series(${from}::int, ${Math.min(rows, from + ROWS_AT_ONCE) - 1}::int) as n) as sent`
  }
  for (const { definition } of indexes) await db.script(definition.replace(' ON ONLY ', ' ON '))
  await db`insert into event_sessions (org, id, holder, first, last, pageviews, seen)
    select ${ORG}, session, '//' || visitor, min(timestamp), max(timestamp), count(*) filter (where event = '$pageview'), max(received)
    from events where org = ${ORG} group by session, visitor`
  await db`insert into event_errors (org, scope, fingerprint, first, last, example, example_received, releases)
    select ${ORG}, '', fingerprint, min(timestamp), max(timestamp), (array_agg(id order by timestamp desc))[1], max(received),
      array_agg(distinct release)
    from events where org = ${ORG} and fingerprint is not null group by fingerprint`
  await db`create table bench_visitors as select 'user-' || n as visitor, substr(sha256(('user-' || n)::bytea), 1, 8) as hash
    from generate_series(0, ${VISITORS}::int) as n`
  for (const [dimension, value] of Object.entries(VALUES))
    await countQuarters(db, DIMENSIONS[dimension as Dimension], value)
  await db`update event_counts as c set sessions = visits.sessions, bounces = visits.bounces, ms = visits.ms
    from (select date_bin('15 min', first, '2000-01-01Z') as at, count(*) as sessions,
        count(*) filter (where pageviews = 1 and last - first < interval '10 s') as bounces,
        sum(extract(epoch from last - first) * 1000)::bigint as ms from event_sessions where org = ${ORG} group by 1) as visits
    where c.org = ${ORG} and c.dimension = 0 and c.level = 0 and c.at = visits.at`
  await db`insert into event_zones (org, zone, added) values (${ORG}, 'UTC', ${start})`
}

const VALUES: Partial<Record<Dimension, Fragment>> = {
  all: fragment`''::text`,
  event: fragment`event`,
  path: fragment`path`,
  source: fragment`source`,
  campaign: fragment`campaign`,
  country: fragment`country`,
  device: fragment`device`,
  browser: fragment`browser`,
  system: fragment`system`,
  release: fragment`release`,
  error: fragment`fingerprint`,
}

async function countQuarters(db: Session, dimension: number, value: Fragment): Promise<void> {
  await db`insert into event_counts (org, scope, dimension, level, at, value, events, pageviews, sessions, bounces, ms, amount, first,
      last, people, visitors)
    select ${ORG}, '', ${dimension}, 0, at, value, sum(events), sum(pageviews), 0, 0, 0, 0, min(first), max(last), count(*),
      '\\x00' || string_agg(hash, '')
    from (select date_bin('15 min', timestamp, '2000-01-01Z') as at, ${value} as value, hash, count(*) as events,
        count(*) filter (where event = '$pageview') as pageviews, min(timestamp) as first, max(timestamp) as last
      from events join bench_visitors using (visitor) where org = ${ORG} group by 1, 2, 3) as visited
    where value is not null group by at, value`
}
